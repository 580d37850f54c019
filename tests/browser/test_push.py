"""Pushing: a librarian makes a token, her program sends records with it, and she sees what arrived."""

import re

import pytest
import requests
from django.core.management import call_command
from playwright.sync_api import expect

from harvesting.models import PushToken, Repository
from harvesting.registry.registration import register
from tests.browser.conftest import AXE, VIEWS
from tests.harvesting.pushes.pushed import line, lines, push, pushing_feed, work_off

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_librarian_makes_a_token_and_her_program_pushes(work, librarian, live_server):
    provider = register(Repository(name="見本町立図書館", state="live"), [])
    provider.managers.add(librarian)
    page = work(f"/manage/providers/{provider.number}/")
    page.get_by_role("link", name="Pushing records").click()
    page.get_by_role("button", name="Begin with pushed records").click()
    page.get_by_label("Name").fill("夜間の書き出し")
    page.get_by_role("button", name="Create a token").click()
    token = page.locator("#token").text_content()
    assert re.fullmatch(r"push_[\w-]{43}", token)

    address = f"{live_server.url}/api/push/{provider.number}"
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "1", "Connection": "close"}
    body = lines(3) + b'{"identifier":"oai:x:bad","record":{"titles":[]}}\n'
    sent = requests.post(address, body, headers=headers, timeout=10)
    assert sent.status_code == 202
    call_command("dispatch", "--once", "--work")
    again = requests.post(address, body, headers=headers, timeout=10)
    assert again.status_code == 200
    report = again.json()
    assert (report["accepted"], report["rejected"]) == (3, 1)
    assert report["issues"][0]["remedy"]["ja"]

    page.goto(f"/manage/providers/{provider.number}/push")
    expect(page.get_by_text("1 record could not be registered")).to_be_visible()
    page.locator("#arrived ~ .scroll a").first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("The token has been revoked.").wait_for()
    assert requests.get(address, headers=headers, timeout=10).status_code == 401
    assert page.problems == []


@VIEWS
def test_the_page_has_no_accessibility_violation_and_fits_the_screen(work, librarian, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    feed = pushing_feed()
    feed.repository.managers.add(librarian)
    push(feed, lines(3), name="本の一覧.jsonl", sender="夜間の書き出し")
    push(feed, (line("9") + '{"identifier":"oai:x:2","record":{"titles":[]}}\n').encode(), name="b.jsonl")
    work_off()
    push(feed, lines(1), "record", identifier="oai:x:1")
    for number in range(2):
        PushToken.objects.create(
            repository=feed.repository, name=f"t{number}", digest=bytes([number]), start="push_abcd"
        )
    page = work(f"/manage/providers/{feed.repository.number}/push", locale=locale, width=width, scheme=scheme)
    found = axe.run(page, options=AXE).response["violations"]
    assert not found, [(violation["id"], violation["nodes"][0]["html"]) for violation in found]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.problems == []
