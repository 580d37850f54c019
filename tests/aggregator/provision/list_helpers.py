"""Helpers for tests of redistribution: the entries of a list, and aggregation in a later second."""

import time

from aggregator.provision import listing
from aggregator.provision.sets import EVERYTHING, Part
from aggregator.tasks import aggregate
from harvesting.models import SourceRecord


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
    """Wait for the next second, aggregate, and return that second, so that new stamps differ from all earlier ones."""
    start = int(time.time())
    while int(time.time()) == start:
        time.sleep(0.02)
    second = int(time.time())
    aggregate()
    return second


def name_of_book(identifier: str) -> str:
    """Return the public id of the book that contains the record with this identifier."""
    return f"M{SourceRecord.objects.get(identifier=identifier).member.manifestation_id}"
