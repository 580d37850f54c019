"""Books are counted by five properties at once: every cell is exact, and the number of cells is bounded."""

from datetime import date
from itertools import product

import pytest

from aggregator.statistics.crossed import ANY, EARLIER, LIBRARY, MOST_LICENCES, PROPERTIES, PROVIDER, CrossedTally
from aggregator.statistics.tallies import OTHER, Facts

TODAY = date(2026, 6, 1)


def facts(types=("Book",), year="1989", licence="") -> Facts:
    return Facts(types=types, division="9", year=year, licence=licence, online=False)


def cells(tally: CrossedTally) -> dict[tuple[str, ...], int]:
    """The stored rows as cells: values in the order of PROPERTIES -> count."""
    rows = [counts for _number, counts in tally.rows()]
    values = rows[0]["values"]
    found = {}
    for place, row in enumerate(rows):
        flat = iter(row["cells"])
        for kind, library, decade, licence, count in zip(flat, flat, flat, flat, flat, strict=True):
            key = (values["type"][kind], values["provider"][place], values["library"][library])
            found[*key, values["decade"][decade], values["licence"][licence]] = count
    return found


def test_a_book_counts_once_under_any_however_many_providers_and_libraries_it_has():
    tally = CrossedTally([1, 2], [7], TODAY)
    tally.add(facts(("Book", "Map")), {1, 2}, {7, 8})
    found = cells(tally)
    assert found[ANY, ANY, ANY, "1980", ""] == 1
    assert found["Map", "2", "7", "1980", ""] == 1
    assert found["Book", ANY, OTHER, "1980", ""] == 1
    assert len(found) == 3 * 3 * 3


def test_small_providers_and_libraries_are_counted_together_and_a_book_once():
    tally = CrossedTally([1], [], TODAY)
    tally.add(facts(), {1, 5, 6}, {3, 4})
    tally.add(facts(), {5}, ())
    found = cells(tally)
    assert found["Book", OTHER, ANY, "1980", ""] == 2
    assert found["Book", OTHER, OTHER, "1980", ""] == found["Book", OTHER, "", "1980", ""] == 1


@pytest.mark.parametrize(("year", "decade"), [("1500", EARLIER), ("1929", EARLIER), ("1930", "1930"), ("", "")])
def test_early_decades_are_counted_together(year, decade):
    tally = CrossedTally([1], [], TODAY)
    tally.add(facts(year=year), {1}, ())
    assert {cell[3] for cell in cells(tally)} == {decade}


def test_a_book_of_the_next_decade_has_its_own():
    tally = CrossedTally([1], [], date(2029, 12, 1))
    tally.add(facts(year="2030"), {1}, ())
    assert {cell[3] for cell in cells(tally)} == {"2030"}


def test_rare_licences_are_counted_together():
    tally = CrossedTally([1], [], TODAY)
    for rank in range(MOST_LICENCES + 3):
        for _book in range(20 - rank):
            tally.add(facts(licence=f"licence-{rank}"), {1}, ())
    found = cells(tally)
    assert found[ANY, ANY, ANY, "1980", OTHER] == 14 + 13 + 12
    assert {cell[-1] for cell in found} == {*(f"licence-{rank}" for rank in range(MOST_LICENCES)), OTHER}


def test_the_number_of_cells_is_bounded_whatever_is_counted():
    tally = CrossedTally(range(100), range(100), TODAY)
    for kind, year, licence in product(("Book", "Map", ""), range(1000, 2027), (f"l{n}" for n in range(12))):
        tally.add(facts((kind,), str(year), licence), {year % 100}, {year % 90})
    values = next(iter(tally.rows()))[1]["values"]
    most = (32, 10, 11, 12, 8)
    assert all(len(values[name]) <= bound for name, bound in zip(PROPERTIES, most, strict=True))
    assert OTHER in values[PROVIDER] and OTHER in values[LIBRARY]
