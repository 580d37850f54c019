"""The pages about issues: an issue is found, explained, corrected by the provider, fetched again and resolved."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from aggregator.bulk.table import ACTIONS
from aggregator.tasks import aggregate
from harvesting.bulk import running
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import BulkAction, Harvest, RecordIssue, Repository, SourceRecord
from tests.browser.conftest import AXE, VIEWS
from tests.harvesting.conftest import feed_of, sample, source  # noqa: F401  a provider on loopback

pytestmark = pytest.mark.browser
WRONG = "978-4-00-310101-0"


@pytest.fixture
def faulty(transactional_db, source, feed_of):  # noqa: F811
    """The provider's source, harvested with a wrong ISBN in one of its records."""
    source.update([sample("b1", "2026-01-11T00:00:00Z", title="見本の本1", isbn=WRONG)])
    feed = feed_of(source)
    harvest(create_harvest(feed))
    aggregate()
    return source


def record() -> SourceRecord:
    return SourceRecord.objects.get(identifier="oai:sample:b1")


def bulk_action(name: str, person) -> BulkAction:
    return running.prepare(ACTIONS[name], person, "")


def test_a_fault_is_found_explained_and_seen_resolved(enter, faulty):
    page = enter("/manage/")
    page.get_by_role("link", name="Issues", exact=True).first.click()
    page.get_by_role("link", name="見本図書館").first.click()
    expect(page.get_by_text("20.0%").first).to_be_visible()
    page.get_by_role("link", name="oai:sample:b1").first.click()
    mark = page.locator("pre .line:has(mark)").first
    expect(mark).to_contain_text(WRONG)
    expect(page.get_by_text("What to do").first).to_be_visible()
    soon = (datetime.now(UTC) + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    faulty.update([sample("b1", soon, title="見本の本1", isbn="978-4-00-310101-8")])
    page.get_by_role("button", name="Fetch again from the provider").click()
    expect(page.get_by_text("0 done")).to_be_visible()
    call_command("dispatch", "--once", "--work")
    page.get_by_text("Of 1 record, 1 has been corrected.").wait_for()
    page.get_by_role("link", name="oai:sample:b1").click()
    page.get_by_text("resolved issue").first.click()
    expect(page.get_by_text("corrected by the provider").first).to_be_visible()
    page.get_by_role("link", name="Compare with the following version").click()
    expect(page.locator(".diff ins").first).to_contain_text("978-4-00-310101-8")
    assert page.problems == []


def test_a_fault_is_ignored_with_a_reason_and_counts_again(enter, faulty):
    page = enter(f"/manage/issues/{Repository.objects.get().number}/")
    page.get_by_text("Ignore this rule for this provider").first.click()
    page.get_by_label("Reason").first.fill("古い目録のまま")
    page.get_by_role("button", name="Ignore", exact=True).first.click()
    expect(page.get_by_text("古い目録のまま")).to_be_visible()
    page.get_by_role("button", name="Stop ignoring").click()
    expect(page.get_by_text("is no longer ignored")).to_be_visible()
    assert page.problems == []


def test_selected_issues_are_ignored_and_undone_with_the_keyboard_alone(enter, faulty):
    page = enter(f"/manage/issues/list?repository={Repository.objects.get().number}")
    page.locator('input[name="row"]').first.focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Preview").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 selected row")).to_be_visible()
    page.get_by_label("Reason").focus()
    page.keyboard.type("古い目録のまま")
    page.keyboard.press("Enter")
    expect(page.get_by_text("In progress: 0 of 1.")).to_be_visible()
    call_command("dispatch", "--once", "--work")
    page.get_by_role("button", name="Undo for 1 row").focus()
    assert RecordIssue.objects.exclude(ignored=None).count() == 1
    page.keyboard.press("Enter")
    expect(page.get_by_text("Undoing: 0 of 1.")).to_be_visible()
    call_command("dispatch", "--once", "--work")
    expect(page.get_by_text("Undone").first).to_be_visible()
    assert not RecordIssue.objects.exclude(ignored=None).exists()
    assert page.problems == []


@VIEWS
def test_the_pages_have_no_accessibility_violation_and_fit_the_screen(enter, staff, faulty, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    number, name = Repository.objects.get().number, record().public_id
    issue = RecordIssue.objects.filter(source_record=record()).first()
    page = enter("/manage/issues/", locale=locale, width=width, scheme=scheme)
    bulks = [bulk_action(name, staff) for name in ("issues.ignore", "records.ask", "providers.schedule")]
    run = Harvest.objects.get()
    bulks.append(running.prepare(ACTIONS["harvests.undo"], staff, f"harvest={run.pk}"))
    running.confirm(bulks[1], ACTIONS["records.ask"], staff, {})
    running.carry_out(ACTIONS)
    paths = (
        "/manage/bulk/",
        f"/manage/harvests/{run.pk}/",
        *(f"/manage/bulk/{bulk.pk}" for bulk in bulks),
        "/manage/providers/",
        "/manage/records/list",
        "/manage/records/list?state=deleted",
        "/manage/issues/",
        f"/manage/issues/{number}/",
        f"/manage/issues/list?repository={number}",
        f"/manage/issues/list?code={issue.code}&value=978",
        "/manage/issues/list?state=ignored",
        "/manage/issues/list?state=resolved",
        f"/manage/issues/{number}/letter?language={locale}",
        "/manage/records/",
        "/manage/records/?q=nothing",
        f"/manage/records/{name}/?issue={issue.pk}",
        "/manage/records/duplicates/",
        "/manage/records/isbns/",
    )
    for path in paths:
        page.goto(path)
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        found = axe.run(page, options=AXE).response["violations"]
        assert [(violation["id"], violation["nodes"][0]["html"]) for violation in found] == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert page.problems == []
