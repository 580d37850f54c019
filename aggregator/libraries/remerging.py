"""Marks the books of libraries for merging: their holdings, links and records are then computed anew, in batches, by
`aggregator.merging.stage`.
"""

from collections.abc import Collection

from django.utils import timezone

from aggregator.models import Holding, Manifestation
from core.database.batches import chunks

LINKING = frozenset({"link_template", "page"})  # fields of a library on which the links of its books depend


def mark_for_merging(libraries: Collection[int]) -> int:
    """Mark the books that these libraries hold, in the transaction of the change; return how many."""
    moment, marked = timezone.now(), 0
    for chunk in chunks(sorted(libraries)):
        held = Holding.objects.filter(library__in=chunk).values("manifestation")
        marked += Manifestation.objects.filter(pk__in=held).update(merge_since=moment)
    return marked
