"""Where templates come from: Django's loaders, kept, each as a function. Knows the engine; no tag."""

from typing import Any

from django.template import Template
from django.template.loader_tags import BlockNode
from django.template.loaders.cached import Loader as CachedLoader

from aggregator.templating.nodes import Made


class Loader(CachedLoader):
    """As Django's own. While templates are worked on (DEBUG) they run tag by tag, so that errors say where."""

    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template: Template = super().get_template(template_name, skip)
        if not (self.engine.debug or self.engine.string_if_invalid or isinstance(template.nodelist, Made)):
            blocks: list[Any] = template.nodelist.get_nodes_by_type(BlockNode)
            for block in blocks:
                block.nodelist = Made(block.nodelist, template)
            template.nodelist = Made(template.nodelist, template)
        return template
