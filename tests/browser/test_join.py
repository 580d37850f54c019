"""Joining: a librarian registers a provider from its address, staff approve it, and readers find its records."""

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from aggregator.grouping.aggregate import aggregate_pending
from harvesting.models import Feed, Repository, SelfTest
from harvesting.trials import self_test as validating
from harvesting.trials.self_test import run
from tests.browser.conftest import AXE, VIEWS
from tests.harvesting.conftest import feed_of, source  # noqa: F401  a provider on loopback

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    monkeypatch.setattr(validating, "enqueue", lambda made: None)
    monkeypatch.setattr("aggregator.views.manage.join.workers", lambda: 1)


@pytest.fixture
def address(source, feed_of):  # noqa: F811
    """The address of a working provider that is not registered."""
    feed = feed_of(source)
    repository = feed.repository
    feed.delete()
    repository.delete()
    return feed.base_url


def be_worker() -> None:
    for made in SelfTest.objects.filter(state="queued"):
        run(made)


def go_on(page, button: str = "Next") -> None:
    with page.expect_navigation():
        page.get_by_role("main").get_by_role("button", name=button, exact=True).click()


def press_main(page) -> None:
    with page.expect_navigation():
        page.locator("main button.main").click()


def test_a_provider_joins_from_its_address_alone(work, enter, visit, address):
    page = work("/manage/join/")
    go_on(page, "Start a registration")
    page.get_by_label("Address", exact=True).fill(address)
    go_on(page, "Check this address")
    page.get_by_text("This page refreshes automatically.").wait_for()
    be_worker()
    page.get_by_text("recommended").wait_for()
    go_on(page, "Run a trial harvest")
    page.get_by_text("This page refreshes automatically.").wait_for()
    be_worker()
    page.get_by_text("All records can be registered").wait_for()
    expect(page.get_by_role("link", name="見本の本1").first).to_be_visible()
    go_on(page)
    go_on(page)
    go_on(page)
    expect(page.get_by_label("Name required", exact=True)).not_to_have_value("")
    page.get_by_label("Contact e-mail").fill("desk@example.jp")
    go_on(page)
    go_on(page, "Register")
    page.get_by_text("Staff have been asked to approve").first.wait_for()
    repository = Repository.objects.get()
    assert (repository.state, repository.approved) == ("asked", False)
    assert page.problems == []

    page = enter("/manage/providers/")
    page.get_by_role("link", name=str(repository)).click()
    page.get_by_role("button", name="Approve and publish").click()
    page.get_by_text("The provider has been approved.").wait_for()
    Feed.objects.update(quiet_from=None, quiet_until=None)
    call_command("dispatch", "--once", "--work")
    list(aggregate_pending())
    assert page.problems == []

    page = visit("/search?q=見本の本1")
    expect(page.get_by_role("link", name="見本の本1").first).to_be_visible()


@VIEWS
def test_pages_have_no_accessibility_violation_and_fit_the_screen(work, enter, address, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = work("/manage/join/", locale=locale, width=width, scheme=scheme)
    press_main(page)
    page.locator("#id_base_url").fill(address)
    press_main(page)
    be_worker()
    page.locator("fieldset.choices").first.wait_for()
    draft = page.url.rpartition("/")[0]
    press_main(page)
    be_worker()
    page.locator("#records").wait_for()
    steps = ("address", "offer", "sample", "links", "schedule", "contact", "summary")
    _looks_well(page, axe, ["/manage/join/", *(f"{draft}/{step}" for step in steps)])
    assert page.problems == []


@VIEWS
def test_pages_of_a_provider_fit_too(work, enter, library, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = enter("/manage/providers/", locale=locale, width=width, scheme=scheme)
    own = f"/manage/providers/{library.number}/"
    feed = library.feeds.get()
    _looks_well(
        page, axe, ["/manage/providers/", own, f"{own}feeds/new", f"{own}feeds/{feed.pk}", "/manage/providers/bulk"]
    )
    assert page.problems == []


def _looks_well(page, axe, paths) -> None:
    for path in paths:
        page.goto(path)
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
