"""What is the same in every page of a language is part of its compiled template; the rest is looked up each time."""

import pytest
from django.template import TemplateDoesNotExist
from django.test import override_settings
from django.utils.translation import override

from aggregator.templating.backend import Pages

SOURCE = '<p title="{{ _("Search") }}">{{ _("Search") }} {{ url("about") }} {{ url("book", number) }}{{ _(other) }}</p>'


@pytest.fixture
def backend(tmp_path):
    (tmp_path / "page.html").write_text(SOURCE)
    (tmp_path / "outer.html").write_text('{% include "page.html" %}')
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
        looked_up = backend.get_template("outer.html")
    with override("en"):
        assert "Search /about" in looked_up.render({"number": "M1", "other": "Search"})
    with override("ja"):
        assert "検索 /about" in page(backend, "outer.html")
        assert "検索 /about" in page(backend)


def test_an_address_that_does_not_exist_does_no_harm_where_it_is_never_shown(backend):
    with override_settings(STATIC_URL="/static/"):
        assert page(backend, "unknown.html").endswith("a%20b.css")


def test_a_missing_template_is_reported_as_django_expects(backend):
    with pytest.raises(TemplateDoesNotExist):
        backend.get_template("absent.html")
