"""A librarian is invited, chooses a password and is logged in; staff see this in the audit trail."""

import re

import pytest
from playwright.sync_api import expect

from harvesting.accounts.roles import ensure_roles
from harvesting.models import Repository
from harvesting.registry.registration import register
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser


@pytest.fixture
def repository(transactional_db) -> Repository:
    ensure_roles()
    return register(Repository(name="見本図書館", name_en="Sample Library"), [])


def fine(page) -> None:
    """Check that the page has no accessibility violation, fits the screen and writes nothing to the console."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert axe.run(page, options=AXE).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.problems == []


def invite(page) -> str:
    """Fill in the form for an invitation. Return the path of the link, which the page shows as no mail can be sent."""
    page.get_by_label("E-mail address").fill("hanako@example.jp")
    page.get_by_label(re.compile("Sample Library")).check()
    page.get_by_role("button", name="Send the invitation").click()
    page.get_by_role("button", name="Copy the link").wait_for()
    fine(page)
    return page.locator("#link").inner_text().removeprefix("http://127.0.0.1:8000")


def test_an_invited_librarian_opens_her_account_and_staff_see_it(enter, visit, repository):
    page = enter("/manage/people/invite")
    link = invite(page)
    hers = visit(link)
    hers.get_by_label("Login name").fill("hanako")
    for field in ("Password", "Repeat the password"):
        hers.get_by_label(field, exact=True).fill("green books sleep")
    hers.get_by_role("button", name="Create my account").click()
    hers.wait_for_url("**/manage/")
    hers.get_by_role("link", name="Notifications").first.click()
    hers.get_by_role("heading", name="Notifications", level=1).wait_for()
    expect(hers.get_by_role("link", name="People")).to_have_count(0)
    with hers.expect_navigation():
        hers.get_by_role("button", name="Log out").click()
    hers.goto("/manage/trace/")
    hers.get_by_label("Username").fill("hanako")
    hers.get_by_label("Password").fill("wrong")
    hers.get_by_role("button", name="Log in").click()
    hers.get_by_text("login name or password is wrong").wait_for()
    hers.get_by_label("Password").fill("green books sleep")
    hers.get_by_role("button", name="Log in").click()
    hers.wait_for_url("**/manage/trace/")
    page.goto("/manage/trace/?who=hanako")
    page.get_by_text("accepted an invitation").last.wait_for()


@VIEWS
def test_every_page_is_in_order_in_every_look(enter, visit, staff, repository, locale, width, scheme):
    look = {"locale": locale, "width": width, "scheme": scheme}
    for path in ("/login", "/password/forgotten", "/password/forgotten/sent", "/invitation/x"):
        page = visit(path, **look)
        page.problems = [problem for problem in page.problems if "410" not in problem]
        fine(page)
    for path in ("/manage/people/", "/manage/people/invite", f"/manage/people/{staff.pk}", "/manage/trace/",
                 "/manage/notices/", "/manage/notices/settings", "/password"):  # fmt: skip
        fine(enter(path, **look))
