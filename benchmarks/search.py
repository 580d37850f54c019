"""Search over made-up bibliographic documents: what building costs, and p50/p95 by class of query, with facets.

    python benchmarks/search.py --documents 1000000

Measures the engine itself (query objects, hits, exact total, three facets), not the HTTP view.
"""

import argparse
import os
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import batched
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from aggregator.search.base import Document, Query
from aggregator.search.segment import segment
from aggregator.search.tantivy_index import TantivyIndex
from benchmarks.bibliography import Bibliography

BATCH = 1000
SAMPLE = 2000  # documents that words are taken from


def main() -> None:
    options = arguments()
    folder = Path(tempfile.mkdtemp(prefix="search-benchmark-", dir=options.folder))
    try:
        index = TantivyIndex(folder)
        sample = list(Bibliography().documents(min(SAMPLE, options.documents)))
        report_segmenting(sample)
        build(index, folder, options.documents)
        report_updates(index, sample)
        report_queries(index, sample, options.queries)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200, help="queries of each class")
    parser.add_argument("--folder", type=Path, default=None, help="where the index is built (default: the system's)")
    return parser.parse_args()


def build(index: TantivyIndex, folder: Path, count: int) -> None:
    """From nothing, as `reindex` does. Making up the documents is not counted."""
    spent = 0.0
    with index.build_beside() as fresh:
        for batch in batched(Bibliography().documents(count), BATCH):
            spent += cpu(lambda batch=batch: fresh.update(batch))
        started = time.process_time()
    spent += time.process_time() - started
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(
        f"build: {spent / count * 1e6:.0f} us CPU a document, {size / count:.0f} bytes a document, "
        f"peak memory {peak_memory():.0f} MB"
    )


def report_segmenting(sample: list[Document]) -> None:
    spent = cpu(
        lambda: [
            (segment(each.titles), segment(each.creators), segment(each.publishers + each.subjects + each.texts))
            for each in sample
        ]
    )
    print(f"segment and fold: {spent / len(sample) * 1e6:.0f} us CPU a document")


def report_updates(index: TantivyIndex, sample: list[Document]) -> None:
    """Replacing documents in batches, each with its own commit and merges."""
    batches = list(batched(sample, BATCH))
    spent = sum(cpu(lambda batch=batch: index.update(batch)) for batch in batches)
    print(f"update in batches of {BATCH}: {spent / len(sample) * 1e6:.0f} us CPU a document")


def report_queries(index: TantivyIndex, sample: list[Document], count: int) -> None:
    every: list[float] = []
    print(f"{index.count():,} documents; ms      p50     p95     max    hits  CPU p95")
    for name, queries in classes(sample):
        chosen = [next(queries) for _ in range(count)]
        for query in chosen[:20]:
            index.search(query)  # warm
        times, cpu_times, hits = zip(*(timed(index, query) for query in chosen), strict=True)
        every += times
        print(
            f"{name:24} {statistics.median(times):7.2f} {percentile(times):7.2f} {max(times):7.2f} "
            f"{statistics.median(hits):7,.0f} {percentile(cpu_times):8.2f}"
        )
    print(f"p95 ms: {percentile(every):.1f}")


def classes(sample: list[Document]) -> Iterator[tuple[str, Iterator[Query]]]:
    """Words cut at random from titles that exist, so that common words come often."""
    pick = random.Random(5)
    japanese = [title for each in sample for title in each.titles[:1] if not title.isascii()]

    def endless(make: Callable[[], Query]) -> Iterator[Query]:
        while True:
            yield make()

    def cut(length: int) -> str:
        title = pick.choice(japanese)
        start = pick.randrange(max(1, len(title) - length + 1))
        return title[start : start + length]

    def name() -> str:
        return pick.choice([each for each in sample if each.creators]).creators[0]

    yield "one character", endless(lambda: Query(q=cut(1)))
    yield "two characters", endless(lambda: Query(q=cut(2)))
    yield "three characters", endless(lambda: Query(q=cut(3)))
    yield "whole title", endless(lambda: Query(q=pick.choice(japanese)))
    yield "reading", endless(lambda: Query(q=pick.choice(sample).titles[-1]))
    yield "English word", endless(lambda: Query(q=pick.choice(("web", "java", "python", "linux", "library", "theory"))))
    yield "creator", endless(lambda: Query(creator=name()))
    yield "word and creator", endless(lambda: Query(q=f"{cut(2)} {name()}"))
    yield "ISBN", endless(lambda: Query(q=pick.choice([each for each in sample if each.isbns]).isbns[0]))
    yield (
        "word, provider, years",
        endless(lambda: Query(q=cut(2), repositories=("R100000001", "R100000003"), from_year=1990, until_year=2010)),
    )
    yield "word, newest first", endless(lambda: Query(q=cut(2), sort="newest"))
    yield "everything", endless(Query)


def timed(index: TantivyIndex, query: Query) -> tuple[float, float, int]:
    """Milliseconds by the clock and of CPU (a busy machine does not disturb the latter), and the hits."""
    started, cpu_started = time.perf_counter(), time.thread_time()
    total = index.search(query).total
    return (time.perf_counter() - started) * 1000, (time.thread_time() - cpu_started) * 1000, total


def percentile(times: "list[float] | tuple[float, ...]", share: float = 0.95) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def peak_memory() -> float:
    unit = 1024 if os.uname().sysname == "Linux" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    main()
