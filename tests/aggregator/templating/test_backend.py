"""What is the same in every page of a language is part of its compiled template; the rest is looked up each time."""

import re

import pytest
from django.template import TemplateDoesNotExist
from django.test import override_settings
from django.utils.translation import override

from aggregator.templating.backend import INCLUDE, Pages
from tests.paths import ROOT

SOURCE = '<p title="{{ _("Search") }}">{{ _("Search") }} {{ url("about") }} {{ url("book", number) }}{{ _(other) }}</p>'


@pytest.fixture
def backend(tmp_path):
    (tmp_path / "page.html").write_text(SOURCE)
    (tmp_path / "outer.html").write_text('{% include "page.html" %}')
    (tmp_path / "child.html").write_text('{% extends "page.html" %}')
    (tmp_path / "row.html").write_text("{% set shown = row.name %}<b>{{ shown }}</b>\n")
    (tmp_path / "rows.html").write_text(
        '{% set shown = 1 %}{% for row in rows %}{{ loop.index }}{% include "row.html" %}{{ shown }}'
        '{% with rows=row.parts %}{% include "rows.html" %}{% endwith %}{% endfor %}'
    )
    (tmp_path / "unknown.html").write_text('{% if false %}{{ url("no-such-page") }}{% endif %}{{ static("a b.css") }}')
    options = {"environment": "aggregator.templating.environment.environment"}
    return Pages({"NAME": "pages", "DIRS": [tmp_path], "APP_DIRS": False, "OPTIONS": options})


def page(backend, name="page.html"):
    return backend.get_template(name).render({"number": "M1", "other": "Search"})


def test_each_language_has_its_own_texts_and_the_same_addresses(backend):
    for language, word in (("ja", "検索"), ("en", "Search"), ("ja", "検索")):
        with override(language):
            assert page(backend) == f'<p title="{word}">{word} /about /books/M1{word}</p>'


def compiled(backend, name="page.html"):
    """The constants of the compiled template."""
    return backend.get_template(name).template.root_render_func.__code__.co_consts


def test_constant_texts_are_not_looked_up_again(backend):
    with override("ja"):
        assert any("検索" in constant for constant in compiled(backend) if isinstance(constant, str))
        assert not any("Search" in constant for constant in compiled(backend) if isinstance(constant, str))


def test_a_page_that_is_rendered_in_another_language_than_it_was_looked_up_in_is_not_mixed_up(backend):
    with override("ja"):
        looked_up = backend.get_template("child.html")
    with override("en"):
        assert "Search /about" in looked_up.render({"number": "M1", "other": "Search"})
    with override("ja"):
        assert "検索 /about" in page(backend, "child.html")
        assert "検索 /about" in page(backend)


TREE = [{"name": "a<", "parts": [{"name": "b"}]}, {"name": "c"}]


@pytest.mark.parametrize("debug", [False, True])
def test_a_part_has_the_variables_around_it_and_a_scope_of_its_own_and_may_include_itself(backend, debug):
    backend.env.auto_reload = debug
    rendered = backend.get_template("rows.html").render({"rows": TREE})
    assert rendered == "1<b>a&lt;</b>\n11<b>b</b>\n12<b>c</b>\n1"


def test_a_part_is_compiled_with_its_page_unless_files_are_read_again_when_they_change(backend):
    with override("ja"):
        assert any("検索" in constant for constant in compiled(backend, "outer.html") if isinstance(constant, str))
    backend.env.auto_reload = True
    with override("en"):
        assert "page.html" in compiled(backend, "outer.html")


def test_no_part_of_a_page_extends_another_or_has_blocks():
    """In the page that it is compiled with, they would be those of the page."""
    folder = ROOT / "templates"
    sources = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.*")}
    parts = {name for source in sources.values() for name in INCLUDE.findall(source)}
    assert len(parts) > 50
    assert [name for name in sorted(parts) if re.search(r"\{%-? *(extends|block) ", sources[name])] == []


def test_an_address_that_does_not_exist_does_no_harm_where_it_is_never_shown(backend):
    with override_settings(STATIC_URL="/static/"):
        assert page(backend, "unknown.html").endswith("a%20b.css")


def test_a_missing_template_is_reported_as_django_expects(backend):
    with pytest.raises(TemplateDoesNotExist):
        backend.get_template("absent.html")
