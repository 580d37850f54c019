"""Which pages are asked for: books drawn evenly and as readers draw, searches as people type. Pure."""

import itertools
import random
from bisect import bisect
from collections.abc import Iterator
from functools import cache

from aggregator.search.base import Query
from benchmarks.load.client import quoted
from benchmarks.load.made_books import documents, public_id
from benchmarks.search_classes import classes

SAMPLE = 3000  # books that words are taken from
EACH = 300  # searches of each class
STRIDE = 7_368_787  # prime: the books that many ask for stand anywhere in the catalogue


def evenly(books: int, seed: int) -> Iterator[str]:
    """Any book as often as any other: as a program that walks through everything, and nearly no page twice."""
    pick = random.Random(seed)
    while True:
        yield f"/books/{public_id(pick.randint(1, books))}"


def as_readers_do(books: int, seed: int, exponent: float = 1.0) -> Iterator[str]:
    """By Zipf: the second most wanted book is asked for half as often as the first, the tenth a tenth as often."""
    return (_wanted(rank, books) for rank in _ranks(_weights(books, exponent), seed))


def most_wanted(books: int, count: int) -> Iterator[str]:
    """The books that `as_readers_do` draws most often."""
    return (_wanted(rank, books) for rank in range(count))


def _wanted(rank: int, books: int) -> str:
    return f"/books/{public_id(rank * STRIDE % books + 1)}"


@cache
def searches() -> list[str]:
    """Addresses of results pages: words of every class, each as often, in any order; none twice."""
    sample = list(documents(SAMPLE))
    found = [
        f"/search?q={quoted(query.q)}"
        for _name, queries in classes(sample)
        for query in itertools.islice(queries, EACH)
        if query.q and query == Query(q=query.q)
    ]
    random.Random(7).shuffle(found)
    return list(dict.fromkeys(found))


def searches_of_readers(seed: int, exponent: float = 1.0) -> Iterator[str]:
    """By Zipf: few words are what many look for."""
    words = searches()
    return (words[rank] for rank in _ranks(_weights(len(words), exponent), seed))


def _ranks(weights: list[float], seed: int) -> Iterator[int]:
    """weights: each with those of all before it."""
    pick = random.Random(seed)
    while True:
        yield bisect(weights, pick.random() * weights[-1])


@cache
def _weights(count: int, exponent: float) -> list[float]:
    """Before anything is asked for, and once: a million take as long as many pages."""
    return list(itertools.accumulate(1 / rank**exponent for rank in range(1, count + 1)))
