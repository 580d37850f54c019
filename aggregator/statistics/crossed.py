"""Counts books by five properties at once: type, provider, library, decade and licence. Pure.

A cell is a combination of values; its count is the number of books that have all of them. A book may have several
types, providers and libraries, so sums over these would count it twice: for each of the three, books are counted under
ANY too. The number of cells is bounded: the largest providers and libraries, the last decades and the most frequent
licences stand alone, all others together; types are of a closed list. So there are at most
32 · 10 · 11 · 12 · 8 = 337,920 cells, whatever is harvested.

The cells are stored as rows of `ContentFigures`, one for each provider (`number`: its place among the values), so that
a table without providers is read from one row. A row has `cells`: flat, five integers a cell, which are the places of
type, library, decade and licence among the values, and the count; the row 0 has the `values`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import product
from typing import Any

from aggregator.search.materials import TYPES
from aggregator.statistics.tallies import OTHER, Facts

TYPE, PROVIDER, LIBRARY, DECADE, LICENCE = PROPERTIES = ("type", "provider", "library", "decade", "licence")
IN_CELL = (TYPE, LIBRARY, DECADE, LICENCE)  # the properties of a cell within the row of a provider
ANY = "*"  # all books, whatever their value is
EARLIER = "earlier"
MOST_HOLDERS = 8  # providers, and libraries, that stand alone
MOST_DECADES = 10
MOST_LICENCES = 6
type Values = dict[str, list[str]]  # property -> its values; providers and libraries by primary key
type Cell = tuple[str, str, str, str, str]  # in the order of PROPERTIES


class CrossedTally:
    """The cells of the catalogue. providers, libraries: primary keys of those that stand alone, the largest first."""

    def __init__(self, providers: Sequence[int], libraries: Sequence[int], today: date) -> None:
        self._providers = {pk: str(pk) for pk in providers[:MOST_HOLDERS]}
        self._libraries = {pk: str(pk) for pk in libraries[:MOST_HOLDERS]}
        last = (today.year + 1) // 10 * 10  # a book may be of the next year
        self._decades = [str(decade) for decade in range(last - 10 * (MOST_DECADES - 1), last + 1, 10)]
        self._cells: Counter[Cell] = Counter()

    def add(self, facts: Facts, providers: Collection[int], libraries: Collection[int]) -> None:
        self._cells.update(
            product(
                (*facts.types, ANY),
                {ANY, *(self._providers.get(pk, OTHER) for pk in providers)},
                {ANY, *((self._libraries.get(pk, OTHER) for pk in libraries) if libraries else ("",))},
                (self._decade(facts.decade),),
                (facts.licence,),
            )
        )

    def _decade(self, decade: str) -> str:
        return EARLIER if decade and decade < self._decades[0] else decade

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield number and counts of the rows to store."""
        cells = self._with_few_licences()
        values = self._values(cells)
        places = {name: {value: place for place, value in enumerate(values[name])} for name in PROPERTIES}
        rows: list[list[int]] = [[] for _provider in values[PROVIDER]]
        for (kind, provider, *rest), count in sorted(cells.items()):
            in_cell = zip(IN_CELL, (kind, *rest), strict=True)
            rows[places[PROVIDER][provider]] += [*(places[name][value] for name, value in in_cell), count]
        for number, flat in enumerate(rows):
            yield number, {"cells": flat} | ({} if number else {"values": values})

    def _with_few_licences(self) -> Counter[Cell]:
        """A book has one licence here, so the counts of the rare ones may be added up."""
        counts: Counter[str] = Counter()
        for (kind, provider, library, _decade, licence), count in self._cells.items():
            if (kind, provider, library) == (ANY, ANY, ANY) and licence not in ("", OTHER):
                counts[licence] += count
        alone = {"", OTHER, *(licence for licence, _count in counts.most_common(MOST_LICENCES))}
        cells: Counter[Cell] = Counter()
        for (kind, provider, library, decade, licence), count in self._cells.items():
            cells[kind, provider, library, decade, licence if licence in alone else OTHER] += count
        return cells

    def _values(self, cells: Collection[Cell]) -> Values:
        """Return the values that occur, in an order that stays; ANY is the first provider."""
        found = [{cell[place] for cell in cells} for place in range(len(PROPERTIES))]
        orders = (
            (ANY, *TYPES, ""),
            (ANY, *self._providers.values(), OTHER),
            (ANY, *self._libraries.values(), OTHER, ""),
            (EARLIER, *self._decades, ""),
            (*sorted(found[-1] - {"", OTHER}), OTHER, ""),
        )
        return {
            name: [value for value in order if value in of_name or value == ANY]
            for name, order, of_name in zip(PROPERTIES, orders, found, strict=True)
        }
