"""Marks the books of libraries for the search index and for redistribution: both contain the names and codes of
libraries, and the index also their regions.

Call this when a name, code or region of a library has changed, or the library that a code belongs to. Batches are
idempotent, each one a short transaction of its own. The time of the change is set as well: the indexer, which may have
read the library before, then leaves the mark in place.
"""

from collections.abc import Iterable

from django.utils import timezone

from aggregator.models import Holding, Manifestation
from aggregator.provision.pending import mark_merged
from core.database.batches import chunks
from core.database.deferred_writes import Writes
from core.database.pacing import Pace

PACE = Pace(5000, least=100)  # books per transaction


def mark_books(libraries: Iterable[int]) -> int:
    """Mark all books of these libraries, given by primary key. Return how many were marked."""
    return sum(map(_mark_books_of, sorted(set(libraries))))


def _mark_books_of(library: int) -> int:
    marked, last = 0, 0
    held = Holding.objects.filter(library=library).order_by("manifestation").values_list("manifestation", flat=True)
    while numbers := list(held.filter(manifestation__gt=last)[: PACE.size()]):
        with PACE.transaction(len(numbers)):
            for chunk in chunks(numbers):
                books = Manifestation.objects.filter(pk__in=chunk)
                books.update(index_pending=True, changed_at=timezone.now())
                writes = Writes()
                mark_merged(chunk, writes)
                writes.carry_out()
        marked, last = marked + len(numbers), numbers[-1]
    return marked
