"""Attributes the use of books to their providers and libraries, and keeps the counts within bounds. Once a day.

The counts of a book are kept for its day only; then its providers and libraries, as they are now, have them. Days are
kept for DAYS_KEPT and then become months, which are kept for MONTHS_KEPT. So the table has, besides the books opened
today, at most about 100 rows for each provider and library, and only for those whose books are read.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from aggregator.models import Holding, Member, UseCount
from aggregator.statistics.use import FOLLOWED, OPENED, Row, add

DAYS_KEPT = 62
MONTHS_KEPT = 36
BATCH = 500  # books in a transaction
_ALL, _BOOK, _PROVIDER, _LIBRARY = UseCount.Kind
_SUBJECTS = (_ALL, _PROVIDER, _LIBRARY)


@dataclass(frozen=True, slots=True)
class MonthOfUse:
    """The use of one month. month: its first day."""

    month: date
    opened: int
    followed: int


def settle(now: datetime) -> None:
    """Attribute the use of past days, make months of old days, delete old months. Safe to repeat."""
    today = timezone.localdate(now)
    past = UseCount.objects.filter(kind=_BOOK, day__lt=today).order_by("pk")
    while rows := list(past[:BATCH]):
        with transaction.atomic():
            _attribute(rows)
            UseCount.objects.filter(pk__in=[row.pk for row in rows]).delete()
    for kind in _SUBJECTS:
        _make_months(kind, today - timedelta(days=DAYS_KEPT))
    UseCount.objects.filter(day__lt=_months_before(today, MONTHS_KEPT)).delete()


def months_of(kind: str, number: int = 0) -> list[MonthOfUse]:
    """Return the use by month, the oldest first. One query."""
    rows = UseCount.objects.filter(kind=kind, number=number).annotate(month=TruncMonth("day")).values("month")
    summed = rows.annotate(opened=Sum("opened"), followed=Sum("followed")).order_by("month")
    return [MonthOfUse(**row) for row in summed]


def _attribute(rows: list[UseCount]) -> None:
    books = {row.number for row in rows}
    owners: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)
    for book, provider in Member.objects.filter(manifestation__in=books).values_list(
        "manifestation", "source_record__repository"
    ):
        owners[book].add((_PROVIDER, provider))
    for book, library in Holding.objects.filter(manifestation__in=books).values_list("manifestation", "library"):
        owners[book].add((_LIBRARY, library))
    sums: dict[str, Counter[Row]] = {OPENED: Counter(), FOLLOWED: Counter()}
    for row in rows:
        for kind, number in owners[row.number]:
            sums[OPENED][kind, number, row.day] += row.opened
            if kind == _PROVIDER:  # links counted for a book lead to full texts, which are the providers'
                sums[FOLLOWED][kind, number, row.day] += row.followed
    for column, counts in sums.items():
        add({row: count for row, count in counts.items() if count}, column)


def _make_months(kind: str, before: date) -> None:
    """Add the days before this one to the first days of their months."""
    days = UseCount.objects.filter(kind=kind, day__lt=before.replace(day=1)).exclude(day__day=1).order_by("pk")
    while rows := list(days[:BATCH]):
        with transaction.atomic():
            for column in (OPENED, FOLLOWED):
                counts: Counter[Row] = Counter()
                for row in rows:
                    counts[row.kind, row.number, row.day.replace(day=1)] += getattr(row, column)
                add({row: count for row, count in counts.items() if count}, column)
            UseCount.objects.filter(pk__in=[row.pk for row in rows]).delete()


def _months_before(day: date, months: int) -> date:
    month = day.year * 12 + day.month - 1 - months
    return date(month // 12, month % 12 + 1, 1)
