"""Counts what the catalogue holds, once a day, in one pass over all books; pages read the stored counts only.

The rows of `ContentFigures`: one for the whole catalogue, one for each provider and library with books, and those of
`aggregator.statistics.crossed`. The counts: see `aggregator.statistics.tallies`. Memory: about 10 kB for each provider
and library, and at most 150 MB for the cells.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Buffer, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from aggregator.catalogue.library_lists import region_counts
from aggregator.models import ContentFigures, Holding, Library, Manifestation, Member, NumberCounter
from aggregator.statistics.crossed import MOST_HOLDERS, CrossedTally
from aggregator.statistics.shares import by_month
from aggregator.statistics.tallies import Tally, WholeTally, facts_of
from core.database.batches import as_json, as_timestamp, upsert
from core.work.garbage import gc_paused
from harvesting.models import DailyCount, Repository
from harvesting.records.compression import unpack_record

BATCH = 5000  # books read at a time
WRITTEN = 500  # rows in a transaction
GROWTH = 1.2  # while a catalogue is being filled, it is counted again whenever it has grown by a fifth
ONLINE_SHOWN = 24  # numbers of the newest books that can be read online
_ALL, _PROVIDER, _LIBRARY, _CROSSED = ContentFigures.Kind
_COLUMNS = ("kind", "number", "books", "counts", "counted_at")


@dataclass(frozen=True, slots=True)
class _Arrivals:
    """New records by month ("2026-11"): in all, and of each provider."""

    all: Mapping[str, int]
    of_provider: Mapping[int, Mapping[str, int]]


def is_due() -> bool:
    """Whether there are books, and the last count is of an earlier day or of a much smaller catalogue."""
    numbers = _last_number()
    if not numbers:
        return False
    last = ContentFigures.objects.filter(kind=_ALL).values_list("counted_at", "counts__numbers").first()
    if last is None:
        return True
    counted_at, counted = last
    return timezone.localdate(counted_at) < timezone.localdate() or numbers > GROWTH * (counted or 0)


def count_contents(now: datetime) -> int:
    """Count all books and store the counts; return the number of books. Safe to repeat."""
    numbers = _last_number()
    whole, tallies = WholeTally(), {_PROVIDER: defaultdict[int, Tally](Tally), _LIBRARY: defaultdict[int, Tally](Tally)}
    online: deque[int] = deque(maxlen=ONLINE_SHOWN)
    today = timezone.localdate(now)
    crossed = CrossedTally(_largest_providers(), _largest_libraries(), today)
    for rows in _pages():
        with gc_paused():
            books = [pk for pk, _record in rows]
            providers, libraries = _providers(books), _libraries(books)
            for pk, record in rows:
                facts = facts_of(unpack_record(record), today)
                whole.add(facts)
                crossed.add(facts, providers[pk], libraries[pk])
                for provider in providers[pk]:
                    tallies[_PROVIDER][provider].add(facts, libraries[pk])
                for library in libraries[pk]:
                    tallies[_LIBRARY][library].add(facts, providers[pk])
                if facts.online:
                    online.append(pk)
    arrivals, stored = _arrivals(), _stored()
    month = f"{today:%Y-%m}"
    for kind, of_kind in tallies.items():
        counts_of = _of_provider(arrivals, stored, month) if kind == _PROVIDER else _of_library
        _write(now, ((kind, pk, tally.books, counts_of(pk, tally)) for pk, tally in of_kind.items()))
    _write(now, ((_CROSSED, number, 0, counts) for number, counts in crossed.rows()))
    counted = whole.counts()
    counts = {
        **counted,
        **whole.tables(),
        **by_month(stored.get(0, {}), counted, whole.books, month),
        "arrived": arrivals.all,
        "prefecture": _prefectures(),
        "online_newest": [*reversed(online)],
        "numbers": numbers,
    }
    _write(now, [(_ALL, 0, whole.books, counts)])  # last, because it says that the count is complete
    ContentFigures.objects.filter(counted_at__lt=now).delete()
    return whole.books


def _last_number() -> int:
    return NumberCounter.objects.values_list("last", flat=True).first() or 0


def _pages() -> Iterator[Sequence[tuple[int, Buffer]]]:
    """The books page by page: one long read would keep a database from cleaning up old row versions."""
    books, last = Manifestation.objects.exclude(record=b"").order_by("pk").values_list("pk", "record"), 0
    while rows := list(books.filter(pk__gt=last)[:BATCH]):
        yield rows
        last = rows[-1][0]


def _providers(books: list[int]) -> Mapping[int, set[int]]:
    """The keys of the providers of books that are next to each other."""
    rows = Member.objects.filter(manifestation__gte=books[0], manifestation__lte=books[-1])
    return _sets(rows.values_list("manifestation", "source_record__repository"))


def _libraries(books: list[int]) -> Mapping[int, set[int]]:
    rows = Holding.objects.filter(manifestation__gte=books[0], manifestation__lte=books[-1])
    return _sets(rows.values_list("manifestation", "library"))


def _largest_providers() -> list[int]:
    """The primary keys of the listed providers with most descriptions, the largest first."""
    rows = Member.objects.filter(source_record__repository__in=Repository.objects.listed())
    return _largest(rows, "source_record__repository")


def _largest_libraries() -> list[int]:
    return _largest(Holding.objects.filter(library__in=Library.objects.current()), "library")


def _largest(rows: QuerySet[Any], column: str) -> list[int]:
    counted = rows.values_list(column).annotate(rows=Count("pk")).order_by("-rows", column)
    return [pk for pk, _rows in counted[:MOST_HOLDERS]]


def _sets(pairs: Iterable[tuple[int, int]]) -> Mapping[int, set[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for book, subject in pairs:
        found[book].add(subject)
    return found


def _of_provider(
    arrivals: _Arrivals, stored: Mapping[int, Mapping[str, Any]], month: str
) -> Callable[[int, Tally], dict[str, Any]]:
    def counts(pk: int, tally: Tally) -> dict[str, Any]:
        counted = tally.counts()
        shares = by_month(stored.get(pk, {}), counted, tally.books, month)
        return {**counted, **tally.tables(), **shares, "arrived": arrivals.of_provider.get(pk, {})}

    return counts


def _of_library(_pk: int, tally: Tally) -> dict[str, Any]:
    return {**tally.counts(), **tally.tables()}


def _stored() -> Mapping[int, Mapping[str, Any]]:
    """Return the last counts of the whole catalogue (0) and of each provider."""
    rows = ContentFigures.objects.filter(kind__in=(_ALL, _PROVIDER)).values_list("number", "counts")
    return dict(rows.iterator())


def _arrivals() -> _Arrivals:
    """New records by month, from the daily counts. These are deleted after some time (`daily_counts.KEPT`): what was
    counted of a month before is never replaced by less.
    """
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    stored = ContentFigures.objects.filter(kind__in=(_ALL, _PROVIDER)).values_list("number", "counts__arrived")
    before = {number: Counter[str](months or {}) for number, months in stored}
    months = DailyCount.objects.annotate(month=TruncMonth("day")).values_list("repository", "month")
    for repository, month, records in months.annotate(records=Sum("created")).order_by().filter(records__gt=0):
        found[repository][f"{month:%Y-%m}"] += records
        found[0][f"{month:%Y-%m}"] += records
    largest = {number: found[number] | before.get(number, Counter()) for number in {*found, *before}}
    ordered = {number: dict(sorted(counter.items())) for number, counter in largest.items()}
    return _Arrivals(ordered.pop(0, {}), ordered)


def _prefectures() -> dict[str, int]:
    """Libraries by the code of their prefecture, "" where it is not known."""
    regions, elsewhere = region_counts()
    counts = {count.place.code: count.libraries for region in regions for count in region.prefectures}
    return {"": elsewhere, **counts}


def _write(now: datetime, rows: Iterable[tuple[str, int, int, dict[str, Any]]]) -> None:
    values = ((kind, pk, books, as_json(counts), as_timestamp(now)) for kind, pk, books, counts in rows)
    for batch in batched(values, WRITTEN):
        with transaction.atomic():
            upsert(ContentFigures, _COLUMNS, batch, ("kind", "number"), ("books", "counts", "counted_at"))
