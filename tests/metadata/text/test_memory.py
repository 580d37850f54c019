"""What is remembered has a limit in characters, not only in results."""

import gc
from functools import _lru_cache_wrapper
from typing import Any

import pytest

from aggregator.search.analysis.fields import value_key
from metadata.authorities import authority
from metadata.text.memory import remember
from metadata.text.romaji import sound


def characters(cached: Any) -> int:
    """The length of all texts that a function remembers as its arguments."""
    assert isinstance(cached, _lru_cache_wrapper)
    (kept,) = (held for held in gc.get_referents(cached) if isinstance(held, dict) and held is not cached.__dict__)
    keys = [key if isinstance(key, str) else "".join(key) for key in kept]
    return sum(map(len, keys))


def test_results_are_remembered() -> None:
    asked = []

    @remember(2)
    def length(one: str, other: str) -> int:
        asked.append(one + other)
        return len(one + other)

    assert [length("a", "b"), length("a", "b"), length("c", "d"), length("e", "f"), length("a", "b")] == [2] * 5
    assert asked == ["ab", "cd", "ef", "ab"]


@pytest.mark.parametrize("size", [65, 1_000, 10_000])
def test_long_texts_are_forgotten_when_they_are_many(size: int) -> None:
    length = remember(100)(len)
    for number in range(3_000_000 // size):
        text = f"{number}".ljust(size)
        assert length(text) == size
        assert number % 100 or characters(length) <= 2 * 100 * 64
    assert characters(length) <= 2 * 100 * 64


@pytest.mark.parametrize(("function", "first"), [(value_key, ()), (sound, ()), (authority, ("VIAF",))])
def test_the_largest_caches_forget_hostile_texts(function: Any, first: tuple[str, ...]) -> None:
    for number in range(12):
        function(*first, f"{number}".ljust(1_000_000, "x"))
    assert characters(function) <= 2 * 65_536 * 64
