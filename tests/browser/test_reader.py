"""A reader in a real browser without JavaScript: searching, choosing a book, going to the provider."""

import re

import pytest
from django.utils import timezone
from msgspec.structs import replace
from playwright.sync_api import expect

from aggregator.models import UseCount
from aggregator.statistics.contents import count_contents
from metadata.record import File, Item, Subject, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views import shelf as shelves
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import AXE, VIEWS
from tests.browser.test_results import check

pytestmark = pytest.mark.browser


@pytest.fixture
def book(shelf, library, archive):
    """A book that two providers hold. One record has an issue; the last harvest of the other provider failed."""
    source = shelf.record(library)
    shelf.book(source, shelf.record(archive))
    shelf.issue(source, "dcndl.W012", "warning", field="identifier", value="4-00-310111-X")
    shelves.harvest(library)
    shelves.harvest(archive, state="failed", code="http.503", facts={"url": "https://x.example.jp/oai"})
    return source


def test_from_the_search_box_to_the_provider(visit, book):
    page = visit("/")
    page.locator("#q").fill("こころ")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit")).to_have_count(1)
    page.locator(".hit h3 a").click()
    expect(page.locator(".holding")).to_have_count(2)
    link = page.get_by_role("link", name="Go to the top page of 中央図書館").first
    expect(link).to_have_attribute("href", "https://library.example.jp/")
    assert page.problems == []


def test_the_own_record_opens_its_xml_without_javascript(visit, book):
    page = visit(f"/books/{book.public_id}?source=1")
    page.get_by_text("Show the XML").click()
    expect(page.locator("pre")).to_have_text(re.compile("^<dc>"))


# Lines on which the letters of the longest word stand.
LINES_OF_LONGEST_WORD = """heading => {
  const text = heading.firstChild, words = text.data.split(/\\s+/);
  const longest = words.reduce((one, other) => other.length > one.length ? other : one);
  const range = document.createRange(), start = text.data.indexOf(longest);
  range.setStart(text, start);
  range.setEnd(text, start + longest.length);
  return range.getClientRects().length;
}"""


def test_no_word_of_a_long_title_is_broken_on_a_phone(visit, shelf, library):
    title = (
        "Processed dataset for groundwater quality assessment with sustainable management recommendations: a case study"
    )
    record = replace(KOKORO, titles=(Title(value=title),))
    source = shelf.record(library, record)
    shelf.book(source, record=record)
    page = visit(f"/books/{source.public_id}", width=360)
    assert page.locator("h1").evaluate(LINES_OF_LONGEST_WORD) == 1


def test_a_library_whose_name_does_not_fit_beside_its_button_is_not_broken(visit, shelf, library):
    holder = shelf.library("見本学園大学学術リポジトリ", "2101")
    record = replace(KOKORO, items=(Item(library_code="2101"),))
    book = shelf.book(shelf.record(library, record), record=record, libraries=[holder])
    page = visit(f"/books/M{book.pk}", locale="ja")
    name = page.locator("li.shelf h3").first.evaluate("h3 => h3.querySelector('a').getClientRects().length")
    assert name == 1


def test_the_language_link_changes_the_page_and_the_choice_is_kept(visit, book):
    page = visit("/search?q=こころ")
    page.get_by_role("link", name="日本語").click()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.locator("#q")).to_have_value("こころ")
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "ja")


def test_everything_is_reached_by_keyboard_beginning_with_the_skip_link(visit, book):
    page = visit("/search?q=こころ")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    for _press in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('href') || document.activeElement.tagName"))
    assert {f"/books/{book_id(book)}", "https://library.example.jp/", "INPUT", "BUTTON", "SUMMARY"} <= reached


@VIEWS
def test_pages_have_no_accessibility_violation_and_fit_the_screen(visit, book, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    UseCount.objects.create(kind="all", day=timezone.localdate(), opened=3, followed=1)
    count_contents(timezone.now())
    page = visit("/", locale=locale, width=width, scheme=scheme)
    for path in (
        "/",
        "/statistics/",
        "/search?q=こころ&repository=R900000001",
        "/search?q=ない",
        "/search?x=1",
        f"/books/{book.public_id}",
        f"/books/{book.public_id}?source=1",
        f"/books/{book.public_id}/report",
        "/repositories/",
        "/repositories/R900000001",
        f"/repositories/R900000001/links?record={book.public_id}",
        "/about",
        "/help",
        "/accessibility",
        "/contact",
        "/oai?verb=ListSets",
        "/dumps/",
        "/nope",
    ):
        page.goto(path)
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path


@VIEWS
def test_a_work_of_two_volumes_leads_to_a_book_whose_citation_is_copied(visit, shelf, library, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    records = [
        replace(
            KOKORO,
            volumes=(Title(value=volume),),
            subjects=(Subject(value="913.6", scheme="NDC10"), Subject(value="友情", scheme="NDLSH")),
            files=(File(uri="https://x.example.jp/manifest.json", type="iiif"), File(uri="https://x.example.jp/1.pdf")),
        )
        for volume in ("下", "上")
    ]
    books = [shelf.book(shelf.record(library, record), record=record) for record in records]
    type(books[0]).objects.update(work=books[0].pk)
    other = replace(records[0], titles=(Title(value="友だち"),), volumes=())
    shelf.book(shelf.record(library, other), record=other)
    page = visit("/search?q=こころ", locale=locale, width=width, scheme=scheme)
    expect(page.locator(".volumes a")).to_have_count(2)
    check(axe, page, "volumes")
    page.locator(".volumes a").first.click()
    page.wait_for_url(f"**/books/M{books[1].pk}")
    page.locator(".exports summary").click()
    check(axe, page, "menu", ".exports")
    page.locator(".exports summary").click()
    expect(page.locator(".similar a")).to_have_count(1)
    page.locator("[data-copy=reference-1]").click()
    expect(page.locator("[data-status]")).to_have_text("Copied." if locale == "en" else "コピーしました。")
    check(axe, page, "book")
    assert page.problems == []
