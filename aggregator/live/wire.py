"""Sends one question to one live source, through the guarded fetch and not faster than its rate. No database access."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.http.politeness import ThreadThrottle
from harvesting.live.asking import read_answer
from harvesting.live.types import MAX_BYTES, Answer, LiveSource, Request
from harvesting.registry.transport import reader_policy
from harvesting.types import TransportError

DEADLINE = 3.0  # seconds from the reader's request to the end of the answer, waiting included
CONNECT_TIMEOUT = 2.0
TURN_WAIT = 1.0  # seconds that a question waits while another process asks the same host
LEAST_TIME = 0.3  # seconds; with less left, a catalogue is not asked any more
FASTEST, SLOWEST = 5.0, 0.5  # questions a second
USUAL = 1.0
LATE = "live.late"  # code: the time was over before it was this question's turn
BUSY = ("net.host_busy", LATE)  # codes: the catalogue was not asked, so this says nothing about it


def send(source: LiveSource, request: Request, policy: FetchPolicy, due: float) -> Answer:
    """Send a request to a live source and read the answer. Raises TransportError or LiveError.

    due: when the answer must have arrived, on the monotonic clock.

    policy: with the credentials of the catalogue. All processes together ask one host one question at a time, with a
    pause after it, so a catalogue never gets more questions a second than its rate.
    """
    turns = reader_policy("live", TURN_WAIT).throttle
    with turns.turn(urlsplit(request.url).hostname or "", 1 / rate(source.options)):
        left = due - time.monotonic()
        if left < LEAST_TIME:
            raise TransportError("no time left", LATE, permanent=False, url=request.url)
        with Fetcher(_limited(policy, left)) as fetcher:
            fetched = fetcher.fetch(request.url, headers=request.headers).checked()
    return read_answer(source, fetched.body, fetched.headers.get("content-type", ""))


def _limited(policy: FetchPolicy, seconds: float) -> FetchPolicy:
    # The turn is ours already; with the same throttle, a redirect within the host would wait for itself.
    return replace(
        policy,
        throttle=ThreadThrottle(),
        min_pause=0.0,
        deadline=seconds,
        connect_timeout=min(CONNECT_TIMEOUT, seconds),
        read_timeout=seconds,
        max_bytes=MAX_BYTES,
        cookies=False,
    )


def rate(options: Mapping[str, Any]) -> float:
    """Return how many requests a second a live source gets at most: its option `rate`, within sensible limits."""
    value = options.get("rate")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return USUAL
    return min(max(float(value), SLOWEST), FASTEST)
