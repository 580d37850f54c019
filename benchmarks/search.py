"""Search over made-up bibliographic documents: what building costs, and p50/p95 by class of query, with facets.

    python benchmarks/search.py --documents 1000000

Measures the engine itself (query objects, hits, exact total, facets over all hits), the suggestions, and the pages
through every middleware (--no-pages leaves them out). Queries are new ones as far as a class has enough of them, for
what was counted once is not counted again until something is written; "again" is the p95 of asking them once more. The
last line is the p95 of what a reader waits for the first time.
"""

import argparse
import importlib
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import batched, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from aggregator.search.base import Document
from aggregator.search.query.segment import segment
from aggregator.search.tantivy.engine import TantivyIndex
from benchmarks.bibliography import Bibliography
from benchmarks.search_classes import classes, typed

BATCH = 1000
WARMING = 20  # queries of each class before those that count
AT_ONCE = ("online", "type", "year", "ndc", "repository", "language")  # facets that the results page counts
SAMPLE = 2000  # documents that words are taken from


def main() -> None:
    options = arguments()
    folder = Path(tempfile.mkdtemp(prefix="search-benchmark-", dir=options.folder))
    try:
        index = TantivyIndex(folder / "search")
        sample = list(Bibliography().documents(min(SAMPLE, options.documents)))
        report_segmenting(sample)
        build(index, folder, options.documents)
        report_updates(index, sample)
        engine = report_queries(index, sample, options.queries)
        report_suggestions(index, sample, options.queries)
        print(f"engine p95 ms: {engine:.1f}")
        if options.pages:
            print(f"p95 ms: {report_pages(folder, sample, options):.1f}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200, help="queries of each class")
    parser.add_argument("--folder", type=Path, default=None, help="where the index is built (default: the system's)")
    parser.add_argument("--no-pages", dest="pages", action="store_false", help="the engine only")
    return parser.parse_args()


def build(index: TantivyIndex, folder: Path, count: int) -> None:
    """From nothing, as `reindex` does. Making up the documents is not counted."""
    spent = 0.0
    with index.build_beside() as fresh:
        for batch in batched(Bibliography().documents(count), BATCH):
            spent += cpu(partial(fresh.update, batch))
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
    spent = sum(cpu(partial(index.update, batch)) for batch in batches)
    print(f"update in batches of {BATCH}: {spent / len(sample) * 1e6:.0f} us CPU a document")


def report_queries(index: TantivyIndex, sample: list[Document], count: int) -> float:
    """The p95 over all classes."""
    every: list[float] = []
    print(f"{index.count():,} documents; engine ms          p50     p95     max  CPU p95   again    hits")
    for name, queries in classes(sample):
        times, found = measured(name, lambda query: index.search(query, AT_ONCE).total, drawn(queries, count))
        every += times
        print(f" {statistics.median(found):7,.0f}")
    return percentile(every)


def report_suggestions(index: TantivyIndex, sample: list[Document], count: int) -> None:
    index.tidy()
    asked = typed(sample, WARMING + count)
    _times, found = measured("suggestions", lambda text: len(index.suggest(text)), asked)
    print(f" {statistics.median(found):7,.0f}")


def report_pages(folder: Path, sample: list[Document], options: argparse.Namespace) -> float:
    """The results page and the record page, over a database of as many books. The p95 over the results pages."""
    os.environ["AGGREGATOR_DATA"] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "aggregator.settings"
    pages = importlib.import_module("benchmarks.search_view")
    pages.fill(options.documents)
    reader = pages.Reader()
    every: list[float] = []
    print("pages ms                             p50     p95     max  CPU p95   again   bytes")
    for name, queries in classes(sample):
        times, sizes = measured(name, reader.results, drawn(queries, options.queries))
        every += times
        print(f" {statistics.median(sizes):7,.0f}")
    numbers = [1 + number * 7919 % options.documents for number in range(WARMING + options.queries)]
    for name, address in (("record page", "/books/R100000000-I{}"), ("record as JSON", "/books/R100000000-I{}.json")):
        _times, sizes = measured(name, reader.get, [address.format(number) for number in numbers])
        print(f" {statistics.median(sizes):7,.0f}")
    return percentile(every)


def drawn[T](queries: Iterator[T], count: int) -> list[T]:
    """WARMING and `count` queries: each once as far as there are so many different ones."""
    found = list(islice(queries, 10 * count))
    different = list(dict.fromkeys(found))
    return (different + found)[: WARMING + count]


def measured[T](name: str, ask: Callable[[T], int], drawn: Sequence[T]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Times in milliseconds and what `ask` gave; prints the line of this class but for its end."""
    for each in drawn[:WARMING]:
        ask(each)
    chosen = drawn[WARMING:]
    times, cpu_times, found = zip(*(timed(partial(ask, each)) for each in chosen), strict=True)
    again = [timed(partial(ask, each))[0] for each in chosen[: len(chosen) // 2]]
    figures = (statistics.median(times), percentile(times), max(times), percentile(cpu_times), percentile(again))
    print(f"{name:32}" + "".join(f"{each:8.2f}" for each in figures), end="", flush=True)
    return times, found


def timed(work: Callable[[], int]) -> tuple[float, float, int]:
    """Milliseconds by the clock and of CPU (a busy machine does not disturb the latter), and the outcome."""
    started, cpu_started = time.perf_counter(), time.thread_time()
    found = work()
    return (time.perf_counter() - started) * 1000, (time.thread_time() - cpu_started) * 1000, found


def percentile(times: Sequence[float], share: float = 0.95) -> float:
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
