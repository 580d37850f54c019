"""Counts the headings of all merged records, in the background and in small transactions. Repeatable.

A run reads the catalogue once, in the order of its numbers, and remembers its position with every batch, so that a
killed run continues where it stopped. When all books are counted, the names of one person are joined
(`aggregator.browse.joining`), and the run becomes the one that pages show; rows of earlier runs are removed.

The next run is due when a hundred times the work of the last one has passed, but not before LEAST and not after MOST:
so the counting takes at most a hundredth of a processor, and a small site is up to date within minutes.
"""

import time
from collections.abc import Buffer, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Count
from django.utils import timezone

from aggregator.browse.joining import join_names
from aggregator.browse.kinds import Stated, headings
from aggregator.browse.letters import letter_of, sort_key
from aggregator.models import Heading, HeadingLink, HeadingRun, Manifestation
from core.database.batches import add, insert, select_in, update, upsert
from core.database.locks import Work, try_lock
from core.database.pacing import Pace
from core.work.garbage import gc_paused
from harvesting.records.compression import unpack_record

PACE = Pace(2000, least=20)  # books per transaction
REMOVED = 5000  # rows of an earlier run per transaction
LEAST, MOST = timedelta(minutes=3), timedelta(days=1)  # between two runs
SHARE = 100  # how many times the work of a run passes until the next
_COLUMNS = ("run", "kind", "code", "label", "reading", "letter", "key", "books", "first_year", "last_year", "main")
_LINK_COLUMNS = ("run", "code", "is_name", "value", "text")


class _Row(NamedTuple):
    """A heading that the run already has; the fields are columns."""

    id: int
    code: str
    reading: str
    first_year: int
    last_year: int


class _Counted(NamedTuple):
    """A heading with its books in a batch, and their years."""

    stated: Stated
    books: int
    first_year: int
    last_year: int


def is_due() -> bool:
    """Return whether a run is unfinished, or it is time for the next one and there is something to count."""
    last = HeadingRun.objects.order_by("-pk").first()
    if last is None:
        return Manifestation.objects.exclude(record=b"").exists()
    if last.finished_at is None:
        return True
    wait = min(max(timedelta(seconds=SHARE * last.seconds), LEAST), MOST)
    return timezone.now() > last.finished_at + wait


def count_headings() -> Iterator[int]:
    """Count all headings; yield the number of books after each batch. Does nothing while another process counts."""
    with try_lock(Work.HEADINGS) as ours:
        if not ours:
            return
        run = HeadingRun.objects.filter(finished_at=None).first()
        run = run or HeadingRun.objects.create(started_at=timezone.now())
        with suppress(_Forgotten):
            while books := _count_batch(run):
                yield books
            _finish(run)


class _Forgotten(Exception):
    """The run was removed meanwhile, see `forget_headings`."""


def _finish(run: HeadingRun) -> None:
    began = time.process_time()
    join_names(run.pk)
    run.letters = _letters(run.pk)
    run.seconds += time.process_time() - began
    _save(run, letters=run.letters, seconds=run.seconds, finished_at=timezone.now())
    _remove_earlier(run.pk)


def _save(run: HeadingRun, **columns: object) -> None:
    if not HeadingRun.objects.filter(pk=run.pk).update(**columns):
        raise _Forgotten


def current_run() -> HeadingRun | None:
    """Return the run that pages show; None before the first one is finished."""
    return HeadingRun.objects.filter(finished_at__isnull=False).order_by("-pk").first()


def _count_batch(run: HeadingRun) -> int:
    began = time.process_time()
    waiting = Manifestation.objects.filter(pk__gt=run.position).exclude(record=b"").order_by("pk")
    rows = list(waiting.values_list("pk", "record")[: PACE.size()])
    if not rows:
        return 0
    with gc_paused():
        counted, links = _headings_of(record for _pk, record in rows)
    with PACE.transaction(len(rows)):
        _write(run.pk, counted)
        upsert(HeadingLink, _LINK_COLUMNS, [(run.pk, *link) for link in links], ("run", "code", "value"), ())
        run.position, run.books = rows[-1][0], run.books + len(rows)
        run.seconds += time.process_time() - began
        _save(run, position=run.position, books=run.books, seconds=run.seconds)
    return len(rows)


