"""Samples the beginning, the middle and the end of an OAI-PMH list with a limited number of requests. No Django.

Lists of most providers are in the order of the datestamps, or contain all changes since a date. So a list from a later
date shows what the beginning does not. Where dates lead nowhere, because everything has one datestamp or dates are
ignored, the list is followed further instead.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from harvesting.transports.oai_pmh.date_windows import epoch_seconds, protocol_date
from harvesting.types import Batch, HarvestRequest, Identity, TransportError

FIRST_PAGES = 3
DATES = 6  # lists from a later date, of each of which the first page is read
MORE_PAGES = 12  # of the whole list, if fewer than ENOUGH_DATES lists had new records
ENOUGH_DATES = 2

type Lists = Callable[[HarvestRequest], Iterator[Batch]]


def sampled_batches(lists: Lists, request: HarvestRequest, identity: Identity) -> Iterator[Batch]:
    """Yield batches from all parts of the list that the request describes; one that `is_last` ends the whole list."""
    seen: set[str] = set()
    whole = lists(request)
    for batch in _pages(whole, FIRST_PAGES):
        seen |= identifiers(batch)
        yield batch
        if batch.is_last:
            return
    places = 0
    for batch in _from_later_dates(lists, request, identity, seen):
        places += 1
        yield batch
    if places < ENOUGH_DATES:
        yield from _pages(whole, MORE_PAGES)


def identifiers(batch: Batch) -> set[str]:
    return {record.identifier for record in batch.records}


def _pages(batches: Iterator[Batch], most: int) -> Iterator[Batch]:
    pages = 0
    while pages < most and (batch := next(batches, None)) is not None:
        pages += not batch.more
        yield batch


def _from_later_dates(lists: Lists, request: HarvestRequest, identity: Identity, seen: set[str]) -> Iterator[Batch]:
    """Yield the new records of lists from later dates, approaching the date of the latest change by bisection.

    seen: identifiers of the records received so far; those of the lists are added.
    """
    start, end = epoch_seconds(identity.earliest_datestamp), int(time.time())
    if start is None:
        return
    by_second = "s" in identity.granularity.lower()
    for _ in range(DATES):
        middle = (start + end) // 2
        from_ = protocol_date(middle, by_second)
        try:
            batch = next(lists(replace(request, from_=from_, full=False)), None)
        except TransportError:
            return  # dates are refused
        if batch is None or not batch.records:
            end = middle
            continue
        start = middle
        records = tuple(record for record in batch.records if record.identifier not in seen)
        if records:
            seen |= identifiers(batch)
            # Neither the size of this list nor its end is that of the whole list.
            yield replace(batch, records=records, complete_list_size=None, more=True)
