"""Lists of items in the order of their stamps. Reads by key only, so that all pages cost the same.

A list ends at the second in which it began (`begin_list`), and its client keeps that second over all pages. An item
that changes meanwhile moves behind that second, and is part of the client's next list.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from aggregator.catalogue.identity import COPY_NAME
from aggregator.models import Provided, ProvidedCopy, ProvidedType
from aggregator.provision.pending import number_of, of_merged, of_record
from aggregator.provision.sets import COPIES, EVERY_REPOSITORY, EVERYTHING, Part
from aggregator.provision.stamps import list_sizes
from aggregator.provision.stamps.barrier import current_second, wait_for_stamps
from core.http.row_ids import row_id
from harvesting.models import Repository, SourceRecord

START = (-1, -1)  # the place before the first entry
_LAST = 2**62  # a second behind all stamps
MOST_COUNTED = 100_000  # entries that are counted one by one for a size, which takes some hundredths of a second


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An item that is or was redistributed. stamp: seconds since 1970. origin: key of its provider, 0 = merged.

    A single copy of a book has the origin COPIES, its row in `ProvidedCopy` as item, and its name as public_id.
    """

    item: int
    stamp: int
    deleted: bool
    origin: int
    public_id: str
    types: str

    @property
    def place(self) -> tuple[int, int]:
        """Its sort key in every list."""
        return self.stamp, self.item

    @property
    def name(self) -> str:
        """Its public name: R123456789-I…, for a merged record M and its number."""
        return self.public_id or f"M{number_of(self.item)}"


@dataclass(frozen=True, slots=True)
class Span:
    """What to list: a part, from one second until another, both included."""

    until: int
    part: Part = EVERYTHING
    from_: int = 0


def begin_list() -> int:
    """Return the current second, once all items with a stamp up to it can be read. Raises StampingTimeout."""
    now = current_second()
    wait_for_stamps()
    return now


def page(span: Span, limit: int, after: tuple[int, int] = START) -> list[Entry]:
    """Return the next entries after a place."""
    if span.part.parts:
        found = [entry for part in span.part.parts for entry in page(replace(span, part=part), limit, after)]
        # An item may have left one part and be in another: the entry that is not deleted counts.
        entries = {entry.place: entry for entry in sorted(found, key=lambda entry: entry.deleted, reverse=True)}
        return [entries[place] for place in sorted(entries)[:limit]]
    table = _table(span.part)
    order = ", ".join(_key(span.part))
    where, values = _where(span, after)
    statement = f"SELECT {_COLUMNS[table]} FROM {_TABLES[table]} WHERE {where} ORDER BY {order} LIMIT %s"  # noqa: S608
    return [Entry(item, stamp, bool(gone), *rest) for item, stamp, gone, *rest in _read(statement, [*values, limit])]


def size(span: Span) -> int | None:
    """Return the total number of entries, or None if finding it would take long. Call it once per list.

    If the part consists of several parts, an entry counts once for each of them that contains it.
    """
    if span.part.parts:
        sizes = [size(replace(span, part=part)) for part in span.part.parts]
        return None if None in sizes else sum(filter(None, sizes))
    whole = list_sizes.size(span.part)
    others = None if whole is None else _size_outside(span)
    return _counted(span) if whole is None or others is None else whole - others


def _size_outside(span: Span) -> int | None:
    """Return the number of entries of the part before and after the span, or None if there are many."""
    before = _counted(replace(span, from_=0, until=span.from_ - 1)) if span.from_ else 0
    after = None if before is None else _counted(replace(span, from_=span.until + 1, until=_LAST))
    return None if before is None or after is None else before + after


def _counted(span: Span) -> int | None:
    """Return the number of entries by counting them, or None if there are more than MOST_COUNTED."""
    table = _table(span.part)
    where, values = _where(span, START)
    tables = _TABLES[table] if "p." in where else _TABLES[table].partition(" JOIN")[0]
    rows = f"SELECT 1 FROM {tables} WHERE {where} ORDER BY {', '.join(_key(span.part))} LIMIT %s"  # noqa: S608 no values
    count: int = _read(f"SELECT count(*) FROM ({rows}) counted", [*values, MOST_COUNTED + 1])[0][0]  # noqa: S608
    return count if count <= MOST_COUNTED else None


def is_empty(part: Part) -> bool:
    """Return whether every list of a part would be empty: it has never had an item."""
    return not page(Span(until=_LAST, part=part), 1)


