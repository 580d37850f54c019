"""Reviewing pairs about which the matcher is not certain: seeing the difference, ruling, undoing a ruling."""

import re

import pytest
from django.db.models import Count
from msgspec import structs
from playwright.sync_api import expect

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchRuling, Member, ReviewPair
from aggregator.tasks import carry_out_bulk_actions
from tests.aggregator.shelves import Shelf, doubtful
from tests.books import record
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
REVIEW = "/manage/matches/review"
TITLES = (("料理入門", "乙山, 花子"), ("日本の鉄道", "丙川, 三郎"), ("庭の草花", "丁野, 四郎"))
MORE_TITLES = (
    ("奈良の古寺", "戊山, 五郎"),
    ("化学実験法", "己川, 六郎"),
    ("会計学概論", "庚野, 七郎"),
    ("俳句歳時記", "辛島, 八郎"),
    ("登山の技術", "壬生, 九郎"),
    ("法律用語集", "癸丑, 十郎"),
    ("天体観測帖", "甲田, 春子"),
)


@pytest.fixture
def pairs(transactional_db) -> list[ReviewPair]:
    """Three pairs of similar records that the matcher does not group because of their years."""
    return in_doubt(TITLES)


def in_doubt(books: tuple[tuple[str, str], ...]) -> list[ReviewPair]:
    shelf = Shelf()
    for title, creator in books:
        for place, described in enumerate(doubtful(title, creator)):
            shelf.put(f"library {place}", f"{title} {place}", described)
    sum(aggregate_pending())
    found = list(ReviewPair.objects.filter(asked=True).order_by("-worth", "pk"))
    assert len(found) == len(books)
    return found


def title(page) -> str:
    """Return the title of the book under review."""
    return page.locator(".beside thead th").first.locator("a").first.inner_text()


def test_staff_answer_several_pairs_and_take_one_back(enter, pairs):
    page = enter(REVIEW)
    seen = [title(page)]
    assert page.locator(".beside").first.locator("tr.differs mark").count()
    with page.expect_navigation():
        page.get_by_role("button", name="Preview “The same book”").click()
    expect(page.get_by_role("heading", name="Groups afterwards")).to_be_visible()
    assert not MatchRuling.objects.exists()
    page.get_by_label("Reason").fill("増刷")
    with page.expect_navigation():
        page.get_by_role("button", name=re.compile("^The same book")).click()
    page.get_by_text("Your recent rulings").wait_for()
    seen.append(title(page))
    with page.expect_navigation():
        page.keyboard.press("n")
    page.get_by_text("are not the same").wait_for()
    seen.append(title(page))
    assert sorted(seen) == sorted(book_title for book_title, _creator in TITLES)
    page.keyboard.press("u")
    page.wait_for_url("**/pair?**")
    assert title(page) == seen[1]
    page.keyboard.press("s")
    page.wait_for_url(f"**{REVIEW}")
    rulings = MatchRuling.objects.filter(undone=None).order_by("pk")
    assert [(ruling.verdict, ruling.reason) for ruling in rulings] == [
        ("same", "増刷"),
        ("same", "Compared side by side."),
    ]
    assert MatchRuling.objects.exclude(undone=None).get().verdict == "not_same"
    assert page.problems == []


def test_ten_pairs_are_answered_by_the_keyboard_and_one_is_taken_back(enter, transactional_db):
    in_doubt(TITLES + MORE_TITLES)
    page = enter(REVIEW)
    seen = []
    for key in "snnsnnsnnn":
        seen.append(title(page))
        with page.expect_navigation():
            page.keyboard.press(key)
    assert len(set(seen)) == 10
    expect(page.locator(".beside")).to_have_count(0)  # no pair is left
    page.keyboard.press("u")
    page.wait_for_url("**/pair?**")
    assert title(page) == seen[-1]
    with page.expect_navigation():
        page.keyboard.press("s")
    verdicts = [ruling.verdict for ruling in MatchRuling.objects.filter(undone=None)]
    assert (verdicts.count("same"), verdicts.count("not_same")) == (4, 6)
    assert MatchRuling.objects.exclude(undone=None).count() == 1
    sum(aggregate_pending())
    assert not ReviewPair.objects.filter(asked=True).exists()
    assert page.problems == []


