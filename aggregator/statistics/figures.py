"""Reads the stored counts of the catalogue. Counts nothing itself."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aggregator.models import ContentFigures
from aggregator.statistics.tallies import ONLINE, Counts, Table

KINDS = (ContentFigures.Kind.PROVIDER, ContentFigures.Kind.LIBRARY)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was counted of the catalogue, a provider or a library. number: as in `ContentFigures`. tables: by two
    properties.
    """

    number: int
    books: int
    counts: Counts
    counted_at: datetime
    tables: Mapping[str, Table] = field(default_factory=dict)

    def by(self, name: str) -> dict[str, int]:
        """Return value -> books for a property; {} if none was counted."""
        return dict(self.counts.get(name, {}))

    def table(self, name: str) -> Table:
        """Return value of the first property -> value of the second -> books; {} if it was not counted."""
        return self.tables.get(name, {})

    @property
    def online(self) -> int:
        return self.by("online").get(ONLINE, 0)


@dataclass(frozen=True, slots=True)
class WholeFigures(Figures):
    """What was counted of the whole catalogue. online_newest: numbers of the newest books that can be read online, the
    newest first.
    """

    online_newest: tuple[int, ...] = ()


TABLES = ("class_year", "type_year", "type_decade", "type_licence")


def whole() -> WholeFigures | None:
    """Return the counts of the whole catalogue; None until it has been counted for the first time. One query."""
    row = ContentFigures.objects.filter(kind=ContentFigures.Kind.ALL).first()
    if row is None:
        return None
    counts, tables = _parted(row)
    online = tuple(counts.pop("online_newest", ()))
    counts.pop("numbers", None)
    return WholeFigures(0, row.books, counts, row.counted_at, tables, online)


def figures_of(kind: str, number: int) -> Figures | None:
    """Return the counts of a provider or library; None if it has not been counted, or has no books. One query."""
    row = ContentFigures.objects.filter(kind=kind, number=number).first()
    return _of_one(row) if row else None


def largest(kind: str, most: int, without: Collection[int] = ()) -> list[Figures]:
    """Return the providers or libraries with most books. One query."""
    rows = ContentFigures.objects.filter(kind=kind).order_by("-books", "number")
    if without:
        rows = rows.exclude(number__in=without)
    return [_of_one(row) for row in rows[:most]]


def _of_one(row: ContentFigures) -> Figures:
    counts, tables = _parted(row)
    return Figures(row.number, row.books, counts, row.counted_at, tables)


def _parted(row: ContentFigures) -> tuple[dict[str, Any], dict[str, Table]]:
    """Return the counts by one property and those by two."""
    counts = {**row.counts}
    return counts, {name: counts.pop(name, {}) for name in TABLES}
