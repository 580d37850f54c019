"""Fixtures for tests in a real browser. The tests are skipped if no Chromium is installed.

All of them are slow. The first test of every file walks the main path of its pages and is in CI's sample, and so is one
in six of the others.
"""

import os
import shutil
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from zlib import crc32

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.test import Client
from playwright.sync_api import expect, sync_playwright

from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from tests.aggregator.conftest import archive, book, library  # noqa: F401  (fixtures shared with the page tests)
from tests.aggregator.views.shelf import Shelf

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Both languages on a wide light and a narrow dark screen; CI runs two combinations, -m slow all.
VIEWS = pytest.mark.parametrize(
    ("locale", "width", "scheme"),
    [
        ("ja", 1280, "light"),
        ("en", 360, "dark"),
        pytest.param("en", 1280, "light", marks=pytest.mark.slow),
        pytest.param("ja", 360, "dark", marks=pytest.mark.slow),
    ],
)
AXE = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}}
ONE_IN = 6  # of the other tests is in the sample
PATIENCE = 60_000  # milliseconds
FOLDER = Path(__file__).parent
# The shell has no windows and opens a page with a quarter of Chromium's work.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    files = set()
    for item in items:
        if item.path.parent == FOLDER and not item.get_closest_marker("slow"):
            item.add_marker("slow")
            if item.path not in files or crc32(item.nodeid.encode()) % ONE_IN == 0:
                item.add_marker("sample")
            files.add(item.path)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A headless Chromium for the whole session."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        pytest.skip("no Chromium on this machine (looked for: " + ", ".join(NAMES) + "; or set CHROMIUM)")
    # Playwright's synchronous API runs an event loop in this thread, which Django mistakes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield started
        started.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def shelf(transactional_db) -> Shelf:
    """A shelf whose books the live server can read."""
    return Shelf()


@pytest.fixture(autouse=True)
def one_request_at_a_time(monkeypatch) -> None:
    """Answer requests in turn: the live server's threads share one connection to the database in memory.

    SQLite mixes up the rows of the same statement when two threads run it on one connection.
    """
    turn = threading.Lock()
    answer = WSGIHandler.get_response

    def in_turn(handler: WSGIHandler, request: HttpRequest) -> HttpResponse:
        with turn:
            return answer(handler, request)

    monkeypatch.setattr(WSGIHandler, "get_response", in_turn)


@pytest.fixture
def visit(browser, live_server):
    """Opens a page of the live server: visit(path, locale=…, width=…, scheme=…)."""
    contexts = []

    def opened(path: str, locale: str = "en", width: int = 1280, scheme: str = "light"):
        context = browser.new_context(
            base_url=live_server.url, locale=locale, color_scheme=scheme, viewport={"width": width, "height": 800}
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        page.on("console", lambda message: page.problems.append(message.text))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    let_requests_end()


def let_requests_end() -> None:
    """Wait for the live server's answers that nobody reads any more: their queries would lock tables being emptied."""
    deadline = time.monotonic() + PATIENCE / 1000
    while answering := [thread for thread in threading.enumerate() if "process_request_thread" in thread.name]:
        assert time.monotonic() < deadline, answering
        time.sleep(0.01)


@pytest.fixture
def staff(transactional_db):
    ensure_roles()
    user = get_user_model().objects.create_user("taro", password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=STAFF))
    return user


@pytest.fixture
def librarian(transactional_db):
    ensure_roles()
    user = get_user_model().objects.create_user("hanako", password="x")
    user.groups.add(Group.objects.get(name=LIBRARIANS))
    return user


@pytest.fixture
def enter(visit, staff):
    """Opens a page as staff: enter(path, locale=…, width=…, scheme=…)."""
    return partial(logged_in, visit, staff)


@pytest.fixture
def work(visit, librarian):
    """Opens a page as a librarian: work(path, locale=…, width=…, scheme=…)."""
    return partial(logged_in, visit, librarian)


def logged_in(visit, user, path: str, **options):
    client = Client()
    client.force_login(user)
    page = visit("/robots.txt", **options)
    page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": page.url}])
    page.goto(path)
    return page
