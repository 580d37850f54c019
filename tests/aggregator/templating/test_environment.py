"""Pages are escaped, speak two languages, and every text in them can be translated."""

import ast
import gettext
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings
from django.template import TemplateDoesNotExist, engines
from django.template.loader import get_template
from django.test import RequestFactory
from django.urls import NoReverseMatch, get_resolver, get_script_prefix, reverse, set_script_prefix
from django.utils.translation import gettext_lazy, override
from jinja2 import nodes

from aggregator.templating.environment import url
from harvesting.management.commands.makemessages import python_calls

ENVIRONMENT = engines["jinja2"].env
NAMES = ENVIRONMENT.list_templates()
PACKAGES = ("aggregator", "harvesting")


def rendered(text, **context):
    return engines["jinja2"].from_string(text).render(context)


def texts():
    """Return the message ids of the pages, as a compiled catalogue names them."""
    for name in NAMES:
        source, *_ = ENVIRONMENT.loader.get_source(ENVIRONMENT, name)
        for _number, function, text in ENVIRONMENT.extract_translations(source):
            parts = (text,) if isinstance(text, str) else text
            yield "\4".join(parts[:2]) if function in ("pgettext", "npgettext") else parts[0]


def test_every_page_can_be_read():
    assert len(NAMES) > 250
    for name in NAMES:
        ENVIRONMENT.get_template(name)


def test_every_text_of_the_pages_is_in_the_catalogue():
    with (settings.BASE_DIR / "locale/ja/LC_MESSAGES/django.mo").open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog
    known = {key[0] if isinstance(key, tuple) else key for key in catalogue}
    assert not {text for text in texts() if text not in known}


def test_values_are_escaped_and_markup_of_texts_is_not():
    assert rendered("{{ value }}", value="<b>'\"&") == "&lt;b&gt;&#39;&#34;&amp;"
    assert rendered("{% trans %}<b>{{ value }}</b>{% endtrans %}", value="<i>") == "<b>&lt;i&gt;</b>"
    assert rendered("{{ value|linebreaksbr }}", value="<i>\n2") == "&lt;i&gt;<br>2"


def test_texts_are_constants():
    """They are not escaped, so none may come from data."""
    for name in NAMES:
        source, *_ = ENVIRONMENT.loader.get_source(ENVIRONMENT, name)
        calls = [
            node for node in ENVIRONMENT.parse(source).find_all(nodes.Call) if getattr(node.node, "name", "") == "_"
        ]
        assert all(isinstance(argument, nodes.Const) for call in calls for argument in call.args), name


def test_a_text_follows_the_language_of_the_request():
    template = engines["jinja2"].from_string('{{ _("Search") }} {{ word }}')
    for language, shown in (("ja", "検索 検索"), ("en", "Search Search")):
        with override(language):
            assert template.render({"word": gettext_lazy("Search")}) == shown


def test_texts_are_extracted_for_the_catalogue():
    source = '{{ _("One") }}\n{{ pgettext("page", "Two") }}\n{% trans n=books|length %}\n{{ n }} book\n' + (
        "{% pluralize %}{{ n }} books, 5%{% endtrans %}"
    )
    calls = python_calls(ENVIRONMENT.extract_translations(source)).splitlines()
    assert [line for line in calls if line] == [
        "_('One')",
        "pgettext('page', 'Two')",
        "ngettext('%(n)s book', '%(n)s books, 5%%')",
    ]
    assert calls.index("pgettext('page', 'Two')") == 1
    assert all(ast.parse(line) for line in calls)


def test_no_view_uses_the_name_of_a_variable_that_every_page_has():
    """Django's backend lets context processors replace the variables of the view."""
    request = RequestFactory().get("/")
    processors = engines["jinja2"].template_context_processors
    taken = {name for processor in processors for name in _names(processor, request)}
    assert {"user", "alternates", "LANGUAGE_CODE"} <= taken
    folders = [Path(settings.BASE_DIR) / package / "views" for package in PACKAGES]
    paths = [path for folder in folders for path in folder.rglob("*.py") if path.stem != "site_context"]
    used = {(path.name, key) for path in paths for key in _context_keys(path) if key in taken}
    assert not used


def _names(processor, request):
    request.user = None
    request._messages = []
    return processor(request)


def _context_keys(path):
    """Return the keys of the dictionaries that functions give to `render`, keep or return."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in (node for function in functions for node in ast.walk(function)):
        values = [*node.args[2:]] if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "render" else []
        values += [node.value] if isinstance(node, (ast.Assign, ast.Return)) else []
        for value in (value for value in values if isinstance(value, ast.Dict)):
            yield from (key.value for key in value.keys if isinstance(key, ast.Constant))


def test_pages_of_the_admin_are_in_the_language_of_django():
    assert get_template("admin/base_site.html").backend.name == "django"
    with pytest.raises(TemplateDoesNotExist):
        engines["jinja2"].get_template("admin/base_site.html")


@pytest.mark.parametrize("prefix", ["/", "/catalogue/", "/目録/"])
def test_addresses_are_those_of_django(prefix):
    names = [name for name in get_resolver().reverse_dict if isinstance(name, str)]
    arguments = ("M12", "R100000001-Iab_c", "R100000001", 5, "5", "05", "L7", "M12\n", "日本", "a b", "a/b", "..", "")
    made = set()
    before = get_script_prefix()
    set_script_prefix(prefix)
    try:
        for name, argument in product(names, arguments):
            expected = path_or_none(reverse, name, args=(argument,))
            assert path_or_none(url, name, argument) == expected, (name, argument)
            made.add(expected)
    finally:
        set_script_prefix(before)
    assert len(made) > 100


def path_or_none(make, *arguments, **named):
    try:
        return make(*arguments, **named)
    except NoReverseMatch:
        return None
