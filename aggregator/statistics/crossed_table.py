"""A table of two of the five properties by which books are counted at once, limited by values of the others.

Reads the stored cells (`aggregator.statistics.crossed`); counts nothing in the catalogue.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import batched

from django.urls import reverse
from django.utils.translation import gettext as _

from aggregator.libraries.addresses import library_path
from aggregator.libraries.numbers import library_number
from aggregator.models import ContentFigures, Library
from aggregator.results.facets import span_label
from aggregator.results.years import Span, decade
from aggregator.statistics.crossed import (
    ANY,
    DECADE,
    EARLIER,
    IN_CELL,
    LIBRARY,
    LICENCE,
    PROPERTIES,
    PROVIDER,
    TYPE,
    Values,
)
from aggregator.statistics.plots import MOST_TYPES, kind_name, licence_name
from aggregator.statistics.tallies import OTHER
from core.plots.columns import Datum
from core.plots.figure import Plot, Series, plot
from harvesting.models import Repository

_IN_ORDER = (PROVIDER, *IN_CELL)
_SUMMED = frozenset({DECADE, LICENCE})  # a book has one of these, so the cells need no ANY
_ROWS = ContentFigures.objects.filter(kind=ContentFigures.Kind.CROSSED)
NONE = "none"  # in an address: books without the property
type Rows = Mapping[int, Sequence[int]]  # place of the provider -> its cells


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a property. code: as in addresses and files; url: of its page, "" if it has none."""

    value: str
    code: str
    label: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a table shows. rows, columns: two properties; limits: property -> the code of the value it is limited to."""

    rows: str
    columns: str
    limits: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table. total: books in any column."""

    value: Value
    counts: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Table:
    """The counts of a choice. options: property -> the values that it may be limited to."""

    choice: Choice
    columns: tuple[Value, ...]
    lines: tuple[Line, ...]
    totals: tuple[int, ...]
    total: int
    options: Mapping[str, tuple[Value, ...]]


def choice_of(parameters: Mapping[str, str]) -> Choice:
    """Return what the parameters of an address ask for; unknown properties become the usual ones, types by decade."""
    rows, columns = (parameters.get(name, "") for name in ("rows", "columns"))
    rows = rows if rows in PROPERTIES else TYPE
    if columns not in PROPERTIES or columns == rows:
        columns = DECADE if rows != DECADE else TYPE
    others = [name for name in PROPERTIES if name not in (rows, columns)]
    return Choice(rows, columns, {name: code for name in others if (code := parameters.get(name, ""))})


def table_of(choice: Choice) -> Table | None:
    """Return the table; None until the catalogue has been counted. Four queries."""
    stored = _last_count()
    if stored is None:
        return None
    options = named(stored.values)
    limits = {name: value for name, code in choice.limits.items() if (value := _with_code(options[name], code))}
    choice = Choice(choice.rows, choice.columns, {name: value.code for name, value in limits.items()})
    cells = _Cells(stored, {name: value.value for name, value in limits.items()})
    rows = cells.read(choice)
    counts = cells.counted(rows, (choice.rows, choice.columns))
    by_row, by_column = cells.counted(rows, (choice.rows,)), cells.counted(rows, (choice.columns,))
    columns = tuple(value for value in options[choice.columns] if by_column[(value.value,)])
    lines = (
        Line(row, tuple(counts[row.value, column.value] for column in columns), by_row[(row.value,)])
        for row in options[choice.rows]
        if by_row[(row.value,)]
    )
    totals = tuple(by_column[(column.value,)] for column in columns)
    return Table(choice, columns, tuple(lines), totals, cells.counted(rows, ())[()], options)


def plot_of(table: Table) -> Plot | None:
    """Plot a table: a column for each of its columns, coloured by its rows; small rows together."""
    ordered = sorted(table.lines, key=lambda line: -line.total)
    shown, rare = ordered[:MOST_TYPES], ordered[MOST_TYPES:]
    series = [Series(f"series-{place}", line.value.label) for place, line in enumerate(shown)]
    series += [Series(f"series-{MOST_TYPES}", _("Others"))] if rare else []
    data = []
    for place, column in enumerate(table.columns):
        counts = (
            *(line.counts[place] for line in shown),
            *([sum(line.counts[place] for line in rare)] if rare else ()),
        )
        data.append(Datum(label=column.label, counts=counts, text=f"{sum(counts):,}"))
    names = property_names()
    name = f"{names[table.choice.rows]} × {names[table.choice.columns]}"
    return plot(name, names[table.choice.columns], _("titles"), series, data)


def property_names() -> dict[str, str]:
    """Return the names of the properties in the reader's language."""
    return {
        TYPE: _("Type of material"),
        PROVIDER: _("Provider"),
        LIBRARY: _("Library"),
        DECADE: _("Decade of publication"),
        LICENCE: _("Licence"),
    }


