"""Chooses the requests of the load tests: books drawn evenly or as readers do, and searches as people type them."""

import itertools
import random
from bisect import bisect
from collections.abc import Iterator
from functools import cache

from aggregator.search.base import Query
from benchmarks.load.client import quoted
from benchmarks.load.made_books import documents, public_id
from benchmarks.search_classes import classes

SAMPLE = 3000  # books that supply the words of the searches
PER_CLASS = 300  # searches of each class
STRIDE = 7_368_787  # a prime; steps of this size spread the most wanted books over the catalogue


def evenly(books: int, seed: int) -> Iterator[str]:
    """Yield record pages with equal probability, as a crawler would: nearly no page twice."""
    pick = random.Random(seed)
    while True:
        yield f"/books/{public_id(pick.randint(1, books))}"


def as_readers_do(books: int, seed: int, exponent: float = 1.0) -> Iterator[str]:
    """Yield record pages by Zipf's law: the n-th most wanted book is requested 1/n times as often as the first."""
    return (_wanted(rank, books) for rank in _ranks(_weights(books, exponent), seed))


def most_wanted(books: int, count: int) -> Iterator[str]:
    """Yield the record pages that `as_readers_do` draws most often."""
    return (_wanted(rank, books) for rank in range(count))


def _wanted(rank: int, books: int) -> str:
    return f"/books/{public_id(rank * STRIDE % books + 1)}"


@cache
def searches() -> list[str]:
    """Return addresses of results pages: equally many queries of every class, shuffled, without duplicates."""
    sample = list(documents(SAMPLE))
    found = [
        f"/search?q={quoted(query.q)}"
        for _name, queries in classes(sample)
        for query in itertools.islice(queries, PER_CLASS)
        if query.q and query == Query(q=query.q)
    ]
    random.Random(7).shuffle(found)
    return list(dict.fromkeys(found))


def searches_of_readers(seed: int, exponent: float = 1.0) -> Iterator[str]:
    """Yield searches by Zipf's law: a few of them make up most requests."""
    words = searches()
    return (words[rank] for rank in _ranks(_weights(len(words), exponent), seed))


def _ranks(weights: list[float], seed: int) -> Iterator[int]:
    """Yield ranks at random. weights: cumulative."""
    pick = random.Random(seed)
    while True:
        yield bisect(weights, pick.random() * weights[-1])


@cache
def _weights(count: int, exponent: float) -> list[float]:
    """Return cumulative Zipf weights. Cached, since computing a million takes as long as requesting many pages."""
    return list(itertools.accumulate(1 / rank**exponent for rank in range(1, count + 1)))
