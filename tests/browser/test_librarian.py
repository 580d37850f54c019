"""The work of a librarian in a real browser: registering a provider, reading results, deciding about deletions."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from harvesting.models import BrokenPage, DateWindow, Feed, Harvest, HeldDeletion, Repository, SourceRecord
from harvesting.records.compression import pack_payload
from harvesting.registry.registration import register
from tests.browser.conftest import VIEWS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
AXE = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


@pytest.fixture
def waiting(staff):
    """A run with two held deletions, and with everything else that its page can show."""
    feed = Feed(base_url="https://a.example.jp/oai", failures=6, rest_until=timezone.now() + timedelta(hours=1))
    register(Repository(name="見本市立図書館", name_en="Sample City Library", state="live"), [feed])
    facts = {"count": 2, "live": 9, "sample": "oai:a:0, oai:a:1"}
    run = Harvest.objects.create(
        feed=feed, kind="full", state="paused", phase="sweep", code="safety.deletions", facts=facts, live_before=9
    )
    Harvest.objects.filter(pk=run.pk).update(observations={"run.clock_skew": {"count": 2, "facts": {"minutes": 14}}})
    for number in range(2):
        record = SourceRecord.objects.create(
            repository=feed.repository,
            feed=feed,
            identifier=f"oai:a:{number}",
            public_id=f"{feed.repository.number}-I{number}",
            payload=pack_payload(b"<script>alert(1)</script>"),
            payload_hash=b"x",
            changed_at=timezone.now(),
        )
        HeldDeletion.objects.create(harvest=run, record=record, deletion="absent")
    DateWindow.objects.create(feed=feed, harvest=run, state="gap", from_date="2026-01-01", code="http.500")
    BrokenPage.objects.create(harvest=run, url="https://a.example.jp/oai", code="xml.malformed")
    return run


def test_a_file_is_registered_by_keyboard_and_mouse(enter, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    page = enter("/admin/harvesting/repository/add/")
    page.get_by_label("Name:", exact=True).fill("見本図書館")
    first = page.locator("#feeds-0")
    first.get_by_label("Protocol:").select_option("file")
    chosen = {"name": "目録.csv", "mimeType": "text/csv", "buffer": "書名\nこころ".encode()}
    first.get_by_label("File:").set_input_files(chosen)
    first.locator("summary", has_text="Only if the provider requires it").focus()
    page.keyboard.press("Enter")
    first.get_by_label("Columns of CSV or TSV:").fill("書名 = title")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/repository/")
    feed = Feed.objects.get()
    assert (feed.protocol, feed.columns) == ("file", {"書名": "title"})
    assert str(tmp_path) not in page.content()
    assert page.problems == []


def test_a_fault_in_a_folded_part_is_shown(enter, waiting):
    page = enter(f"/admin/harvesting/feed/{waiting.feed_id}/change/")
    page.get_by_text("Login at the provider").click()
    page.get_by_label("Kind of login:").select_option("basic")
    page.get_by_label("User name:").fill("reader")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("This field is required for the selected kind of login").wait_for(state="visible")


def test_from_the_alarm_to_the_decision(enter, waiting):
    page = enter("/manage/")
    page.get_by_role("link", name=f"Decide about harvest #{waiting.pk} of Sample City Library").click()
    expect(page.get_by_text("oai:a:1").first).to_be_visible()
    page.get_by_label("Reason").fill("still on their shelves")
    page.get_by_role("button", name="Keep the records").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Keep the records")).not_to_be_visible()
    expect(page.get_by_text("taro").first).to_be_visible()
    assert not HeldDeletion.objects.exists()
    assert not SourceRecord.objects.filter(deleted=True).exists()
    assert page.problems == []


@VIEWS
def test_pages_have_no_accessibility_violation_and_fit_the_screen(enter, waiting, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = enter("/admin/", locale=locale, width=width, scheme=scheme)
    record = SourceRecord.objects.first()
    for path in (
        "repository/",
        f"repository/{waiting.feed.repository_id}/change/",
        "feed/",
        f"feed/{waiting.feed_id}/change/",
        "harvest/",
        f"harvest/{waiting.pk}/change/",
        f"harvest/{waiting.pk}/decision/",
        f"sourcerecord/{record.pk}/change/",
    ):
        page.goto(f"/admin/harvesting/{path}")
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
    assert page.problems == []
