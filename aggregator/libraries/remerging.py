"""Marks the books of libraries for merging: their holdings, links and records are then computed anew, in batches, by
`aggregator.merging.stage`.
"""

from collections.abc import Collection

from django.utils import timezone

from aggregator.models import Holding, Manifestation
from core.database.batches import chunks
from core.database.pacing import Pace

LINKING = frozenset({"link_template", "page"})  # fields of a library on which the links of its books depend
PACE = Pace(5000, least=100)  # books per transaction


def mark_for_merging(libraries: Collection[int]) -> int:
    """Mark the books that these libraries hold, in the transaction of the change; return how many."""
    moment, marked = timezone.now(), 0
    for chunk in chunks(sorted(libraries)):
        held = Holding.objects.filter(library__in=chunk).values("manifestation")
        marked += Manifestation.objects.filter(pk__in=held).update(merge_since=moment)
    return marked


def mark_in_batches(library: int) -> int:
    """Mark the books that a library holds, for the search index too; return how many. Batches are idempotent, each one
    a short transaction of its own.
    """
    marked, last = 0, 0
    held = Holding.objects.filter(library=library).order_by("manifestation").values_list("manifestation", flat=True)
    while numbers := list(held.filter(manifestation__gt=last)[: PACE.size()]):
        moment = timezone.now()
        with PACE.transaction(len(numbers)):
            for chunk in chunks(numbers):
                books = Manifestation.objects.filter(pk__in=chunk)
                books.update(merge_since=moment, index_pending=True, changed_at=moment)
        marked, last = marked + len(numbers), numbers[-1]
    return marked
