"""How many readers the questions of the matcher concern: how often they opened the pages of the books in question."""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Q, Sum
from django.utils import timezone

from aggregator.models import Core, ReviewPair, UseCount
from core.database.batches import chunks


def note_readers(now: datetime) -> int:
    """Store with every question how often the pages of its books were opened on the days that have ended and are still
    counted by book; return how many questions changed.

    Called before these days are attributed to providers (`aggregator.statistics.use_days`). Without such days nothing
    changes, so that it is safe to repeat.
    """
    past = UseCount.objects.filter(kind=UseCount.Kind.BOOK, day__lt=timezone.localdate(now))
    opened = dict(past.values_list("number").annotate(times=Sum("opened")).order_by())
    if not opened:
        return 0
    readers: Counter[int] = Counter()
    for books in chunks(opened):
        for pk, book in _questions_about(books):
            readers[pk] += opened[book]
    stored = ReviewPair.objects.filter(asked=True)
    before = dict(stored.exclude(readers=0).values_list("pk", "readers"))
    changed = {pk: readers[pk] for pk in before.keys() | readers.keys() if readers[pk] != before.get(pk, 0)}
    _store(changed)
    return len(changed)


def _questions_about(books: Collection[int]) -> set[tuple[int, int]]:
    """(question, book) for the questions that concern one of these books."""
    cores = dict(Core.objects.filter(manifestation__in=books).values_list("pk", "manifestation"))
    found: set[tuple[int, int]] = set()
    for part in chunks(cores):
        about = ReviewPair.objects.filter(Q(first_core__in=part) | Q(second_core__in=part), asked=True)
        for pk, *sides in about.values_list("pk", "first_core", "second_core"):
            found.update((pk, cores[core]) for core in sides if core in cores)
    return found


def _store(changed: Mapping[int, int]) -> None:
    for part in chunks(changed):
        rows = [ReviewPair(pk=pk, readers=changed[pk]) for pk in part]
        ReviewPair.objects.bulk_update(rows, ["readers"])
