"""The self-test without login, and the guide for providers, in a real browser."""

import pytest
from playwright.sync_api import expect

from harvesting.models import SelfTest
from harvesting.trials import self_test as validating
from harvesting.trials.self_test import run
from tests.books import book
from tests.browser.conftest import AXE, VIEWS
from tests.harvesting.conftest import feed_of, sample, source  # noqa: F401  a provider on loopback

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    monkeypatch.setattr(validating, "enqueue", lambda made: None)
    monkeypatch.setattr("aggregator.views.public.self_test.workers", lambda: 1)


def test_an_address_is_checked_and_the_page_shows_the_report_by_itself(visit, source, feed_of):  # noqa: F811
    source.update([sample("b3", title="")])
    page = visit("/validate/")
    page.get_by_label("Address", exact=True).fill(feed_of(source).base_url)
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("heading", name="The check is under way").wait_for()
    run(SelfTest.objects.get())
    page.get_by_role("heading", name="1 of 5 records would not be registered in their present form.").wait_for()
    page.get_by_role("link", name="oai:sample:b3").first.click()
    expect(page.get_by_text("As it is, this record would not be registered.")).to_be_visible()
    assert page.problems == []


@VIEWS
def test_pages_have_no_accessibility_violation_and_fit_the_screen(visit, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    made = validating.submit_self_test({}, book("b1", title="こころ", isbn="978-4-10-101013-0"))
    table = validating.submit_self_test({}, "書名,ISBN\nこころ,9784101010137\n".encode())
    waiting = validating.submit_self_test({"base_url": "https://library.example.jp/oai"})
    failed = validating.submit_self_test({"base_url": "http://10.0.0.1/oai"})
    run(failed)
    page = visit("/guide", locale=locale, width=width, scheme=scheme)
    addresses = [f"/validate/{self_test.token}" for self_test in (made, table, waiting, failed)]
    for path in ("/guide", "/validate/", *addresses, f"{addresses[0]}/1", f"{addresses[0]}/1?finding=1"):
        page.goto(path)
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
    assert page.problems == []
