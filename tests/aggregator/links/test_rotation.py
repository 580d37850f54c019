"""In which order links have their turn."""

from itertools import count

import pytest

from aggregator.links.rotation import place


@pytest.mark.parametrize("library", [1, 2, 77])
@pytest.mark.parametrize("books", [1, 7, 1000])
def test_every_book_has_its_turn_in_time(library: int, books: int) -> None:
    open_places = set(range(1, books + 1))
    for turn in count():
        open_places.discard(place(library, turn, books))
        if not open_places:
            break
    assert turn < 3 * books + 3


def test_any_run_of_turns_is_spread_evenly() -> None:
    tenths = [place(5, turn, 1_000_000) // 100_000 for turn in range(500, 600)]
    assert all(8 <= tenths.count(tenth) <= 12 for tenth in range(10))


def test_libraries_begin_at_places_of_their_own() -> None:
    assert len({place(library, 0, 1_000_000) for library in range(1, 100)}) > 95