def _headings_of(records: Iterable[Buffer]) -> tuple[dict[str, _Counted], list[tuple[str, bool, str, str]]]:
    """Return the headings of these records by code, and the rows of what records say about them."""
    counted: dict[str, _Counted] = {}
    links: dict[tuple[str, str], tuple[str, bool, str, str]] = {}
    for packed in records:
        record = unpack_record(bytes(packed))
        year = int(record.year) if record.year.isascii() and record.year.isdecimal() else 0
        for code, stated in headings(record).items():
            counted[code] = _with_book(counted.get(code), stated, year)
            for name in stated.names:
                other = stated.code_of_name(name)
                if other != code:
                    links[code, other] = (code, True, other, name)
            for identifier in stated.identifiers:
                links[code, identifier] = (code, False, identifier, "")
    return counted, list(links.values())


def _with_book(known: _Counted | None, stated: Stated, year: int) -> _Counted:
    if known is None:
        return _Counted(stated, 1, year, year)
    reading = known.stated.reading or stated.reading
    first = min(filter(None, (known.first_year, year)), default=0)
    return _Counted(known.stated._replace(reading=reading), known.books + 1, first, max(known.last_year, year))


def _write(run: int, counted: Mapping[str, _Counted]) -> None:
    """Add the counts of a batch to the rows of the run."""
    found = select_in(Heading, _Row._fields, "code", list(counted), run=run)
    known = {row.code: row for row in map(_Row._make, found)}
    insert(Heading, _COLUMNS, [_new(run, code, one) for code, one in counted.items() if code not in known])
    add(Heading, "books", [(counted[code].books, row.id) for code, row in known.items()])
    years = [(*_span(row, counted[code]), row.id) for code, row in known.items()]
    spans = {row.id: (row.first_year, row.last_year) for row in known.values()}
    update(Heading, ("first_year", "last_year"), [row for row in years if row[:2] != spans[row[2]]])
    update(
        Heading,
        ("reading", "key", "letter"),
        [
            (*_sorted_by(counted[code].stated), row.id)
            for code, row in known.items()
            if counted[code].stated.reading and not row.reading
        ],
    )


def _new(run: int, code: str, counted: _Counted) -> tuple[object, ...]:
    stated = counted.stated
    reading, key, letter = _sorted_by(stated)
    span = (counted.first_year, counted.last_year)
    return run, stated.kind, code, stated.label, reading, letter, key, counted.books, *span, ""


def _sorted_by(stated: Stated) -> tuple[str, str, str]:
    """Return the reading of a heading, its sort key, and its letter."""
    reading = stated.reading[:200] if stated.reading.isprintable() else ""
    key = sort_key(stated.label, reading)
    return reading, key, letter_of(key)


def _span(row: _Row, counted: _Counted) -> tuple[int, int]:
    first = min(filter(None, (row.first_year, counted.first_year)), default=0)
    return first, max(row.last_year, counted.last_year)


def _letters(run: int) -> dict[str, dict[str, int]]:
    rows = Heading.objects.filter(run=run).order_by().values_list("kind", "letter").annotate(headings=Count("pk"))
    letters: dict[str, dict[str, int]] = {}
    for kind, letter, number in rows:
        letters.setdefault(kind, {})[letter] = number
    return letters


def forget_headings() -> None:
    """Remove all headings, so that nothing of erased records remains. The next run is due at once."""
    last = HeadingRun.objects.order_by("-pk").first()
    if last:
        HeadingRun.objects.create(started_at=timezone.now())
        _remove_earlier(last.pk + 1)


def _remove_earlier(run: int) -> None:
    HeadingRun.objects.filter(pk__lt=run).delete()  # first, so that no page shows a part of it
    for model in (Heading, HeadingLink):
        while pks := list(model.objects.filter(run__lt=run).order_by().values_list("pk", flat=True)[:REMOVED]):
            model.objects.filter(pk__in=pks).delete()
