"""Helpers for tests of redistribution: the entries of a list, and aggregation in a later second."""

import time

import time_machine
from django.db import connection

from aggregator.provision import listing
from aggregator.provision.sets import EVERYTHING, Part
from aggregator.tasks import aggregate
from harvesting.models import SourceRecord

_journeys: list[time_machine.travel] = []


def list_all(part: Part = EVERYTHING, since: int = 0, limit: int = 2) -> dict[str, str]:
    """Return name -> "live" or "gone" of all entries of a list that begins now, read page by page."""
    span = listing.Span(until=listing.begin_list(), part=part, from_=since)
    states: dict[str, str] = {}
    place = listing.START
    while entries := listing.page(span, limit, place):
        for entry in entries:
            assert entry.name not in states
            states[entry.name] = "gone" if entry.deleted else "live"
        place = entries[-1].place
    assert len(states) == listing.size(span)
    return states


def aggregate_a_second_later() -> int:
    """Go to the next second, aggregate, and return that second, so that new stamps differ from all earlier ones."""
    next_second()
    second = int(time.time())
    aggregate()
    return second


def next_second() -> None:
    """Put the clock of this process forward to the next second; it goes on from there until the test ends.

    Where stamps are given by the clock of PostgreSQL, wait for that second.
    """
    coming = int(time.time()) + 1
    if connection.vendor == "sqlite":
        _journeys.append(time_machine.travel(coming))
        _journeys[-1].start()
    while int(time.time()) < coming:
        time.sleep(0.02)


def set_clock_right() -> None:
    """Undo every `next_second`."""
    while _journeys:
        _journeys.pop().stop()


def name_of_book(identifier: str) -> str:
    """Return the public id of the book that contains the record with this identifier."""
    return f"M{SourceRecord.objects.get(identifier=identifier).member.manifestation_id}"
