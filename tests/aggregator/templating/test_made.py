"""Templates as functions give what Django's own rendering gives: every tag, every way a look-up can end."""

from collections import namedtuple
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template import Context, Engine, VariableDoesNotExist, engines
from django.test import RequestFactory
from django.utils.functional import lazystr
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, override

from aggregator.templating.nodes import Made

Pair = namedtuple("Pair", ("first", "second"))


@dataclass
class Thing:
    """What a page shows. Nothing of it is to be trusted."""

    name: str
    parts: tuple[str, ...] = ()

    @property
    def broken(self) -> str:
        raise AttributeError("from inside")

    @property
    def fails(self) -> str:
        raise RuntimeError("from inside")

    def called(self) -> str:
        return f"called {self.name}"

    def needs(self, argument: str) -> str:
        return argument

    def delete(self) -> str:
        return "deleted"

    delete.alters_data = True  # type: ignore[attr-defined]


HOSTILE = "<script>alert('1')</script> & \"x\""
VALUES: dict[str, Any] = {
    "thing": Thing(HOSTILE, ("a", "<b>")),
    "things": [Thing("one"), Thing("two", ("x", "y")), Thing("")],
    "pairs": [("a", 1), ("<", 2)],
    "pair": Pair("f", "<s>"),
    "table": {"key": "<v>", "items": "own", "0": "zero", 1: "one"},
    "safe": SafeString("<i>safe</i>"),
    "text": HOSTILE,
    "lazy": gettext_lazy("Search"),
    "lazy_text": lazystr(HOSTILE),
    "number": 1234567,
    "half": 0.5,
    "nothing": None,
    "yes": True,
    "empty": "",
    "words": ["<a>", "b", "c", "d"],
    "moment": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    "generated": lambda: (each for each in "abc"),
    "kind": Thing,
    "view": "search",
    "part": "part.html",
}
PARTS = {
    "base.html": "<title>{% block title %}base{% endblock %}</title>{% block body %}{{ text }}{% endblock %}",
    "part.html": "[{{ text }}|{{ each.name }}|{{ given }}]",
    "loop.html": "({{ forloop.counter }})",
    "again.html": "{% include 'loop.html' %}",
    "sets.html": "{% url 'home' as text %}{{ text }}",
    "tree.html": "{{ node.name }}{% for node in node.below %}<{% include 'tree.html' %}>{% endfor %}",
    "own_block.html": "{% block body %}own{% endblock %}",
}
CASES = (Path(__file__).parent / "templates.txt").read_text(encoding="utf-8").splitlines()
VALUES["nodes"] = {"name": "a", "below": [{"name": "b", "below": [{"name": "<c>", "below": []}]}]}


def engine(template: str, loader: str) -> Engine:
    templates = PARTS | {"case.html": template}
    libraries = {"i18n": "django.templatetags.i18n"}
    return Engine(loaders=[(loader, [("django.template.loaders.locmem.Loader", templates)])], libraries=libraries)


def rendered(made: Engine, language: str) -> str:
    with override(language):
        return made.get_template("case.html").render(Context(dict(VALUES)))


@pytest.mark.parametrize("template", CASES)
def test_a_template_says_what_it_says_with_django(template: str) -> None:
    own = engine(template, "aggregator.templating.loader.Loader")
    plain = engine(template, "django.template.loaders.cached.Loader")
    for language in ("ja", "en", "ja"):
        assert rendered(own, language) == rendered(plain, language)
    assert isinstance(own.get_template("case.html").nodelist, Made)


@pytest.mark.parametrize(
    ("template", "error"),
    [
        ("{{ thing.broken }}", AttributeError),
        ("{{ thing.fails }}", RuntimeError),
        ("{% if thing.fails %}{% endif %}", RuntimeError),
        ("{{ text|default:missing }}", VariableDoesNotExist),
        ("{% for a, b in words %}{% endfor %}", ValueError),
        ("{% for a in number %}{% endfor %}", TypeError),
    ],
)
def test_what_fails_with_django_fails_in_the_same_way(template: str, error: type[Exception]) -> None:
    for loader in ("aggregator.templating.loader.Loader", "django.template.loaders.cached.Loader"):
        with pytest.raises(error):
            rendered(engine(template, loader), "en")


def test_a_context_is_left_as_it_was_found() -> None:
    context = Context(dict(VALUES))
    own = engine("{% for a, b in words %}{{ a }}{% endfor %}", "aggregator.templating.loader.Loader")
    depth = len(context.dicts)
    with pytest.raises(ValueError, match="Need 2 values"):
        own.get_template("case.html").render(context)
    assert len(context.dicts) == depth


def test_while_templates_are_worked_on_they_run_tag_by_tag() -> None:
    loaders = [("aggregator.templating.loader.Loader", [("django.template.loaders.locmem.Loader", PARTS)])]
    assert not isinstance(Engine(loaders=loaders, debug=True).get_template("part.html").nodelist, Made)


@pytest.mark.parametrize("path", sorted((settings.BASE_DIR / "templates").rglob("*.html")), ids=lambda path: path.stem)
def test_every_template_of_the_site_can_be_written_as_a_function(path: Path) -> None:
    name = str(path.relative_to(settings.BASE_DIR / "templates"))
    template: Any = engines["django"].get_template(name)
    request = RequestFactory().get("/")
    assert isinstance(template.template.nodelist, Made)
    try:
        template.render({}, request)
    except (SyntaxError, NameError, UnboundLocalError):
        raise
    except Exception:  # noqa: BLE001 without what a page shows many cannot be shown
        pass