def test_letters_that_are_typed_are_no_answers_and_shortcuts_can_be_switched_off(enter, pairs):
    page = enter(REVIEW)
    page.get_by_label("Reason").press_sequentially("snl")
    page.get_by_label("Keyboard shortcuts").uncheck()
    page.keyboard.press("s")
    page.reload()
    expect(page.get_by_label("Keyboard shortcuts")).not_to_be_checked()
    expect(page.locator("kbd").first).not_to_be_visible()
    page.keyboard.press("n")
    assert not MatchRuling.objects.exists()


def test_after_equal_answers_the_rest_of_a_pattern_is_answered_by_the_keyboard(enter, transactional_db):
    in_doubt(TITLES + MORE_TITLES)
    page = enter("/manage/matches/")
    page.locator("table.questions a").first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".following li")).to_have_count(9)
    for _number in range(5):
        expect(page.locator(".offer")).to_have_count(0)
        with page.expect_navigation():
            page.keyboard.press("n")
    expect(page.locator(".offer")).to_have_count(2)  # both providers have a record in each pair
    with page.expect_navigation():
        page.keyboard.press("o")
    expect(page.get_by_role("button", name="Carry out for 5 rows")).to_be_visible()
    assert MatchRuling.objects.count() == 5
    page.get_by_label("Reason").fill("同じ型")
    with page.expect_navigation():
        page.get_by_role("button", name="Carry out for 5 rows").click()
    carry_out_bulk_actions()
    assert MatchRuling.objects.filter(verdict="not_same", by_pattern=True, undone=None).count() == 5
    assert page.problems == []


def test_a_pair_is_put_off(enter, pairs):
    page = enter(REVIEW)
    first = title(page)
    page.keyboard.press("l")
    page.wait_for_url("**after=**")
    assert title(page) != first


@VIEWS
def test_the_pages_have_no_accessibility_violation_and_fit_the_screen(enter, pairs, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    pair = pairs[0]
    page = enter(REVIEW, locale=locale, width=width, scheme=scheme)
    paths = (
        "/manage/matches/",
        f"{REVIEW}?kind=apart&pattern={pair.pattern}",
        REVIEW,
        f"/manage/matches/pair?first={pair.first.public_id}&second={pair.second.public_id}",
        f"/books/{pair.first.public_id}/why",
        f"/manage/matches/group?of={pair.first.public_id}",
    )
    for path in paths:
        page.goto(path)
        found = axe.run(page, options=AXE).response["violations"]
        assert [(violation["id"], violation["nodes"][0]["html"]) for violation in found] == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.goto(REVIEW)
    with page.expect_navigation():
        page.locator('button[name="try"]').first.click()
    assert axe.run(page, options=AXE).response["violations"] == []
    assert page.problems == []


@pytest.fixture
def group(transactional_db) -> str:
    """A record of a group with three descriptions, of which the first has twelve records."""
    shelf = Shelf()
    for place, pages in enumerate([320] * 12 + [322] * 3 + [318]):
        described = structs.replace(record("1", title="図書館概論", isbn="9784003101018"), extents=(f"{pages}p",))
        name = shelf.put(f"図書館 {place}", f"{place}", described).public_id
    sum(aggregate_pending())
    return name


def test_a_description_leaves_its_group_with_all_its_records(enter, group):
    page = enter(f"/manage/matches/group?of={group}")
    expect(page.get_by_text("16 records · 3 different descriptions")).to_be_visible()
    page.get_by_role("checkbox").and_(page.locator("li:has-text('322p') > label input")).check()
    page.get_by_label("Reason").fill("別の版")
    with page.expect_navigation():
        page.get_by_role("button", name="Separate what is selected").click()
    sum(aggregate_pending())
    sizes = Member.objects.values_list("manifestation").annotate(count=Count("pk")).values_list("count", flat=True)
    assert sorted(sizes) == [3, 13]
    assert page.problems == []


@VIEWS
def test_the_page_of_a_group_has_no_accessibility_violation_and_fits_the_screen(enter, group, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = enter(f"/manage/matches/group?of={group}", locale=locale, width=width, scheme=scheme)
    page.locator("summary").first.click()
    assert axe.run(page, options=AXE).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
