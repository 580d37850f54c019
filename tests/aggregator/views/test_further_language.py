"""A further language is a catalogue file: every text of the main pages comes from it, and the site offers the language
like its own two.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core import mail
from django.utils import timezone, translation

from aggregator.browse.counting import count_headings
from aggregator.libraries.regions import MUNICIPALITIES, PREFECTURES, REGIONS
from aggregator.models import Library
from aggregator.query import costly_paths
from aggregator.statistics.contents import count_contents
from aggregator.views.public.help_page import FIELDS, OPERATORS, WORDS
from core.languages import installed, languages, without_prefix
from harvesting.models import Repository
from harvesting.notifications import outbox
from metadata.catalogue import general_sentence
from tests.catalogues import CLOSE, OPEN, bracketed, write_catalogue

CODE = "ko"  # Django has its own texts in this language, and this site none
WORD = re.compile(r"[A-Za-z]{2,}|[ぁ-んァ-ヶ一-鿿々]{2,}")
SPOKEN = ("alt", "aria-label", "placeholder", "title", "content", "label")
PAGES = (
    *(
        "/",
        "/search?q=こころ",
        "/search?q=nothing",
        "/search/advanced",
        "/search?q=a&type=nothing",
        "/search?language=eng",
    ),
    *("/search/values/ndc", "/search/history", "/alerts/new?q=こころ", "/list", "/libraries/", "/repositories/"),
    *(
        "/repositories/R900000001",
        "/rules/",
        "/rules/dcndl.W004",
        "/guide",
        "/validate/",
        "/data",
        "/terms",
        "/privacy",
    ),
    *("/help", "/about", "/accessibility", "/contact", "/dumps/", "/api/docs", "/login", "/nowhere"),
)


class Texts(HTMLParser):
    """Collects what people read or hear of a page: its text as one, and its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.flow: list[str] = []
        self.spoken: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._silent += tag in {"script", "style", "code"}
        self.spoken += [
            value or ""
            for name, value in attributes
            if name in SPOKEN or (name.startswith("data-") and " " in (value or ""))
        ]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in {"script", "style", "code"}

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.flow.append(data)


def words(page: str, *, outside: bool = False) -> set[str]:
    """Return the words of a page. outside: only those that are not between brackets."""
    texts = Texts()
    texts.feed(page)
    found: set[str] = set()
    for text in [" ".join(texts.flow), *texts.spoken]:
        found.update(WORD.findall(_outside(text) if outside else text))
    return found


