"""Search over made-up bibliographic documents: the cost of building the index, and p50/p95 by class of query.

    python3 run.py bench search --documents 1000000

Measures the engine itself (parsing, hits, exact total, facets over all hits), the suggestions, and the pages through
every middleware (--no-pages leaves them out). Facet counts are cached until the next write, so every query is a new one
as far as its class has enough different ones; "again" is the p95 of repeating them. The last line is the p95 over all
results pages at their first request.
"""

import argparse
import importlib
import os
import resource
import shutil
import statistics
import tempfile
import time
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from itertools import batched, repeat
from pathlib import Path
from types import ModuleType

from aggregator.search.base import Document, Query, QueryError
from aggregator.search.query.segment import segment
from aggregator.search.tantivy.engine import TantivyIndex
from benchmarks.bibliography import Bibliography
from benchmarks.figures import WARMING, drawn, percentile, timed
from benchmarks.machine import machine
from benchmarks.search_classes import classes, typed
from benchmarks.search_pairs import report_own_libraries

BATCH = 1000
AT_ONCE = (  # facets that the results page counts at once
    *("online", "fulltext", "type", "kind", "accessible", "year", "ndc", "repository", "language", "access", "licence"),
)
SAMPLE = 2000  # documents that supply the words of the queries


type Holdings = tuple[Sequence[int], Sequence[int]]  # books, and for each the library that holds it


def main() -> None:
    options = arguments()
    print(machine(), flush=True)
    folder = options.kept or Path(tempfile.mkdtemp(prefix="search-benchmark-", dir=options.folder))
    os.environ["AGGREGATOR_DATA"] = str(folder)  # also for the caches
    os.environ["DJANGO_SETTINGS_MODULE"] = "aggregator.settings"
    try:
        is_filled = (folder / "aggregator.sqlite3").exists()
        index = TantivyIndex(folder / "search")
        sample = list(Bibliography().documents(min(SAMPLE, options.documents)))
        report_segmenting(sample)
        held = ((), ()) if is_filled else build(index, folder, options.documents)
        report_updates(index, sample)
        engine = report_queries(index, sample, options.queries)
        report_opened(index, sample, options.queries)
        report_suggestions(index, sample, options.queries)
        report_own_libraries(sample, lambda query: index.search(query, AT_ONCE).total, options.queries)
        print(f"engine p95 ms: {engine:.1f}")
        if options.pages:
            pages = importlib.import_module("benchmarks.search_view")
            if not is_filled:
                pages.fill(options.documents, zip(*held, strict=True))
            print(f"p95 ms: {report_pages(pages, sample, options):.1f}")
    finally:
        if not options.kept:
            shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200, help="queries of each class")
    parser.add_argument("--folder", type=Path, default=None, help="parent of the temporary folder with the index")
    parser.add_argument(
        "--kept", type=Path, default=None, help="folder for the index and the database; made if it is not there"
    )
    parser.add_argument("--no-pages", dest="pages", action="store_false", help="measure the engine only")
    return parser.parse_args()


def build(index: TantivyIndex, folder: Path, count: int) -> Holdings:
    """Build a new index as `reindex` does. The time for making up the documents is not counted. Return who has what."""
    spent, books, libraries = 0.0, array("L"), array("L")
    with index.build_beside() as fresh:
        for batch in batched(Bibliography().documents(count), BATCH):
            for document in batch:
                books.extend(repeat(document.id, len(document.libraries)))
                libraries.extend(int(library.number[1:]) for library in document.libraries)
            spent += cpu(partial(fresh.update, batch))
        started = time.process_time()
    spent += time.process_time() - started
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(
        f"build: {spent / count * 1e6:.0f} us CPU a document, {size / count:.0f} bytes a document, "
        f"peak memory {peak_memory():.0f} MB; {len(books):,} holdings"
    )
    return books, libraries


def report_segmenting(sample: list[Document]) -> None:
    spent = cpu(
        lambda: [
            (
                segment(document.titles),
                segment(document.creators),
                segment(document.publishers + document.subjects + document.texts),
            )
            for document in sample
        ]
    )
    print(f"segment and fold: {spent / len(sample) * 1e6:.0f} us CPU a document")


