"""The embedded search engine and OpenSearch side by side: the same books, the same queries, in turn.

    deploy/opensearch-test/run python3 run.py bench engines --documents 100000

For every class of query: p50 and p95 of both engines in milliseconds, with the facets of a results page, and for how
many queries both find the same books in the same order. Books whose scores differ by less than a thousandth may be in
any order. Facets are compared too. SEARCH_TEST_URL names the server, whose indexes of this run are removed at the end.
"""

import argparse
import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import batched
from pathlib import Path

from aggregator.search.base import Query, Results, SearchIndex
from aggregator.search.opensearch.engine import OpenSearchIndex
from aggregator.search.tantivy.engine import TantivyIndex
from benchmarks.bibliography import Bibliography
from benchmarks.figures import WARMING, drawn, percentile, timed
from benchmarks.machine import machine
from benchmarks.search import AT_ONCE, SAMPLE
from benchmarks.search_classes import classes, typed

BATCH = 5000  # documents, as reindex has them
SAME_SCORE = 1e-3  # as a share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=35, help="queries of each class")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "aggregator.settings"
    with tempfile.TemporaryDirectory(prefix="engines-benchmark-") as folder:
        os.environ["AGGREGATOR_DATA"] = folder  # also for the caches
        server = OpenSearchIndex(f"{os.environ['SEARCH_TEST_URL']}/bench-{secrets.token_hex(4)}")
        try:
            compare(TantivyIndex(Path(folder) / "search"), server, options.documents, options.queries)
        finally:
            server.remove()


def compare(embedded: SearchIndex, server: SearchIndex, documents: int, queries: int) -> float:
    """Print the comparison; return the share of queries with the same hits in the same order."""
    print(machine(), flush=True)
    for name, index in (("embedded", embedded), ("OpenSearch", server)):
        print(f"build, {name}: {build(index, documents):.0f} us a document; {index.facts().size / documents:.0f} bytes")
    sample = list(Bibliography().documents(min(SAMPLE, documents)))
    print(f"{'ms':28}{'embedded':>16}{'OpenSearch':>18}{'same':>8}{'facets':>8}{'of':>5}")
    asked, same = 0, 0
    for name, of_class in classes(sample):
        pairs = list(answers(embedded, server, drawn(of_class, queries)))[WARMING:]
        agreed = sum(is_same(ours, theirs) for ours, theirs, _times in pairs)
        counted = sum(ours.facets == theirs.facets for ours, theirs, _times in pairs)
        print(f"{name:28}{spread(pairs, 0)}{spread(pairs, 1)}{agreed:8}{counted:8}{len(pairs):5}")
        asked, same = asked + len(pairs), same + agreed
    for name, index in (("embedded", embedded), ("OpenSearch", server)):
        times = [timed(partial(count_suggestions, index, text))[0] for text in typed(sample, queries)]
        print(f"suggestions, {name}: p50 {statistics.median(times):.1f}, p95 {percentile(times):.1f} ms")
    print(f"the same hits in the same order: {same} of {asked} queries")
    return same / asked


type Pair = tuple[Results, Results, tuple[float, float]]


def build(index: SearchIndex, count: int) -> float:
    """Build an index as `reindex` does; return microseconds on the clock a document, without making them up."""
    spent = 0.0
    with index.build_beside() as fresh:
        for batch in batched(Bibliography().documents(count), BATCH):
            begun = time.perf_counter()
            fresh.update(batch)
            spent += time.perf_counter() - begun
        begun = time.perf_counter()
    return (spent + time.perf_counter() - begun) / count * 1e6


def answers(embedded: SearchIndex, server: SearchIndex, queries: Sequence[Query]) -> Iterator[Pair]:
    """Ask both engines in turn; yield both results and the milliseconds of both."""
    for query in queries:
        results, times = [], []
        for index in (embedded, server):
            begun = time.perf_counter()
            results.append(index.search(query, AT_ONCE))
            times.append((time.perf_counter() - begun) * 1000)
        yield results[0], results[1], (times[0], times[1])


def is_same(ours: Results, theirs: Results) -> bool:
    """Whether both have the same hits in the same order, but for books with nearly the same score.

    Of hits with the score of the last one, a page shows only some.
    """
    if ours.total != theirs.total or len(ours.hits) != len(theirs.hits):
        return False
    places = {number: place for place, (number, _score) in enumerate(ours.hits)}
    scores = [score for _number, score in ours.hits]
    return all(
        near(scores[place], scores[places.get(number, -1)]) for place, (number, _score) in enumerate(theirs.hits)
    )


def near(score: float, other: float) -> bool:
    return abs(score - other) <= SAME_SCORE * max(score, other)


def spread(pairs: Sequence[Pair], engine: int) -> str:
    times = [of_pair[engine] for _ours, _theirs, of_pair in pairs]
    return f"{statistics.median(times):9.1f}{percentile(times):8.1f}"


def count_suggestions(index: SearchIndex, text: str) -> int:
    return len(index.suggest(text))


if __name__ == "__main__":
    main()
