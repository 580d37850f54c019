"""Harvests in a real browser: starting one, watching its progress, pausing, resuming, deciding about deletions."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from harvesting.harvest.run import harvest
from harvesting.models import BrokenPage, DailyCount, DateWindow, Feed, Harvest, HeldDeletion, SourceRecord
from harvesting.monitoring import daily_counts, verdicts
from harvesting.runs import lifecycle
from tests.browser.conftest import AXE, VIEWS
from tests.harvesting.batches import begin_run, harvest_records, make_records, new_feed, store_records
from tests.harvesting.conftest import feed_of, source  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def shown(staff):
    """Providers of every health colour, with everything their pages can show; one run is waiting, one is running."""
    well, asks, broken, busy = (new_feed() for _number in range(4))
    for count in (3, 9, 12):
        harvest_records(well, make_records(count))
    harvest_records(asks, make_records(40))
    waits = harvest_records(asks, make_records(10))
    lifecycle.fail(begin_run(broken), "http.404", {"permanent": 1, "url": "https://a.example.jp/oai"})
    running = begin_run(busy)
    store_records(running, make_records(4), resumption_token="token-2", complete_list_size=20)
    Harvest.objects.filter(pk=running.pk).update(worked=4)
    Harvest.objects.filter(feed=well).update(worked=80, rejected=1, received=4, created=3, updated=0, unchanged=0)
    run = well.harvests.first()
    Harvest.objects.filter(pk=run.pk).update(issue_counts={"warning": 12, "item_error": 1}, repeats=2, requests=9)
    DateWindow.objects.create(feed=well, harvest=run, state="gap", from_date="2026-01-01", code="http.500")
    BrokenPage.objects.create(harvest=run, url="https://a.example.jp/oai?verb=ListRecords", code="xml.malformed")
    for back in range(50):
        day = timezone.localdate() - timedelta(days=back)
        values = {"records": 100, "with_issues": 10 + back, "with_errors": back // 2, "counted_at": timezone.now()}
        DailyCount.objects.create(repository=well.repository, day=day, **values)
    verdicts.renew_some()
    return {"well": run, "waits": waits, "running": running}


def test_a_harvest_is_started_watched_paused_and_goes_on(enter, feed_of, source):  # noqa: F811
    feed = feed_of(source)
    page = enter(f"/manage/harvests/{feed.repository.number}/start")
    page.get_by_label("All records (full harvest)").check()
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text("has been queued").wait_for()
    run = Harvest.objects.get()
    seen = []

    def watch(current, _outcomes):
        if current.received == 4 and not seen:
            page.get_by_text("4 of 5 records").wait_for()
            seen.append(page.locator("progress").evaluate("bar => bar.value"))
            page.get_by_role("button", name="Pause").click()
            page.get_by_text("is being paused").wait_for()

    harvest(run, watch)
    assert seen == [pytest.approx(0.8)]
    assert run.state == "paused"
    page.get_by_role("button", name="Resume").click()
    page.get_by_text("will resume within seconds").wait_for()
    harvest(Harvest.objects.get())
    page.get_by_text("all 5 records received have been stored").wait_for()
    expect(page.locator("body")).to_contain_text("5 = 5 + 0 + 0 + 0 + 0")
    assert page.problems == []


def test_deletions_are_confirmed_with_a_reason(enter, shown):
    page = enter("/manage/")
    page.get_by_role("link", name="Decide about harvest").click()
    page.get_by_label("Reason").fill("除籍")
    page.get_by_role("button", name="Delete the records").click()
    page.get_by_text("taro").first.wait_for()
    assert SourceRecord.objects.filter(deleted=True).count() == 30
    assert not HeldDeletion.objects.exists()
    assert page.problems == []


def test_it_works_without_scripts(browser, live_server, enter, shown):
    page = enter("/manage/")
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, storage_state=page.context.storage_state()
    )
    plain = context.new_page()
    plain.goto(f"/manage/harvests/{shown['running'].pk}/")
    expect(plain.locator("progress")).to_have_attribute("value", "0.2000")
    with plain.expect_navigation():
        plain.locator("button[value=pause]").click()
    assert Harvest.objects.get(pk=shown["running"].pk).stop_request == "pause"
    context.close()


@VIEWS
def test_the_pages_have_no_accessibility_violation_and_fit_the_screen(enter, shown, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    number = Feed.objects.get(pk=shown["well"].feed_id).repository.number
    daily_counts.count(shown["well"].feed.repository_id, timezone.now())
    page = enter("/manage/", locale=locale, width=width, scheme=scheme)
    paths = ["", "harvests/", f"harvests/{number}/", f"harvests/{number}/start"]
    for path in (*paths, *(f"harvests/{run.pk}/" for run in shown.values())):
        page.goto(f"/manage/{path}")
        for summary in page.locator("main summary").all():
            summary.click()
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert page.problems == []
