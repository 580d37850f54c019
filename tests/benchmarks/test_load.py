"""The load tests run for a moment on a tiny site, and each ends with its figure."""

import os
import shutil
import subprocess
import sys

import pytest

from benchmarks.load.client import Answers
from benchmarks.load.draws import as_readers_do, evenly
from benchmarks.load.flood import People, cookie_of, header
from benchmarks.load.made_books import books, public_id
from benchmarks.load.running import PORTS
from tests.paths import ROOT

LINES = {
    "books": "record pages a second: evenly ",
    "search": "searches a second: ",
    "oai": "OAI-PMH pages a second: first ",
    "overload": "p95 ms: ",
    "slow": "slowest answer to others, ms: baseline ",
    "flood": "people: p50 ",
}
SMALL = {
    "overload": ["--connections", "5"],
    "slow": ["--clients", "5"],
    "flood": ["--addresses", "20", "--people", "2"],
    "books": ["--pause", "0"],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return tmp_path_factory.mktemp("load") / "site"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.sample if name == "slow" else pytest.mark.long) for name in LINES],
)
def test_a_benchmark_of_load_ends_with_its_figure(site, name):
    without = {"DATABASE_URL", "AGGREGATOR_DATA", "DJANGO_SETTINGS_MODULE", "ALLOWED_HOSTS"}
    environment = {key: value for key, value in os.environ.items() if key not in without}
    if name == "overload" and not shutil.which("wrk"):
        pytest.skip("wrk is not installed")
    seconds = "4" if name == "flood" else "2"
    command = [sys.executable, "-m", f"benchmarks.load.{name}", "--site", str(site), "--books", "300"]
    done = subprocess.run(
        [*command, "--seconds", seconds, *SMALL.get(name, ["--no-harvest"])],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    assert done.stdout.splitlines()[-1].startswith(LINES[name])
    assert "processors: web" in done.stdout


def test_the_made_up_books_are_always_the_same_and_have_their_ids():
    first, second = list(books(30)), list(books(30))
    assert [book.record for book in first] == [book.record for book in second]
    for book in first:
        assert public_id(book.document.id).startswith(book.document.repositories[0])
        assert len(book.record.items) == len(book.repositories)


def test_readers_request_few_books_and_a_crawler_all():
    readers, crawler = as_readers_do(1000, 1), evenly(1000, 1)
    assert len({next(readers) for _ in range(1000)}) < len({next(crawler) for _ in range(1000)})


def test_crawlers_return_cookies_and_follow_redirects():
    head = "HTTP/1.1 303 See Other\r\nlocation: /search/continue?q=Ab\r\nset-cookie: reader=1:1tA:Xy-Z; Path=/\r\n\r\n"
    assert cookie_of(head) == "Cookie: reader=1:1tA:Xy-Z\r\n"
    assert header(head, "location") == "/search/continue?q=Ab"
    assert cookie_of("HTTP/1.1 200 OK\r\n\r\n") == ""


def test_the_share_of_searches_is_told_apart_from_that_of_books():
    people = People()
    people.searches.add(503, 1.0)
    for _ in range(3):
        people.books.add(200, 1.0)
    assert people.summary().endswith("served: 75.0 %; searches served: 0.0 %")


def test_a_refusal_without_a_time_to_come_back_is_counted():
    answers = Answers()
    answers.add(503, 1.0, "http/1.1 503 x\r\nretry-after: 2\r\n\r\n")
    answers.add(503, 1.0, "http/1.1 503 x\r\n\r\n")
    answers.add(200, 1.0)
    assert (answers.failed, answers.without_wait, len(answers.good)) == (2, 1, 1)


def test_the_web_server_of_a_load_test_uses_another_port_than_the_demo():
    assert 8000 not in PORTS
