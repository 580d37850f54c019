"""Staff change libraries, merge two that are one, and answer questions."""

import pytest
from playwright.sync_api import expect

from aggregator.models import Library, LibraryName
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
CENTRAL = "大阪府立中央図書館"


@pytest.fixture
def libraries(shelf, library):
    """Two entries for one real library, with books of each. The fixture `library` is the provider that reports them."""
    edited = {"edited": ["address", "telephone", "list:telephone"], "reading": "オオサカ フリツ チュウオウ トショカン"}
    first = shelf.library(CENTRAL, "2127", address="東大阪市荒本北1", telephone="06-1", prefecture="27", **edited)
    second = shelf.library(CENTRAL, "JP-1", kind="prefectural", address="東大阪市荒本北1丁目2番1号", holdings=1)
    second.codes.update(scheme="ISIL", value="JP-1002127")
    shelf.book(shelf.record(library), libraries=[first, second])
    for name in (CENTRAL, "神戸市立図書館"):
        LibraryName.objects.create(library=first, repository=library, name=name)
    return first, second


def at(library: Library, end: str = "") -> str:
    return f"/manage/libraries/L{library.pk}/{end}"


def test_a_field_is_changed_by_keyboard_and_given_back(enter, libraries):
    page = enter("/manage/libraries/?q=2127")
    page.get_by_role("link", name=CENTRAL).first.press("Enter")
    page.get_by_label("Opening hours").fill("9:00-19:00")
    page.get_by_label("Opening hours").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Saved.")
    expect(page.locator(".sourced", has_text="Opening hours")).to_contain_text("entered by people")
    page.get_by_role("button", name="Let lists change it – Opening hours").press("Enter")
    expect(page.locator(".sourced", has_text="Opening hours")).to_contain_text("not fixed")
    expect(page.get_by_label("Opening hours")).to_have_value("9:00-19:00")
    assert page.problems == []


def test_two_libraries_are_merged_from_the_question_and_parted_again(enter, libraries):
    page = enter("/manage/libraries/questions")
    page.get_by_role("link", name="Compare and merge").press("Enter")
    page.get_by_role("button", name="Merge").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("have been merged")
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("has been undone")
    assert not Library.objects.exclude(merged_into=None).exists()
    assert page.problems == []


@VIEWS
def test_the_pages_have_no_accessibility_violation(enter, libraries, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    first, second = libraries
    paths = ("/manage/libraries/", at(first), at(first, f"merge?with=L{second.pk}"), "/manage/libraries/questions")
    page = enter("/manage/", locale=locale, width=width, scheme=scheme)
    for path in (*paths, "/manage/libraries/new"):
        page.goto(path)
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, [(path, violation["id"], violation["nodes"][0]["html"]) for violation in found]
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
    assert page.problems == []
