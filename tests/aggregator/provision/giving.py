"""What tests of giving on share: a catalogue to take from, and what there is to take."""

import time

from aggregator.provision import listing
from aggregator.provision.sets import EVERYTHING, Part
from aggregator.tasks import aggregate


def taken(part: Part = EVERYTHING, since: int = 0, limit: int = 2) -> dict[str, str]:
    """Name -> "live" or "gone", over all pages of a list that begins now."""
    span = listing.Span(until=listing.began(), part=part, from_=since)
    found: dict[str, str] = {}
    place = listing.START
    while entries := listing.page(span, limit, place):
        for each in entries:
            assert each.name not in found
            found[each.name] = "gone" if each.deleted else "live"
        place = entries[-1].place
    assert len(found) == listing.size(span)
    return found


def a_second_later() -> int:
    """Aggregate in another second than all before; returns that second."""
    begin = int(time.time())
    while int(time.time()) == begin:
        time.sleep(0.02)
    second = int(time.time())
    aggregate()
    return second
