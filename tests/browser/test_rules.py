"""The pages about validation rules, read without JavaScript, and switching a rule in the admin."""

import pytest
from playwright.sync_api import expect

from harvesting.models import RuleSwitch
from tests.browser.conftest import AXE
from tests.browser.test_librarian import AXE as ADMIN_AXE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SIZES = pytest.mark.parametrize(("locale", "width", "scheme"), [("ja", 1280, "light"), ("en", 360, "dark")])


@pytest.fixture
def finding(shelf, library):
    source = shelf.record(library)
    return shelf.issue(source, "dcndl.W012", "warning", field="identifier", value="x", result="y")


@pytest.fixture
def switched(library):
    return RuleSwitch.objects.create(
        repository=library, code="dcndl.E003", outcome="warning", reason="電話で合意", decided_by="taro"
    )


def test_from_a_finding_to_its_rule_and_back_to_all_rules_of_the_format(visit, finding):
    page = visit("/repositories/R900000001")
    page.get_by_role("link", name="dcndl.W012").click()
    expect(page.locator("h1")).to_have_text("dcndl.W012")
    page.get_by_role("link", name="DC-NDL (RDF)").click()
    page.get_by_label("Severity").select_option("record_error")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="dcndl.E003").click()
    expect(page.locator("h1")).to_have_text("dcndl.E003")
    assert page.problems == []


def test_staff_switch_a_rule(enter, library):
    page = enter(f"/admin/harvesting/repository/{library.pk}/change/")
    page.get_by_text("Add another Switched rule").click()
    page.locator("#id_switches-0-code").select_option("dcndl.E003")
    page.locator("#id_switches-0-outcome").select_option("warning")
    page.locator("#id_switches-0-reason").fill("電話で合意")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/repository/")
    switch = RuleSwitch.objects.get()
    assert (switch.code, switch.outcome, switch.decided_by) == ("dcndl.E003", "warning", "taro")


@SIZES
def test_the_pages_of_rules_have_no_accessibility_violation_and_fit_the_screen(visit, finding, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("/rules/?format=oai_dc", locale=locale, width=width, scheme=scheme)
    for path in (
        "/rules/?format=oai_dc",
        "/rules/?q=nothing-like-it",
        "/rules/?colour=blue",
        "/rules/dcndl.W012",
        "/rules/chars.E015",
    ):
        page.goto(path)
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path


@SIZES
def test_the_page_with_switched_rules_fits_the_screen(enter, switched, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = enter(
        f"/admin/harvesting/repository/{switched.repository_id}/change/", locale=locale, width=width, scheme=scheme
    )
    found = axe.run(page, options=ADMIN_AXE).response["violations"]
    assert not found, [(violation["id"], violation["nodes"][0]["html"]) for violation in found]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.problems == []
