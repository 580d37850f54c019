"""Asks a host for its rules and for a page, through the guarded fetch: HEAD first, then GET of a few bytes.

No cookies are kept, redirects are followed to the limit of the guarded fetch, and every address that they lead to is
checked there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings

from aggregator.links import robots
from aggregator.links.verdicts import MOVED, Answer
from harvesting.http.fetch import Fetched, Fetcher, Method
from harvesting.registry.transport import fetch_policy
from harvesting.types import Tally, TransportError

PAUSE = 5.0  # seconds between two requests to a host, if the operator has not set more
DEADLINE, READ_TIMEOUT = 20.0, 15.0  # seconds
FEW_BYTES = 1024
HEADERS = {"Accept": "text/html, application/xhtml+xml;q=0.9, */*;q=0.5"}
_NO_METHOD = ("net.truncated", "net.timeout", "net.headers")  # failures of HEAD that GET may not share
_MET_HEAD = ("http.2", "http.304")


@contextmanager
def fetcher(tally: Tally) -> Iterator[Fetcher]:
    """A fetcher for one link. tally: counts the requests."""
    pause = max(PAUSE, settings.HARVEST_MIN_PAUSE) if settings.HARVEST_MIN_PAUSE else 0.0
    policy = replace(
        fetch_policy(),
        min_pause=pause,
        deadline=DEADLINE,
        read_timeout=READ_TIMEOUT,
        max_bytes=FEW_BYTES,
        cookies=False,
    )
    with Fetcher(policy, tally) as made:
        yield made


def ask_page(url: str, by: Fetcher) -> Answer:
    """Ask whether a page is there. An answer to HEAD is believed if it is a success; other answers are confirmed by
    GET, because some servers do not know HEAD.
    """
    answer = _ask(url, by, "HEAD")
    if answer.code.startswith(_MET_HEAD):
        return answer
    is_about_head = answer.code.startswith("http.") or (answer.code in _NO_METHOD and answer.reason != "connect")
    return _ask(url, by, "GET") if is_about_head else answer


def ask_rules(url: str, by: Fetcher) -> tuple[Answer, tuple[robots.Rule, ...]]:
    """Ask the host of an address for its robots.txt; without one, everything is allowed."""
    parts = urlsplit(url)
    try:
        place = urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))
        fetched = by.fetch(place, headers={"Accept": "text/plain"}, max_bytes=robots.MOST_BYTES, spool="beginning")
    except TransportError as error:
        return _failure(error), ()
    with fetched.stream as stream:
        content = stream.read(robots.MOST_BYTES)
    return Answer(f"http.{fetched.status}"), robots.parse(content) if 200 <= fetched.status < 300 else ()


def _ask(url: str, by: Fetcher, method: Method) -> Answer:
    headers = HEADERS if method == "HEAD" else {**HEADERS, "Range": f"bytes=0-{FEW_BYTES - 1}"}
    try:
        fetched = by.fetch(url, method=method, headers=headers, spool="beginning")
    except TransportError as error:
        return _failure(error)
    fetched.stream.close()
    return _answer(fetched)


def _answer(fetched: Fetched) -> Answer:
    if fetched.wall:
        return Answer("http.bot_wall")
    code = "http.200" if fetched.status == 416 else f"http.{fetched.status}"  # an empty page cannot give a range
    moved = any(observation.code == MOVED for observation in fetched.observations)
    return Answer(code, fetched.final_url[:2000] if moved else "")


def _failure(error: TransportError) -> Answer:
    return Answer(error.code, reason=str(error.facts.get("reason", "")))
