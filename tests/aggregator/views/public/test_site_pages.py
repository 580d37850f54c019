"""Pages about the site."""

import re

import pytest

from aggregator.search.query.language import parse
from aggregator.search.tree import All, Either, Not, Phrase, Word, Years
from aggregator.views.public.help_page import FIELDS, OPERATORS, WORDS
from aggregator.views.public.sitemaps import TEXTS

TREES = {
    '"吾輩は猫である"': Phrase("吾輩は猫である"),
    "猫 OR 犬": Either((Word("猫"), Word("犬"))),
    "猫 -漫画": All((Word("猫"), Not(Word("漫画")))),
    "(猫 OR 犬) 写真": All((Either((Word("猫"), Word("犬"))), Word("写真"))),
    "書名:こころ": Word("こころ", "title"),
    "著者:漱石": Word("漱石", "creator"),
    "出版者:岩波": Word("岩波", "publisher"),
    "件名:図書館": Word("図書館", "subject"),
    "分類:913": Word("913", "ndc"),
    "出版年:1990-2000": Years(1990, 2000),
    "出版年:2010-": Years(2010, 0),
    '-出版者:"岩波書店"': Not(Phrase("岩波書店", "publisher")),
}


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("name", [*TEXTS, "help"])
def test_each_page_exists_in_each_language_and_is_linked_everywhere(client, shelf, name, language):
    assert client.get(f"/{language}/{name}").status_code == 200
    assert f'href="/{name}"' in client.get("/").text


@pytest.mark.parametrize("example", [*OPERATORS, *FIELDS], ids=lambda example: example.japanese)
def test_help_examples_are_parsed_as_described_in_both_languages(example):
    assert parse(example.typed("ja")) == parse(example.typed("en")) == TREES[example.japanese]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_help_examples_can_be_clicked(client, shelf, language):
    page = client.get(f"/{language}/help")
    for example in (*WORDS, *OPERATORS, *FIELDS):
        assert client.get("/search", {"q": example.typed(language)}).status_code == 200
        assert example.typed(language).replace('"', "&#34;") in page.text


def test_the_operator_and_an_email_address_are_shown(client, shelf, settings):
    settings.SITE_OPERATOR, settings.SITE_CONTACT = "見本図書館協会", "desk@example.jp"
    page = client.get("/contact").text
    assert "見本図書館協会" in page
    assert '<a href="mailto:desk@example.jp">' in page
    assert "見本図書館協会" in client.get("/about").text


@pytest.mark.parametrize(("contact", "href"), [("https://example.jp/form", "https://example.jp/form"), ("x:y", "")])
def test_a_contact_address_is_linked_if_it_is_a_web_address(client, shelf, settings, contact, href):
    settings.SITE_CONTACT = contact
    assert f'href="{href}">{contact}</a>' in client.get("/contact").text


def test_a_missing_contact_address_is_stated(client, shelf):
    assert "has not published a contact address" in client.get("/en/contact").text


def test_the_cached_frame_depends_on_page_and_language(client, db):
    texts = {
        path: client.get(path).text for path in ("/ja/help", "/ja/repositories/", "/en/help", "/en/repositories/") * 2
    }
    marked = {path: re.findall(r'<a href="([^"]+)" aria-current="page">([^<]+)', text) for path, text in texts.items()}
    assert [[where for where, _name in links] for links in marked.values()] == [["/help"], ["/repositories/"]] * 2
    assert marked["/ja/help"] != marked["/en/help"]
    assert "Librarian and staff login" in texts["/en/help"]
    assert "Librarian and staff login" not in texts["/ja/help"]


def test_the_search_box_of_other_pages_is_empty(client, shelf):
    client.get("/en/help")
    assert 'value="kokoro"' in client.get("/en/search?q=kokoro").text
    assert 'value="kokoro"' not in client.get("/en/help").text