def report_updates(index: TantivyIndex, sample: list[Document]) -> None:
    """Replace documents in batches, each with its own commit and merges."""
    batches = list(batched(sample, BATCH))
    spent = sum(cpu(partial(index.update, batch)) for batch in batches)
    print(f"update in batches of {BATCH}: {spent / len(sample) * 1e6:.0f} us CPU a document")


def report_queries(index: TantivyIndex, sample: list[Document], count: int) -> float:
    """Measure the engine by class of query. Return the p95 over all classes.

    Queries that a very large index refuses, because their words are too common, are counted after the hits.
    """
    every: list[float] = []
    print(f"{index.count():,} documents; engine ms          p50     p95     max CPU p50     p95   again    hits")
    for name, queries in classes(sample):
        asked = drawn(queries, count)
        answered = [query for query in asked if not is_refused(index, query)]
        times, found = measured(name, lambda query: index.search(query, AT_ONCE).total, answered)
        every += times
        refused = len(asked) - len(answered)
        print(f" {statistics.median(found):7,.0f}{f', {refused} refused' if refused else ''}")
    return percentile(every)


def is_refused(index: TantivyIndex, query: Query) -> bool:
    try:
        index.search(query, facets=())
    except QueryError:
        return True
    return False


def report_opened(index: TantivyIndex, sample: list[Document], count: int) -> None:
    """Measure the facets of places, which are counted when a reader opens them."""
    queries = dict(classes(sample))
    for facet in ("region", "library"):
        for name in ("two characters", "everything"):
            asked = drawn(queries[name], count)
            _times, found = measured(f"{facet}: {name}", lambda query, facet=facet: opened(index, query, facet), asked)
            print(f" {statistics.median(found):7,.0f}")


def opened(index: TantivyIndex, query: Query, facet: str) -> int:
    return len(index.search(query, (facet,)).facets.get(facet, ()))


def report_suggestions(index: TantivyIndex, sample: list[Document], count: int) -> None:
    index.tidy()
    asked = typed(sample, WARMING + count)
    _times, found = measured("suggestions", lambda text: len(index.suggest(text)), asked)
    print(f" {statistics.median(found):7,.0f}")


def report_pages(pages: ModuleType, sample: list[Document], options: argparse.Namespace) -> float:
    """Measure results pages and other pages over a database of as many books. Return the p95 of the results pages."""
    reader = pages.Reader()
    every: list[float] = []
    print("pages ms                             p50     p95     max CPU p50     p95   again   bytes")
    for name, queries in classes(sample):
        times, sizes = measured(name, reader.results, drawn(queries, options.queries))
        every += times
        print(f" {statistics.median(sizes):7,.0f}")
    numbers = [1 + number * 7919 % options.documents for number in range(WARMING + options.queries)]
    for name, address in (("record page", "/books/R100000000-I{}"), ("record as JSON", "/books/R100000000-I{}.json")):
        _times, sizes = measured(name, reader.get, [address.format(number) for number in numbers])
        print(f" {statistics.median(sizes):7,.0f}")
    for name, address in pages.places(options.documents):
        _times, sizes = measured(name, reader.anew, [address] * (WARMING + options.queries))
        print(f" {statistics.median(sizes):7,.0f}")
    report_own_libraries(sample, reader.results, options.queries)
    return percentile(every)


def measured[T](name: str, ask: Callable[[T], int], drawn: Sequence[T]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the times in milliseconds and the results of `ask`. Prints the class's line without the last column."""
    for query in drawn[:WARMING]:
        ask(query)
    chosen = drawn[WARMING:]
    times, cpu_times, found = zip(*(timed(partial(ask, query)) for query in chosen), strict=True)
    again = [timed(partial(ask, query))[0] for query in chosen[: len(chosen) // 2]]
    clock, cpus = (
        (statistics.median(times), percentile(times), max(times)),
        (statistics.median(cpu_times), percentile(cpu_times)),
    )
    figures = (*clock, *cpus, percentile(again))
    print(f"{name:32}" + "".join(f"{figure:8.2f}" for figure in figures), end="", flush=True)
    return times, found


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def peak_memory() -> float:
    unit = 1024 if os.uname().sysname == "Linux" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    main()
