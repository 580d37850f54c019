"""Staff make an enrichment rule with the keyboard, see what it changes, use it and undo it; all pages are in order."""

import pytest
from playwright.sync_api import expect

from harvesting.enrichment import applying, versions
from harvesting.models import SourceRecord
from metadata.enrichment.rules import Condition, Fixed, MapCodes, Replace, Split
from tests.browser.conftest import VIEWS
from tests.browser.test_people import fine
from tests.harvesting.batches import harvest_records, live, new_feed

pytestmark = pytest.mark.browser
RULES = (
    Replace(name="巻次の「第」と「巻」を取る", field="volume", find=r"第(\d+)巻", replacement=r"\1", pattern=True),
    Fixed(
        name="権利",
        field="rights",
        value="CC0",
        conditions=(Condition(field="rights", test="empty"), Condition(field="title", test="contains", value="本")),
    ),
    MapCodes(name="種別", field="form", codes=(("1", "図書"), ("2", "雑誌"))),
    Split(name="著者", field="creator", separator=", "),
)


@pytest.fixture
def provider(transactional_db):
    feed = new_feed()
    harvest_records(feed, [live(str(number), volume=f"第{number}巻") for number in range(12)])
    return feed.repository


def work_off() -> None:
    while applying.has_work():
        applying.carry_out()


def test_staff_make_a_rule_with_the_keyboard_use_it_and_undo_it(enter, provider):
    page = enter(f"/manage/providers/{provider.number}/")
    page.get_by_role("link", name="View and change the rules").press("Enter")
    page.get_by_role("link", name="Find and replace").press("Enter")
    page.get_by_label("Name of the rule").fill("巻次")
    page.get_by_label("Field").first.select_option("volume")
    page.get_by_label("Find").fill(r"第(\d+)巻")
    page.get_by_label("Replace by").fill(r"\1")
    page.get_by_label("It is a pattern").press("Space")
    page.get_by_role("button", name="Show what would change").press("Enter")
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()
    expect(page.locator("ins").first).to_have_text("0")
    fine(page)
    page.get_by_label("Reason").fill("提供元の誤り")
    page.get_by_role("button", name="Use these rules").press("Enter")
    expect(page.get_by_text("The records are being read again", exact=True)).to_be_visible()
    work_off()
    expect(page.get_by_role("heading", name="What the rules did")).to_be_visible()
    page.get_by_role("button", name="Use again").press("Enter")
    expect(page.get_by_text("Version 0 of the rules is in use again.")).to_be_visible()


@VIEWS
def test_every_page_is_in_order_in_every_look(enter, staff, provider, locale, width, scheme):
    versions.store(provider, RULES[:1], staff, "提供元の誤り")
    work_off()
    versions.store(provider, RULES, staff)
    record = SourceRecord.objects.earliest("pk").public_id
    base = f"/manage/providers/{provider.number}/rules"
    for path in (f"{base}/", f"{base}/rule?at=1", f"{base}/rule?kind=codes", f"/manage/records/{record}/"):
        fine(enter(path, locale=locale, width=width, scheme=scheme))
    page = enter(f"{base}/rule?at=0", locale=locale, width=width, scheme=scheme)
    page.locator("form.check-form button").first.click()
    page.locator("#preview").wait_for()
    fine(page)
