"""The live search: the parts fill as catalogues answer; our own results are there at once; whole without a script."""

import os
import re
import threading
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from aggregator.live import asking
from aggregator.models import LiveDay, LiveState
from core.work.pool import Pool
from harvesting.models import Repository
from tests.aggregator.live.conftest import _no_answers, found, record, registered  # noqa: F401  (shared fixtures)
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import AXE, VIEWS
from tests.harvesting.fakeserver import Answer, FakeServer, Request, serving

pytestmark = pytest.mark.browser
WORDS = "%E3%81%93%E3%81%93%E3%82%8D"
TITLES = (
    "こころ",
    "こころ : 坊っちゃん",
    "『こころ』の研究",
    "Kokoro : a novel",
    "心",
    "心の処方箋",
    "漱石とこころ",
)


class Catalogues:
    """Three servers: one answers, one answers when it is told to, one answers with nonsense."""

    def __init__(self, quick: FakeServer, slow: FakeServer, broken: FakeServer) -> None:
        self.quick, self.slow, self.broken = quick, slow, broken
        self.ready = threading.Event()
        records = [record(title, creator="夏目漱石", publisher="岩波書店", date="1914") for title in TITLES]
        links = [f"https://foreign.example/{number}" for number in range(len(TITLES))]
        quick.answers(found(records, total=1234, links=links))
        broken.answers(Answer(b"<html>"))
        slow.answer = self.answer_when_ready

    def answer_when_ready(self, _request: Request) -> Answer:
        self.ready.wait(30)
        return found([record("おそいこころ")], total=1)


@pytest.fixture
def servers(shelf, library, monkeypatch):
    # The threads of the pool cannot use the in-memory database of a test.
    book = shelf.book(shelf.record(library))
    monkeypatch.setattr(asking, "POOL", Pool(6, 40))
    monkeypatch.setattr(asking, "note", lambda repository, outcome: None)
    monkeypatch.setattr(
        asking, "own_books", lambda records: [book.pk if one.title == KOKORO.title else 0 for one in records]
    )
    with serving() as quick, serving("127.0.0.2") as slow, serving("127.0.0.3") as broken:
        catalogues = Catalogues(quick, slow, broken)
        for number, server in enumerate((quick, slow, broken), 1):
            registered(server, f"R90000010{number}")
        registered(quick, "R900000104", protocol="live-link").feeds.update(
            base_url="https://foreign.example/find?q={searchTerms}"
        )
        yield catalogues
        catalogues.ready.set()


def part(page, number: int):
    return page.locator(f"[data-live-part=R90000010{number}]")


def search(visit, **options):
    """Open a page of results, which makes the browser a reader, and go on to the other catalogues."""
    page = visit(f"/search?q={WORDS}", **options)
    page.locator("[data-live-offer] a").click()
    return page


def test_each_part_is_filled_when_its_catalogue_answers(visit, servers):
    page = search(visit)
    expect(part(page, 1)).to_contain_text("1,234 results the first 7 here")
    expect(part(page, 3)).to_contain_text("not giving a readable answer")
    expect(part(page, 2)).to_contain_text("Searching this catalogue")
    expect(page.locator("[data-live-status]")).to_contain_text("3 of 4 catalogues")
    servers.ready.set()
    expect(part(page, 2)).to_contain_text("おそいこころ")
    expect(page.locator("[data-live-status]")).to_contain_text("4 of 4 catalogues")
    expect(part(page, 4).get_by_role("link")).to_have_attribute("href", re.compile("^https://foreign.example/find"))
    assert page.problems == []
    assert [len(server.requests) for server in (servers.quick, servers.slow, servers.broken)] == [1, 1, 1]


def test_our_book_is_shown_with_one_holder_more(visit, servers):
    page = search(visit)
    own = part(page, 1).locator("li.live-hit.own")
    expect(own).to_have_count(1)
    expect(own).to_contain_text("1 library")
    expect(own.get_by_role("link", name="Foreign Library 01")).to_have_attribute("href", "https://foreign.example/0")


def test_a_catalogue_that_does_not_answer_is_given_up_after_three_seconds(visit, servers):
    page = search(visit)
    expect(part(page, 2)).to_contain_text("did not answer within three seconds", timeout=8000)


def test_without_a_script_the_page_comes_again_by_itself(browser, live_server, servers):
    servers.ready.set()
    context = browser.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/search?q={WORDS}")
    page.locator("[data-live-offer] a").click()
    expect(part(page, 1)).to_contain_text("1,234 results")
    expect(part(page, 2)).to_contain_text("おそいこころ")
    context.close()


def test_where_the_operator_wants_it_they_are_loaded_below_our_own_results(visit, servers, settings):
    settings.LIVE_ALWAYS = True
    page = visit(f"/search?q={WORDS}")
    expect(page.locator(".hit")).to_have_count(1)
    expect(part(page, 1)).to_contain_text("1,234 results")
    expect(page.locator(".hit .held [data-live-holder]")).to_have_text("Foreign Library 01")
    assert page.problems == []


def test_the_parts_are_reached_by_keyboard(visit, servers):
    page = search(visit)
    summary = part(page, 1).locator("summary")
    expect(summary).to_be_visible()
    summary.focus()
    page.keyboard.press("Enter")
    expect(part(page, 1).locator(".live-hit").nth(6)).to_be_visible()


@VIEWS
def test_the_pages_have_no_barriers_and_fit(visit, servers, settings, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    servers.ready.set()
    page = search(visit, locale=locale, width=width, scheme=scheme)
    expect(part(page, 2)).to_contain_text("おそいこころ")
    assert_good(page, axe, f"live-{locale}-{width}-{scheme}", width)
    settings.LIVE_ALWAYS = True
    page.goto(f"/search?q={WORDS}&sort=newest")
    expect(part(page, 2)).to_contain_text("おそいこころ")
    assert_good(page, axe, f"results-{locale}-{width}-{scheme}", width)


@VIEWS
def test_the_page_of_staff_has_no_barriers_and_fits(enter, servers, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for provider in Repository.objects.filter(number__startswith="R90000010"):
        LiveState.objects.create(
            repository=provider, answered_at=timezone.now(), failures=3, failure="net.timeout", checks_failed=2,
            check_failure="live.nothing_found", paused_until=timezone.now() + timedelta(hours=1),
        )  # fmt: skip
        for day in range(20):
            LiveDay.objects.create(
                repository=provider, day=timezone.localdate() - timedelta(days=day), calls=40 + day, answered=30,
                errors={"net.timeout": 8, "http.500": 2 + day}, latency=[5, 10, 9, 4, 2, 0, 10 + day],
            )  # fmt: skip
    page = enter("/manage/live/", locale=locale, width=width, scheme=scheme)
    expect(page.locator("figure.plot")).to_have_count(8)
    assert_good(page, axe, f"staff-{locale}-{width}-{scheme}", width)


def assert_good(page, axe, name: str, width: int) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found_out = axe.run(page, options=AXE).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found_out] == []
