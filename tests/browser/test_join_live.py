"""Registering a catalogue that is searched live, in a real browser: the pages of the wizard and of the source."""

import os

import pytest
from playwright.sync_api import expect

from harvesting.models import Feed
from sampleprovider.server import running
from sampleprovider.source import SampleSource
from tests.browser.conftest import AXE, VIEWS
from tests.browser.test_join import be_worker, go_on, no_queue, press_main  # noqa: F401  the fixture is used by every test
from tests.harvesting.conftest import sample

SHOTS = os.environ.get("SHOTS", "")
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def catalogue(settings):
    settings.HARVEST_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    settings.HARVEST_MIN_PAUSE = 0
    records = [sample(f"b{number}", title=f"図書館の本{number}") for number in range(1, 6)]
    with running([SampleSource(name="library", title="見本市立図書館", prefixes=("dcndl",), records=records)]) as base:
        yield f"{base}/library"


@VIEWS
def test_a_catalogue_is_registered_for_live_search(work, catalogue, locale, width, scheme):
    page = work("/manage/join/", locale=locale, width=width, scheme=scheme)
    press_main(page)
    page.locator("#id_base_url").fill(f"{catalogue}/sru")
    page.locator("#id_known_item").fill("図書館")
    look(page, "address")
    press_main(page)
    be_worker()
    page.reload()
    expect(page.locator("#id_indexes")).to_contain_text("title = dc.title")
    look(page, "offer")
    press_main(page)
    be_worker()
    page.reload()
    expect(page.locator("main")).to_contain_text("図書館の本1")
    look(page, "sample")
    press_main(page)
    press_main(page)
    page.locator("#id_name").fill("見本市立図書館")
    page.locator("#id_contact_email").fill("a@example.jp")
    press_main(page)
    look(page, "summary")
    press_main(page)
    feed = Feed.objects.get()
    look(page, "provider")
    page.goto(f"/manage/providers/{feed.repository.number}/feeds/{feed.pk}")
    look(page, "live")
    page.goto(f"/manage/harvests/{feed.repository.number}/")
    look(page, "harvests")


@VIEWS
def test_a_json_service_is_mapped_beside_a_record(work, catalogue, locale, width, scheme):
    page = work("/manage/join/", locale=locale, width=width, scheme=scheme)
    press_main(page)
    page.locator("#id_base_url").fill(f"{catalogue}/search.json?q={{words}}")
    page.locator("#id_protocol").select_option("live-json")
    press_main(page)
    be_worker()
    page.reload()
    expect(page.locator("#id_fields")).to_contain_text("title = title")
    expect(page.locator("main")).to_contain_text('"title": "図書館の本5"')
    look(page, "json")
    page.locator("#id_fields").fill("authors = creator")
    press_main(page)
    expect(page.locator(".fault").first).to_be_visible()


def look(page, name: str) -> None:
    """The page passes axe and does not scroll sideways. With SHOTS=FOLDER, a picture of it is kept there."""
    if SHOTS:
        width, language = page.viewport_size["width"], page.evaluate("document.documentElement.lang")
        page.screenshot(path=f"{SHOTS}/{name}-{width}-{language}.png", full_page=True)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert [problem["id"] for problem in axe.run(page, options=AXE).response["violations"]] == [], name
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
