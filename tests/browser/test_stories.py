"""Three stories of librarians and staff, in both languages, by mouse and by keyboard alone, counted in steps.

A step is what a person decides: to follow a link, press a button, choose an option or fill in a field. Moving to
the next field with the Tab key is none.
"""

import pytest
from django.core.management import call_command
from django.utils import translation
from django.utils.translation import gettext
from playwright.sync_api import Locator, Page, expect

from aggregator.models import MatchRuling
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, IgnoredIssue, Repository
from harvesting.monitoring import verdicts
from tests.aggregator.views import records_with_issues
from tests.browser.test_join import be_worker, no_queue  # noqa: F401  the fixture is used by every test
from tests.browser.test_review import TITLES, in_doubt
from tests.harvesting.conftest import feed_of, source  # noqa: F401  a provider on loopback

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WAYS = pytest.mark.parametrize(
    ("locale", "keys"),
    [
        pytest.param("ja", True, id="ja-keyboard"),
        pytest.param("en", False, id="en-mouse"),
        pytest.param("ja", False, id="ja-mouse"),
        pytest.param("en", True, id="en-keyboard"),
    ],
)
MOST_TABS = 400  # until the focus has passed everything on a page


class Walk:
    """A person on a page: does each step with the mouse, or with the keyboard alone, and counts the steps."""

    def __init__(self, page: Page, locale: str, keys: bool) -> None:
        self.page, self.locale, self.keys, self.steps = page, locale, keys, 0

    def words(self, text: str) -> str:
        """Return a text of the site in the language of this person."""
        with translation.override(self.locale):
            return gettext(text)

    def follow(self, target: Locator) -> None:
        """Follow a link or press a button that leads to another page."""
        with self.page.expect_navigation():
            self._act(target)

    def main(self) -> None:
        """Press the main button of the page."""
        self.follow(self.page.locator("main button.main"))

    def open(self, target: Locator) -> None:
        """Unfold a part of the page."""
        self._act(target)

    def fill(self, target: Locator, value: str) -> None:
        self.steps += 1
        if not self.keys:
            target.fill(value)
            return
        self._reach(target)
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.type(value)

    def _act(self, target: Locator) -> None:
        self.steps += 1
        if not self.keys:
            target.click()
            return
        self._reach(target)
        self.page.keyboard.press("Enter")

    def _reach(self, target: Locator) -> None:
        """Press Tab until the target has the focus."""
        wanted = target.element_handle()
        for _press in range(MOST_TABS):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {target}")


@WAYS
def test_a_librarian_joins_a_provider_in_ten_steps(work, feed_of, source, locale, keys):  # noqa: F811
    """From the overview to the request for approval; only the address and the contact are typed."""
    feed = feed_of(source)
    address = feed.base_url
    repository = feed.repository
    feed.delete()
    repository.delete()
    page = work("/manage/join/", locale=locale)
    walk = Walk(page, locale, keys)
    walk.main()
    walk.fill(page.locator("[name=base_url]"), address)
    walk.main()
    be_worker()
    page.locator("fieldset.choices").first.wait_for()
    walk.main()  # a trial harvest
    be_worker()
    page.locator("#records").wait_for()
    for _step in ("sample", "links", "schedule"):
        walk.main()
    walk.fill(page.locator("[name=contact_email]"), "desk@example.jp")
    walk.main()
    walk.main()  # register
    page.get_by_text(walk.words("awaiting approval")).first.wait_for()
    assert (Repository.objects.get().state, walk.steps) == ("asked", 10)
    assert page.problems == []


@WAYS
def test_staff_ignore_a_rule_and_answer_two_pairs_in_eight_steps(enter, transactional_db, locale, keys):
    """Reading an issue in the provider's own XML, ignoring its rule with a reason, then two pairs of the matcher."""
    feed = records_with_issues.provider()
    records_with_issues.harvested(feed, *map(records_with_issues.with_bad_isbn, "ab"))
    in_doubt(TITLES[:2])
    page = enter(f"/manage/issues/{feed.repository.number}/", locale=locale)
    walk = Walk(page, locale, keys)
    walk.follow(page.locator("table.patterns a.of-record").first)
    expect(page.locator("#mark-1").first).to_be_visible()
    page.go_back()
    finding = page.locator("li.finding").first
    walk.open(finding.locator("summary"))
    walk.fill(finding.locator("input[name=reason]"), "目録では正しい")
    walk.follow(finding.locator("form.reason button"))
    assert IgnoredIssue.objects.count() == 1
    walk.follow(page.locator("a[href='/manage/matches/']").first)
    walk.follow(page.locator("table.questions a").first)
    for button in ("same", "not_same"):
        walk.follow(page.locator(f"button[name=rule][value={button}]").first)
    assert set(MatchRuling.objects.values_list("verdict", flat=True)) == {"same", "not_same"}
    assert walk.steps == 8
    assert page.problems == []


@WAYS
def test_staff_repair_a_failing_provider_in_seven_steps(enter, feed_of, source, locale, keys):  # noqa: F811
    """The overview names the provider and what to do; its address is corrected, and a harvest succeeds."""
    feed = feed_of(source)
    right = feed.base_url
    Repository.objects.filter(pk=feed.repository_id).update(state="live")
    Feed.objects.filter(pk=feed.pk).update(base_url=right.replace("/oai", "/old"))
    failed = harvest(create_harvest(Feed.objects.get()))
    assert failed.state == "failed"
    verdicts.renew_some()
    page = enter("/manage/", locale=locale)
    walk = Walk(page, locale, keys)
    expect(page.locator(".reasons").first).not_to_be_empty()
    own = f"/manage/providers/{feed.repository.number}/"
    walk.follow(page.locator(".provider-health h3 a"))
    walk.follow(page.locator(f"main a[href='{own}']"))
    walk.follow(page.locator(f"main a[href='{own}feeds/{feed.pk}']"))
    walk.fill(page.locator("[name=base_url]"), right)
    walk.main()
    walk.follow(page.locator(f"main a[href='/manage/harvests/{feed.repository.number}/start']").first)
    walk.main()
    call_command("dispatch", "--once", "--work")
    run = Harvest.objects.order_by("pk").last()
    assert (run.state, run.received, walk.steps) == ("succeeded", 5, 7)
    expect(page.locator("main")).to_contain_text("5 = 5 + 0 + 0 + 0 + 0")  # the page follows the harvest by itself
    assert page.problems == []
