"""The pages for login and forgotten passwords, when they say why they cannot do their work now."""

import os

import pytest
from django.db import OperationalError

from aggregator.access import login_throttle
from harvesting.models import ExternalLogin
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser


def fine(page) -> None:
    """Check that the page has no accessibility violation, fits the screen, and breaks no content security policy."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert axe.run(page, options=AXE).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    # "Failed to load resource" is how Chromium reports the error status of the page itself.
    assert [text for text in page.problems if "Failed to load resource" not in text] == []


def show(page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


@VIEWS
def test_while_nothing_can_be_stored_the_login_says_so(visit, transactional_db, monkeypatch, locale, width, scheme):
    def full(*_arguments):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(login_throttle, "begin", full)
    page = visit("/login", locale=locale, width=width, scheme=scheme)
    page.locator("input[name=username]").fill("hanako")
    page.locator("input[name=password]").fill("green books sleep")
    page.locator("input[name=password]").press("Enter")
    page.locator("a.button[href$='/login']").wait_for()
    show(page, f"full-{locale}-{width}")
    fine(page)


@VIEWS
def test_a_network_that_asks_for_too_many_letters_is_told_how_long_to_wait(
    visit, transactional_db, monkeypatch, locale, width, scheme
):
    monkeypatch.setitem(login_throttle.FREE_FAILURES, "letters", 0)
    login_throttle.begin_letter("127.0.0.0/24")
    page = visit("/password/forgotten", locale=locale, width=width, scheme=scheme)
    page.locator("input[name=email]").fill("hanako@example.jp")
    page.locator("input[name=email]").press("Enter")
    page.get_by_role("alert").wait_for()
    show(page, f"letters-{locale}-{width}")
    fine(page)


@VIEWS
def test_staff_unlink_an_account_from_an_identity(enter, django_user_model, locale, width, scheme):
    hanako = django_user_model.objects.create_user("hanako")
    link = ExternalLogin.objects.create(issuer="https://login.example.ac.jp", subject="former", user=hanako)
    page = enter("/admin/harvesting/externallogin/", locale=locale, width=width, scheme=scheme)
    show(page, f"links-{locale}-{width}")
    page.goto(f"/admin/harvesting/externallogin/{link.pk}/delete/")
    show(page, f"unlink-{locale}-{width}")
    page.locator("#content input[type=submit]").click()
    page.wait_for_url("**/admin/")
    assert not ExternalLogin.objects.exists()