@dataclass(frozen=True, slots=True)
class _Stored:
    """The cells of one count. values: as in `crossed`."""

    values: Values
    counted_at: datetime

    def cells(self, numbers: Collection[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield number and cells of these rows, one row at a time; nothing if there is a later count by now."""
        rows = _ROWS.filter(number__in=numbers, counted_at=self.counted_at).order_by("number")
        yield from rows.values_list("number", "counts__cells").iterator(chunk_size=1)


def _last_count() -> _Stored | None:
    """Return the last count; None until the catalogue has been counted. One query."""
    row = _ROWS.filter(number=0).values_list("counts__values", "counted_at").first()
    return _Stored(*row) if row else None


def all_cells() -> Iterator[tuple[str | int | None, ...]]:
    """Yield every cell as codes in the order of PROPERTIES, and its count; ANY stands for all books, "" for those
    without the property.

    Cells of a provider or library that is not shown any more are left out. Rows are read one at a time.
    """
    stored = _last_count()
    if stored is None:
        return
    values = stored.values
    shown = {name: {value.value: value.code for value in of_name} for name, of_name in named(values).items()}
    codes = [[_in_file(shown[name], value) for value in values[name]] for name in _IN_ORDER]
    for number, flat in stored.cells(range(len(values[PROVIDER]))):
        for *places, count in batched(flat, len(IN_CELL) + 1):
            provider, kind, *rest = (of_name[at] for of_name, at in zip(codes, (number, *places), strict=True))
            if provider is not None and rest[0] is not None:
                yield kind, provider, *rest, count


def _in_file(shown: Mapping[str, str], value: str) -> str | None:
    """Return the code of a value in a file; None if it is not shown any more."""
    code = ANY if value == ANY else shown.get(value)
    return "" if code == NONE else code


def named(values: Values) -> dict[str, tuple[Value, ...]]:
    """Return the values that a table may have, with codes and names.

    Providers and libraries that the site does not show are left out. Two queries.
    """
    holders = {PROVIDER: _providers(values[PROVIDER]), LIBRARY: _libraries(values[LIBRARY])}
    found = {}
    for name in PROPERTIES:
        of_name = (_value(name, value, values[DECADE], holders.get(name, {})) for value in values[name])
        found[name] = tuple(
            Value(one.value, one.code or NONE, one.label, one.url) for one in of_name if one and one.value != ANY
        )
    return found


def _value(name: str, value: str, decades: Sequence[str], holders: Mapping[str, Value]) -> Value | None:
    if name in (PROVIDER, LIBRARY):
        others = _("Other providers") if name == PROVIDER else _("Other libraries")
        grouped = {OTHER: Value(OTHER, OTHER, others), "": Value("", "", _("Held by no library"))}
        return grouped.get(value) or holders.get(value)
    if name == DECADE:
        return Value(value, value, _decade_name(value, decades))
    return Value(value, value, kind_name(value) if name == TYPE else licence_name(value))


def _decade_name(value: str, decades: Sequence[str]) -> str:
    if value == EARLIER:
        first = next((decade for decade in decades if decade.isdigit()), "")
        return span_label(Span(0, int(first) - 1)) if first else _("Earlier")
    return span_label(decade(int(value))) if value else _("Year unknown")


def _providers(values: Collection[str]) -> dict[str, Value]:
    rows = Repository.objects.listed().filter(pk__in=_keys(values))
    return {
        str(row.pk): Value(str(row.pk), row.number, row.label, reverse("repository", args=[row.number])) for row in rows
    }


def _libraries(values: Collection[str]) -> dict[str, Value]:
    rows = Library.objects.current().only("name", "name_en").filter(pk__in=_keys(values))
    return {str(row.pk): Value(str(row.pk), library_number(row.pk), row.label, library_path(row.pk)) for row in rows}


def _keys(values: Collection[str]) -> list[int]:
    return [int(value) for value in values if value.isdigit()]


def _with_code(values: Sequence[Value], code: str) -> Value | None:
    return next((value for value in values if value.code == code), None)


class _Cells:
    """Adds up stored cells. limits: property -> the value that it is limited to."""

    def __init__(self, stored: _Stored, limits: Mapping[str, str]) -> None:
        self._stored, self._values, self._limits = stored, stored.values, limits

    def read(self, choice: Choice) -> Rows:
        """Read the rows of providers that a table needs. One query."""
        providers = self._values[PROVIDER]
        if PROVIDER in (choice.rows, choice.columns):
            return dict(self._stored.cells(range(len(providers))))
        return dict(self._stored.cells([providers.index(self._limits.get(PROVIDER, ANY))]))

    def counted(self, rows: Rows, axes: tuple[str, ...]) -> Counter[tuple[str, ...]]:
        """Return the values of the axes -> books, within the limits."""
        providers, kinds, libraries, decades, licences = (self._wanted(name, axes) for name in _IN_ORDER)
        drawn = [_IN_ORDER.index(name) for name in axes]
        found: Counter[tuple[int, ...]] = Counter()
        for number, flat in rows.items():
            if number not in providers:
                continue
            for kind, library, year, licence, count in batched(flat, len(IN_CELL) + 1):
                if kind in kinds and library in libraries and year in decades and licence in licences:
                    cell = (number, kind, library, year, licence)
                    found[tuple([cell[place] for place in drawn])] += count
        named = {key: zip(axes, key, strict=True) for key in found}
        return Counter({tuple([self._values[name][place] for name, place in named[key]]): found[key] for key in found})

    def _wanted(self, name: str, axes: tuple[str, ...]) -> frozenset[int]:
        """The places of the values of a property whose cells are added up."""
        values = self._values[name]
        if name in axes:
            return frozenset(place for place, value in enumerate(values) if value != ANY)
        if name in self._limits:
            return frozenset({values.index(self._limits[name])})
        return frozenset(range(len(values)) if name in _SUMMED else (values.index(ANY),))
