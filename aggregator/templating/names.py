"""Which names a part of a template gives values to, and what it may know of loops around it. Reads parsed templates.

Only of the tags that stand here that is known. A part with any other may do everything: then names are looked up anew
each time, as Django does.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.template import Engine, Node, TemplateDoesNotExist
from django.template.base import TextNode, VariableNode
from django.template.defaulttags import (
    CommentNode,
    CsrfTokenNode,
    FirstOfNode,
    ForNode,
    IfNode,
    LoadNode,
    RegroupNode,
    URLNode,
    WithNode,
)
from django.template.library import SimpleNode
from django.template.loader_tags import BlockNode, ExtendsNode, IncludeNode
from django.templatetags.i18n import BlockTranslateNode, GetCurrentLanguageNode, TranslateNode
from django.templatetags.static import StaticNode

# Tag -> the names that it sets; None: it may set any.
SET: dict[type, Callable[[Any], Iterable[str | None] | None]] = {
    BlockNode: lambda node: (),
    BlockTranslateNode: lambda node: (node.asvar,),
    CommentNode: lambda node: (),
    CsrfTokenNode: lambda node: (),
    ExtendsNode: lambda node: (),
    FirstOfNode: lambda node: (node.asvar,),
    ForNode: lambda node: ("forloop", *node.loopvars),
    GetCurrentLanguageNode: lambda node: (node.variable,),
    IfNode: lambda node: (),
    IncludeNode: lambda node: (),
    LoadNode: lambda node: (),
    RegroupNode: lambda node: (node.var_name,),
    SimpleNode: lambda node: None if node.takes_context else (node.target_var,),
    StaticNode: lambda node: (node.varname,),
    TextNode: lambda node: (),
    TranslateNode: lambda node: (node.asvar,),
    URLNode: lambda node: (node.asvar,),
    VariableNode: lambda node: (),
    WithNode: lambda node: tuple(node.extra_context),
}


def names_set(nodes: Iterable[Node]) -> set[str] | None:
    """The names that these tags and those inside them set, wherever; None if it may be any."""
    found: set[str] = set()
    for node in _all(nodes):
        read = SET.get(type(node))
        names = read(node) if read else None
        if names is None:
            return None
        found.update(filter(None, names))
    return found


def stands_alone(nodes: Iterable[Node]) -> bool:
    """Whether these can be run inside another template as if they stood there: nothing in them is overridden."""
    nodes = list(nodes)
    return names_set(nodes) is not None and not any(isinstance(each, BlockNode | ExtendsNode) for each in _all(nodes))


def asks_for_loop(nodes: Iterable[Node], source: str, engine: Engine, seen: frozenset[str] = frozenset()) -> bool:
    """Whether these, or what they include, may want to know which turn of a loop it is. source: where they stand."""
    if "forloop" in source or not stands_alone(nodes):
        return True
    for node in _all(nodes):
        if isinstance(node, IncludeNode):
            name = included_name(node)
            if not name or name in seen:
                return True
            try:
                template = engine.get_template(name)
            except TemplateDoesNotExist:
                return True
            if asks_for_loop(template.nodelist, str(template.source), engine, seen | {name}):
                return True
    return False


def included_name(node: IncludeNode) -> str:
    """What is included, "" where that is only known when it runs or it sees nothing of what is around it."""
    name = node.template.var
    fixed = not node.template.is_var and not node.template.filters and isinstance(name, str) and name[:1] != "."
    return str(name) if fixed and not node.isolated_context else ""


def _all(nodes: Iterable[Node]) -> list[Node]:
    return [inside for each in nodes for inside in each.get_nodes_by_type(Node)]