def _outside(text: str) -> str:
    while (shorter := re.sub(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", " ", text)) != text:
        text = shorter
    return text


def names() -> set[str]:
    """Return the words of names and of examples to type, which differ by language and are not texts of the site."""
    rows = [*Library.objects.values_list("name", "name_en"), *Repository.objects.values_list("name", "name_en")]
    places = (*(region.place for region in REGIONS), *PREFECTURES.values(), *MUNICIPALITIES.values())
    rows += [(place.ja, place.en) for place in places]
    rows += [(example.japanese, example.english) for example in (*FIELDS, *OPERATORS, *WORDS)]
    return set(WORD.findall(" ".join([*(name for row in rows for name in row), *languages().values()])))


@pytest.fixture(scope="session")
def catalogues(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    write_catalogue(folder, CODE)
    return folder


@pytest.fixture
def korean(settings, catalogues) -> None:
    settings.LOCALE_PATHS = [catalogues, *settings.LOCALE_PATHS]
    settings.LANGUAGES = list(installed(settings.LOCALE_PATHS).items())


@pytest.fixture
def kokoro(shelf, library) -> str:
    shelf.library("中央図書館", "JP-1000001", name_en="Central Library")
    return f"M{shelf.book(shelf.record(library)).pk}"


def assert_own_texts_come_from_the_catalogue(client, path: str) -> None:
    english, japanese = (words(client.get(f"/{code}{path}", follow=True).text) for code in ("en", "ja"))
    page = client.get(f"/{CODE}{path}", follow=True).text
    own = (english ^ japanese) - names()  # what both pages have are data
    assert sorted(words(page, outside=True) & own) == []
    assert OPEN in page
    assert f'<html lang="{CODE}"' in page


@pytest.mark.parametrize("path", [*PAGES, "book", "why", "report", "holdings", "slip"])
def test_every_own_text_of_a_page_comes_from_the_catalogue(client, korean, kokoro, settings, path):
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "host": "mail.example.jp"}
    if not path.startswith("/"):
        path = f"/books/{kokoro}" + ("" if path == "book" else f"/{path}")
    assert_own_texts_come_from_the_catalogue(client, path)


@pytest.mark.parametrize("path", ["/", "/statistics/", "/statistics/?rows=licence&columns=decade", "/browse/"])
def test_every_own_text_about_counts_comes_from_the_catalogue(client, korean, kokoro, path):
    count_contents(timezone.now())
    for _books in count_headings():
        pass
    assert_own_texts_come_from_the_catalogue(client, path)


def test_the_language_is_offered_on_every_page(client, korean, kokoro):
    page = client.get(f"/en/books/{kokoro}").text
    assert f'<a href="/{CODE}/books/{kokoro}" lang="{CODE}" hreflang="{CODE}" rel="alternate">한국어</a>' in page
    assert f'<link rel="alternate" hreflang="{CODE}" href="http://127.0.0.1:8000/{CODE}/books/{kokoro}">' in page


def test_the_language_is_chosen_by_browser_address_and_cookie(client, korean, kokoro):
    assert f'lang="{CODE}"' in client.get("/about", headers={"Accept-Language": "ko-KR,en;q=0.5"}).text
    assert 'lang="ja"' in client.get("/about").text
    client.get(f"/{CODE}/about")
    assert f'lang="{CODE}"' in client.get("/help").text


def test_addresses_of_the_language_have_the_limits_of_all_addresses(korean):
    assert costly_paths.kind(f"/{CODE}/search") == costly_paths.kind("/search") == costly_paths.SEARCH
    assert [without_prefix(path) for path in (f"/{CODE}/a", f"/{CODE}", "/korea", "/en/a", "a")] == [
        (CODE, "/a"),
        (CODE, "/"),
        ("", "/korea"),
        ("en", "/a"),
        ("", "a"),
    ]


def test_crawlers_are_told_of_the_language(client, korean, db):
    assert f"Disallow: /{CODE}/search" in client.get("/robots.txt").text


def test_texts_beside_each_other_are_translated_from_english(korean):
    rule, english = "dcndl.W004", general_sentence("dcndl.W004", "en")
    assert general_sentence(rule, CODE) == bracketed(english)
    assert general_sentence(rule, "ja") not in {english, bracketed(english)}
    assert general_sentence(rule, "de") == english


def test_mails_can_be_in_the_language(client, korean, shelf, settings):
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "host": "mail.example.jp"}
    client.post(f"/{CODE}/alerts/new?q=a", {"email": "a@example.jp", "how": "daily"})
    outbox.send_due()
    body = "\n".join(line for line in mail.outbox[0].body.splitlines() if "://" not in line)
    assert not set(WORD.findall(_outside(body)))


def test_names_are_in_english_for_all_but_japanese_readers(korean, kokoro):
    for code, name in (("ja", "中央図書館"), ("en", "Central Library"), (CODE, "Central Library")):
        with translation.override(code):
            assert Library.objects.get(name="中央図書館").label == name


def test_a_catalogue_beside_the_data_adds_a_language(tmp_path):
    catalogue = tmp_path / "zh_Hans" / "LC_MESSAGES" / "django.mo"
    catalogue.parent.mkdir(parents=True)
    catalogue.touch()
    assert installed([tmp_path]) == {"ja": "日本語", "en": "English", "zh-hans": "简体中文"}