def names() -> Iterator[str]:
    """Yield the names (`sets.names_of`) that any item has or had, each by one step in the index."""
    last = ""
    while found := ProvidedType.objects.filter(type__gt=last).order_by("type").values_list("type", flat=True).first():
        yield found
        last = found


def providers() -> QuerySet[Repository]:
    """Return the providers of which any record is or was redistributed."""
    entries = Provided.objects.filter(origin=OuterRef("pk"), stamp__isnull=False)
    return Repository.objects.filter(Exists(entries)).order_by("number")


def earliest() -> int | None:
    """Return the first stamp, or None if nothing has been redistributed so far."""
    return Provided.objects.filter(stamp__isnull=False).order_by("stamp").values_list("stamp", flat=True).first()


def find(name: str) -> Entry | None:
    """Return the entry with this name, also if it is deleted; None if there never was one."""
    if copy := COPY_NAME.fullmatch(name):
        item, library, place = of_merged(int(copy[1])), int(copy[2]), int(copy[3])
        found = ProvidedCopy.objects.filter(item=item, library=library, number=place).first()
        return Entry(found.pk, found.stamp, found.gone, COPIES, name, "") if found else None
    items = Provided.objects.filter(stamp__isnull=False)
    if name[:1] == "M" and (merged := row_id(name[1:])):
        items = items.filter(pk=of_merged(merged)) if name == f"M{merged}" else items.none()
    else:
        number = SourceRecord.objects.filter(public_id=name).values_list("pk", flat=True).first()
        items = items.filter(pk=of_record(number)) if number else items.filter(public_id=name, deleted=True)
    row: tuple[Any, ...] | None = items.values_list("pk", "stamp", "deleted", "origin", "public_id", "types").first()
    return Entry(*row) if row else None


_ITEM = {"p": "id", "t": "item", "c": "id"}
_TABLES = {
    "p": "aggregator_provided p",
    "t": "aggregator_providedtype t JOIN aggregator_provided p ON p.id = t.item",
    "c": "aggregator_providedcopy c",
}
# An item that has lost a type is listed under that type as deleted, with that type only. In the lists of the types that
# it still has, it is listed as it is.
_COLUMNS = {
    "p": "p.id, p.stamp, p.deleted, p.origin, p.public_id, p.types",
    "t": "t.item, t.stamp, t.gone, p.origin, p.public_id, CASE WHEN t.gone THEN t.type ELSE p.types END",
    "c": f"c.id, c.stamp, c.gone, {COPIES}, 'M' || (c.item / 2) || '-L' || c.library || '-' || c.number, ''",
}


def _table(part: Part) -> str:
    if part.origin == COPIES:
        return "c"
    return "t" if part.type else "p"


def _key(part: Part) -> list[str]:
    """Return the columns in the order of which a part is read. Those of an index that begins with the origin, for one
    origin: with an equal origin as a condition only, PostgreSQL reads all origins in the order of stamps and leaves
    out the others, if it believes that the wanted one will soon come; it may come after ten million others.
    """
    table = _table(part)
    return [*(["p.origin"] if _is_of_one_origin(part) else []), f"{table}.stamp", f"{table}.{_ITEM[table]}"]


def _is_of_one_origin(part: Part) -> bool:
    return _table(part) == "p" and part.origin not in (None, EVERY_REPOSITORY)


def _together(columns: list[str]) -> str:
    return f"({', '.join(columns)})"


def _marks(columns: list[str]) -> str:
    return _together(["%s"] * len(columns))


def _where(span: Span, after: tuple[int, int]) -> tuple[str, list[Any]]:
    """Return the condition and its values. By the row comparison the database starts in the index behind `after`."""
    table, key = _table(span.part), _key(span.part)
    origin = [span.part.origin] if _is_of_one_origin(span.part) else []
    conditions = [f"{_together(key)} > {_marks(key)}", f"{_together(key[:-1])} <= {_marks(key[:-1])}"]
    values: list[Any] = [*origin, *max(after, (span.from_, -1)), *origin, span.until]
    if table == "t":
        conditions.append("t.type = %s")
        values.append(span.part.type)
    if span.part.origin == EVERY_REPOSITORY:
        conditions.append("+p.origin > 0")  # the plus sign makes SQLite use the index of stamps
    if span.part.without:
        conditions.append(
            "NOT EXISTS (SELECT 1 FROM aggregator_providedtype x "  # noqa: S608 no values in it
            f"WHERE x.item = p.id AND NOT x.gone AND x.type IN {_marks(list(span.part.without))})"
        )
        values += span.part.without
    return " AND ".join(conditions), values


def _read(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
