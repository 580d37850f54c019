"""How the benchmarks of pages draw their queries and measure them."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

WARMING = 20  # queries of each class that are not counted


def drawn[T](queries: Iterator[T], count: int) -> list[T]:
    """Return WARMING + `count` queries, without repetition as long as there are enough different ones."""
    found = list(islice(queries, 10 * count))
    different = list(dict.fromkeys(found))
    return (different + found)[: WARMING + count]


def timed(work: Callable[[], int]) -> tuple[float, float, int]:
    """Return milliseconds on the clock, milliseconds of CPU (less dependent on other load), and the result."""
    started, cpu_started = time.perf_counter(), time.thread_time()
    found = work()
    return (time.perf_counter() - started) * 1000, (time.thread_time() - cpu_started) * 1000, found


def percentile(times: Sequence[float], share: float = 0.95) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]
