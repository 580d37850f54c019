"""One search index that grows from size to size: what a document costs, and what a query costs at each size.

    python3 run.py bench search_growth --documents 1000000,3000000,10000000 --kept FOLDER

Documents are added as the live index adds them, in parts of 100,000 with a commit each. A run that was stopped goes on
after the last part in the folder, so a large index can grow over several days. A size that the index has exceeded is
not measured again. The queries are those of `bench search`, and again the figures are of the engine alone.

With `--copies` only the first size is made of documents. The larger ones, its multiples, are reached within a second: the
files of the index are linked under further names, so that each document is there several times. Every search then has
as many times more hits and reads as many times more entries, as in an index that has grown; the terms are not more, and
the processor's caches are fuller, since all copies are the same memory. Writes are not measured in such an index.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from itertools import batched
from pathlib import Path

from aggregator.search.base import Document, Query
from aggregator.search.tantivy.engine import TantivyIndex
from benchmarks.bibliography import Bibliography
from benchmarks.figures import percentile, timed
from benchmarks.machine import machine
from benchmarks.search import AT_ONCE, BATCH, SAMPLE, report_opened, report_queries, report_suggestions

PART = 100_000  # documents with one seed and one commit
ROUNDS = 5  # writes of one document


def main() -> None:
    options = arguments()
    print(machine(), flush=True)
    folder = options.kept or Path(tempfile.mkdtemp(prefix="search-growth-", dir=options.folder))
    os.environ |= {"AGGREGATOR_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "aggregator.settings"}  # for the caches
    try:
        index = TantivyIndex(folder / "search")
        for size in sorted(map(int, options.documents.split(","))):
            if index.count() > size:
                continue
            if options.copies and index.count():
                copy(folder / "search", size)
            else:
                grow(index, size, options.part)
            measure(index, min(size, options.part), options.queries, writes=not options.copies)
    finally:
        if not options.kept:
            shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", default="100000", help="how many, or several sizes separated by commas")
    parser.add_argument("--queries", type=int, default=100, help="queries of each class")
    parser.add_argument("--part", type=int, default=PART, help="documents of a part; the same in every run of a folder")
    parser.add_argument(
        "--copies", action="store_true", help="copy the documents of the first size for the larger ones"
    )
    parser.add_argument("--folder", type=Path, default=None, help="parent of the temporary folder with the index")
    parser.add_argument("--kept", type=Path, default=None, help="folder of the index; made if it is not there")
    return parser.parse_args()


def grow(index: TantivyIndex, size: int, part: int) -> None:
    """Add whole parts until the index has `size` documents. The time for making up documents is not counted."""
    for first in range(index.count(), size, part):
        begun = time.perf_counter()
        spent = Spent()
        index.update(spent.making(Bibliography(1 + first // part).documents(part, first + 1)))
        each = spent.cpu() / part * 1e6
        print(f"{index.count():12,} {each:6.0f} us CPU a document, {time.perf_counter() - begun:5.0f} s", flush=True)


def copy(folder: Path, size: int) -> None:
    """Add copies of all segments to the live index until it has about `size` documents."""
    live = folder / (folder / "current").read_text(encoding="ascii").strip()
    meta, managed = (json.loads((live / name).read_text(encoding="utf-8")) for name in ("meta.json", ".managed.json"))
    segments = list(meta["segments"])
    for _copy in range(size // sum(segment["max_doc"] for segment in segments) - 1):
        for segment in segments:
            own, new = segment["segment_id"].replace("-", ""), uuid.uuid4()
            for path in live.glob(f"{own}.*"):
                name = path.name.replace(own, new.hex)
                os.link(path, live / name)
                managed.append(name)
            meta["segments"].append(segment | {"segment_id": str(new)})
    (live / ".managed.json").write_text(json.dumps(managed), encoding="utf-8")
    (live / "next.json").write_text(json.dumps(meta), encoding="utf-8")
    (live / "next.json").replace(live / "meta.json")


class Spent:
    """CPU seconds of this process since the start, less those for making up documents."""

    def __init__(self) -> None:
        self._started, self._making = time.process_time(), 0.0

    def making(self, documents: Iterator[Document]) -> Iterator[Document]:
        """Yield the documents, made a batch at a time. Only this thread's time counts, not that of the writer's."""
        while True:
            begun = time.thread_time()
            batch = next(batched(documents, BATCH), ())
            self._making += time.thread_time() - begun
            if not batch:
                return
            yield from batch

    def cpu(self) -> float:
        return time.process_time() - self._started - self._making


def measure(index: TantivyIndex, known: int, queries: int, *, writes: bool) -> None:
    """Print all figures of the present size. known: how many documents have the first seed. writes: also of writes."""
    sample = list(Bibliography().documents(min(SAMPLE, known)))
    facts = index.facts()
    print(
        f"\n{facts.documents:,} documents, {facts.size / facts.documents:.0f} bytes each, load {os.getloadavg()[0]:.1f}"
    )
    print(f"engine p95 ms: {report_queries(index, sample, queries):.1f}")
    report_opened(index, sample, queries)
    begun = time.process_time()
    report_suggestions(index, sample, queries)
    print(f"suggestions prepared and measured: {time.process_time() - begun:.1f} s CPU")
    if writes:
        report_writes(index, sample)
    print(f"memory MB: {memory()}", flush=True)


def report_writes(index: TantivyIndex, sample: Iterable[Document]) -> None:
    """Write one document at a time: the commit, opening it, and counting the facets of everything anew after it."""
    steps = ("a document written and committed", "the new commit opened", "everything, facets counted anew")
    rounds = [
        (
            timed(lambda document=document: len(index.update([document]))),
            timed(index.count),
            timed(lambda: index.search(Query(), AT_ONCE).total),
        )
        for document in list(sample)[:ROUNDS]
    ]
    for step, taken in zip(steps, zip(*rounds, strict=True), strict=True):
        clock = [figures[0] for figures in taken]
        cpu = statistics.median(figures[1] for figures in taken)
        print(f"{step:34}{statistics.median(clock):8.1f} ms, at most {percentile(clock, 1):8.1f}; {cpu:8.1f} ms CPU")


def memory() -> str:
    """The memory of this process: its own, and the parts of the index that are mapped into it (Linux)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    sizes = dict(line.split(":", 1) for line in lines if line.startswith("Rss"))
    return ", ".join(f"{name} {int(sizes[name].split()[0]) / 1024:.0f}" for name in ("RssAnon", "RssFile"))


if __name__ == "__main__":
    main()
