"""The daily search by which staff learn that a live source has stopped answering, before readers notice.

Every live source is searched once a day for words that must find something there (its option `known_item`). A source
without this option only has to answer. Staff are notified of a failure on two days in a row.
"""

import time
from datetime import date

from django.utils import timezone

from aggregator.live import asking, wire
from aggregator.live.measuring import Outcome, forget, note, note_check
from aggregator.live.sources import EVERY, Catalogue, catalogues
from harvesting.live.asking import request_for
from harvesting.live.options import read_options
from harvesting.live.types import ANY, TITLE, AllOf, Answer, LiveError, Request, Word
from harvesting.notifications.composing import Weight, notify
from harvesting.types import TransportError

ANY_WORD = "日本"  # where no known item is declared
ALARM = 2  # failures in a row, one a day; a single one often passes by itself
NOTHING_FOUND = "live.nothing_found"  # code
TRIES, PAUSE = 3, 2.0  # seconds: readers may be asking the same catalogue


def due() -> list[Catalogue]:
    """Return the live sources that have not been checked today."""
    today = timezone.localdate()
    every = catalogues(most=EVERY)
    return [catalogue for catalogue in every if not catalogue.is_link and _checked_on(catalogue) != today]


def is_due() -> bool:
    """Whether a live source has not been checked today."""
    return bool(due())


def check_all() -> int:
    """Check the live sources that are due, and delete old daily figures. Return how many were checked."""
    forget(timezone.now())
    found = due()
    for catalogue in found:
        check(catalogue, timezone.localdate())
    return len(found)


def check(catalogue: Catalogue, today: date) -> str:
    """Search a live source for its known item. Return the error code if that failed, else ""."""
    code = _searched(catalogue)
    if note_check(catalogue.repository.pk, code, today) == ALARM:
        facts = {"code": code, "days": ALARM, "repository": catalogue.number}
        notify(f"live-{catalogue.number}-{today}", "live.failing", catalogue.repository, Weight.IMPORTANT, facts)
    return code


def _checked_on(catalogue: Catalogue) -> date | None:
    return catalogue.state.checked_on if catalogue.state else None


def _searched(catalogue: Catalogue) -> str:
    began = time.monotonic()
    try:
        words = read_options(catalogue.source.options).known_item
        answer = _answer(catalogue, words or ANY_WORD)
    except TransportError as error:
        return _failed(catalogue, time.monotonic() - began, error.code, {"url": catalogue.source.address})
    except LiveError as error:
        return _failed(catalogue, time.monotonic() - began, error.code, {"detail": error.detail})
    except ValueError:  # the stored options are of another version of the program
        return "live.options"
    note(catalogue.repository.pk, Outcome(time.monotonic() - began))
    return NOTHING_FOUND if words and not answer.records else ""


def _answer(catalogue: Catalogue, words: str) -> Answer:
    """Ask, several times if the source is busy with the searches of readers. Raises TransportError or LiveError."""
    request = _request(catalogue, words)
    for _try in range(TRIES - 1):
        try:
            return asking.ask(asking.Inquiry(catalogue, request), time.monotonic() + wire.DEADLINE)
        except TransportError as error:
            if error.code not in wire.BUSY:
                raise
            time.sleep(PAUSE)
    return asking.ask(asking.Inquiry(catalogue, request), time.monotonic() + wire.DEADLINE)


def _request(catalogue: Catalogue, words: str) -> Request:
    """Return the request for the words in all fields or, without such a search, in titles. Raises LiveError."""
    for name in (ANY, TITLE):
        request = request_for(catalogue.source, AllOf(tuple(Word(name, word) for word in words.split())))
        if not request.empty:
            return request
    raise LiveError("live.nothing_asked", words)


def _failed(catalogue: Catalogue, seconds: float, code: str, facts: dict[str, str | int]) -> str:
    if code not in wire.BUSY:
        note(catalogue.repository.pk, Outcome(seconds, code, facts))
    return code
