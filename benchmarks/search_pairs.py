"""What the condition "in my libraries" costs: each query is asked with and without it, in turn, in one process.

The two of a pair run one directly after the other, so that other work on the machine slows both down alike. Every
second pair begins with the narrowed query, so that neither side profits from what the other has just read.
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from aggregator.search.base import Document, Query
from benchmarks.figures import WARMING, drawn, percentile, timed
from benchmarks.search_classes import OWN, classes

# The first is limited to own libraries already; the second costs nothing with or without the condition.
LEFT_OUT = ("word in own libraries", "no hit")
HEADING = "own libraries, ms of CPU         p50 without    with  p95 without    with   added: p50    p95   on the clock"


@dataclass(frozen=True, slots=True)
class Pair:
    """Milliseconds of CPU of a query and of the same in own libraries. clock: the difference on the clock."""

    without: float
    narrowed: float
    clock: float


def report_own_libraries(sample: Sequence[Document], ask: Callable[[Query], int], count: int) -> None:
    """Print what the condition adds, by class of query. The last line is of all classes together.

    "added": how far the medians of both sides, and their p95, are apart; "on the clock": the median of the differences.
    Single differences are mostly noise on a machine with other work: half of them can be negative.
    """
    every: list[Pair] = []
    print(HEADING)
    for name, queries in classes(list(sample)):
        if name not in LEFT_OUT:
            pairs = tuple(pairs_of(ask, drawn(queries, count)))
            every += pairs
            print_pairs(name, pairs)
    print_pairs("own libraries on top", every)


def pairs_of(ask: Callable[[Query], int], queries: Sequence[Query]) -> Iterator[Pair]:
    """Ask each query in both forms. The first queries warm both up and are not counted."""
    for nth, query in enumerate(queries):
        forms = (query, replace(query, libraries=OWN))
        first_narrowed = nth % 2 == 1
        taken = [timed(partial(ask, form)) for form in (forms[::-1] if first_narrowed else forms)]
        without, narrowed = taken[::-1] if first_narrowed else taken
        if nth >= WARMING:
            yield Pair(without[1], narrowed[1], narrowed[0] - without[0])


def print_pairs(name: str, pairs: Sequence[Pair]) -> None:
    without, narrowed = [pair.without for pair in pairs], [pair.narrowed for pair in pairs]
    halves, most = (
        (statistics.median(without), statistics.median(narrowed)),
        (percentile(without), percentile(narrowed)),
    )
    clock = statistics.median(pair.clock for pair in pairs)
    print(
        f"{name:32}{halves[0]:12.2f}{halves[1]:8.2f}{most[0]:13.2f}{most[1]:8.2f}"
        f"{halves[1] - halves[0]:13.2f}{most[1] - most[0]:7.2f}{clock:15.2f}",
        flush=True,
    )
