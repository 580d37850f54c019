"""Reads the stored counts of the catalogue. Counts nothing itself."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from aggregator.models import ContentFigures
from aggregator.statistics.tallies import ONLINE, Counts, Table

KINDS = (ContentFigures.Kind.PROVIDER, ContentFigures.Kind.LIBRARY)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was counted of the catalogue, a provider or a library. number: as in `ContentFigures`."""

    number: int
    books: int
    counts: Counts
    counted_at: datetime

    def by(self, name: str) -> dict[str, int]:
        """Return value -> books for a property; {} if none was counted."""
        return dict(self.counts.get(name, {}))

    @property
    def online(self) -> int:
        return self.by("online").get(ONLINE, 0)


@dataclass(frozen=True, slots=True)
class WholeFigures(Figures):
    """What was counted of the whole catalogue. tables: by two properties. online_newest: numbers of the newest books
    that can be read online, the newest first.
    """

    tables: dict[str, Table] = field(default_factory=dict)
    online_newest: tuple[int, ...] = ()

    def table(self, name: str) -> Table:
        return self.tables.get(name, {})


TABLES = ("class_year", "type_year", "type_licence")


def whole() -> WholeFigures | None:
    """Return the counts of the whole catalogue; None until it has been counted for the first time. One query."""
    row = ContentFigures.objects.filter(kind=ContentFigures.Kind.ALL).first()
    if row is None:
        return None
    counts = {**row.counts}
    tables = {name: counts.pop(name, {}) for name in TABLES}
    online = tuple(counts.pop("online_newest", ()))
    counts.pop("numbers", None)
    return WholeFigures(0, row.books, counts, row.counted_at, tables, online)


def figures_of(kind: str, number: int) -> Figures | None:
    """Return the counts of a provider or library; None if it has not been counted, or has no books. One query."""
    row = ContentFigures.objects.filter(kind=kind, number=number).first()
    return Figures(row.number, row.books, row.counts, row.counted_at) if row else None


def largest(kind: str, most: int, without: Collection[int] = ()) -> list[Figures]:
    """Return the providers or libraries with most books. One query."""
    rows = ContentFigures.objects.filter(kind=kind).order_by("-books", "number")
    if without:
        rows = rows.exclude(number__in=without)
    return [Figures(row.number, row.books, row.counts, row.counted_at) for row in rows[:most]]
