"""The embedded engine: one Tantivy index in a folder, with many reading processes and one writing at a time.

This module handles folders, locks and commits. Nothing stays open for writing: a writer takes Tantivy's lock, commits,
and releases it. If a writer is killed, the last commit remains and the operating system releases the lock.
"""

import os
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from itertools import batched
from pathlib import Path
from typing import NamedTuple

import tantivy

from aggregator.search.analysis.fields import SCHEMA_VERSION
from aggregator.search.base import FACETS, Document, FacetValue, Facts, IndexUnavailable, Query, Results
from aggregator.search.plan.near import near_plans
from aggregator.search.suggest.entries import Suggestion
from aggregator.search.tantivy.documents import tantivy_documents
from aggregator.search.tantivy.generations import Generations
from aggregator.search.tantivy.hits import books_alike, near_books
from aggregator.search.tantivy.reader import OpenIndex, alternatives, search
from aggregator.search.tantivy.schema import SCHEMA, register_tokenizers
from aggregator.search.tantivy.suggest import is_due, make_top_terms, store_top_terms, suggest, top_terms_of
from aggregator.search.tree import Phrase, Word

ENGINE = f"Tantivy {version('tantivy')}"
BATCH = 1000  # documents held in Python's memory at a time
GROUP = 200  # documents that are converted step by step
HEAP = 64_000_000  # bytes of terms that a writer collects before it starts another segment
LOCK_WAIT = 120.0  # seconds; another process may be merging a large index
LOCK_PAUSE = 0.02


class TantivyIndex:
    """SearchIndex in `folder`, which any number of processes of this machine may read and write."""

    def __init__(self, folder: Path | str, heap: int = HEAP, lock_wait: float = LOCK_WAIT) -> None:
        self._generations = Generations(Path(folder), SCHEMA_VERSION)
        self._heap = heap
        self._lock_wait = lock_wait
        self._opening = threading.Lock()
        self._opened: _Opened | None = None

    def search(self, query: Query, facets: Sequence[str] = FACETS) -> Results:
        return search(self._state(), query, facets)

    def alternatives(self, query: Query, facets: Sequence[str] = FACETS) -> dict[str, tuple[FacetValue, ...]]:
        return alternatives(self._state(), query, facets)

    def suggest(self, typed: str) -> tuple[Suggestion, ...]:
        opened = self._open_live()
        if opened is None:
            return ()
        return suggest(opened.engine.searcher(), partial(top_terms_of, self._generations.name(opened.path)), typed)

    def near(self, typed: str) -> tuple[int, ...]:
        searcher = self._searcher()
        return near_books(searcher, near_plans(typed)) if searcher else ()

    def alike(self, traits: Sequence[Word | Phrase], most: int) -> tuple[int, ...]:
        searcher = self._searcher()
        return books_alike(searcher, traits, most) if searcher and traits else ()

    def tidy(self) -> None:
        opened = self._open_live()
        if opened is None:
            return
        generation, searcher = self._generations.name(opened.path), opened.engine.searcher()
        if is_due(generation, searcher.num_docs):
            store_top_terms(generation, make_top_terms(searcher))

    def count(self) -> int:
        searcher = self._searcher()
        return searcher.num_docs if searcher else 0

    def facts(self) -> Facts:
        opened = self._open_live()
        if opened is None:
            return Facts(engine=ENGINE, shape=str(SCHEMA_VERSION))
        return Facts(
            engine=ENGINE,
            shape=str(SCHEMA_VERSION),
            generation=self._generations.name(opened.path),
            documents=opened.engine.searcher().num_docs,
            size=_size(opened.path),
        )

    def is_current(self) -> bool:
        try:
            self._open_live()
        except IndexUnavailable:
            return False
        return True

    def update(self, documents: Iterable[Document]) -> frozenset[int]:
        written: set[int] = set()
        with self._writing() as writer:
            for batch in batched(documents, BATCH):
                latest = {document.id: document for document in batch}
                _remove(writer, latest)
                _add(writer, latest.values())
                written |= latest.keys()
        return frozenset(written)

    def delete(self, ids: Iterable[int]) -> frozenset[int]:
        removed: set[int] = set()
        with self._writing() as writer:
            for batch in batched(ids, BATCH):
                _remove(writer, batch)
                removed.update(batch)
        return frozenset(removed)

    def clear(self) -> None:
        with self.build_beside():
            pass

    @contextmanager
    def build_beside(self) -> "Iterator[TantivyBuild]":
        with self._live_locked():
            writer = self._start_building()
        built = False
        try:
            yield TantivyBuild(writer)
            writer.commit()
            built = True
        finally:
            if not built:
                writer.wait_merging_threads()
                shutil.rmtree(self._generations.building, ignore_errors=True)
        # Only the holder of the live generation's lock may change which generation is live.
        with self._live_locked():
            writer.wait_merging_threads()
            self._generations.publish_built()

    def _state(self) -> OpenIndex | None:
        opened = self._open_live()
        return OpenIndex(opened.engine.searcher(), f"{opened.path} {opened.commit}") if opened else None

    def _searcher(self) -> tantivy.Searcher | None:
        opened = self._open_live()
        return opened.engine.searcher() if opened else None

    def _open_live(self) -> "_Opened | None":
        path = self._generations.live()
        while path:
            try:
                return self._open(path)
            except (ValueError, OSError) as problem:
                failed, path = path, self._generations.live()
                if path == failed:
                    raise IndexUnavailable("damaged", str(path)) from problem
        return None

    def _open(self, path: Path) -> "_Opened":
        """Return the index at its last commit. Costs one `stat` if nothing was written since the last call."""
        with self._opening:
            commit = _last_commit(path)
            if self._opened is None or self._opened.path != path:
                index = register_tokenizers(tantivy.Index.open(str(path)))
                index.config_reader("manual")
                self._opened = _Opened(path, index, commit)
            elif self._opened.commit != commit:
                self._opened.engine.reload()
                self._opened = self._opened._replace(commit=commit)
            return self._opened

    @contextmanager
    def _writing(self) -> Iterator[tantivy.IndexWriter]:
        """A writer on the live generation. If the block raises an exception, everything not committed is discarded."""
        writer = self._live_writer()
        try:
            yield writer
            writer.commit()
        finally:
            writer.wait_merging_threads()

    @contextmanager
    def _live_locked(self) -> Iterator[None]:
        """Keep others from writing to or replacing the live generation. One that cannot be opened is not locked."""
        try:
            writer = self._live_writer()
        except IndexUnavailable as problem:
            if problem.code == "locked":
                raise
            yield
            return
        try:
            yield
        finally:
            writer.wait_merging_threads()

    def _live_writer(self) -> tantivy.IndexWriter:
        deadline = time.monotonic() + self._lock_wait
        while True:
            opened = self._open_live()
            if opened is None:
                self._generations.start_first(_create)
                continue
            writer = self._try_writer(opened.engine)
            if writer and self._generations.live() == opened.path:
                return writer
            if writer:  # another process switched to a new generation a moment ago
                writer.wait_merging_threads()
            if time.monotonic() > deadline:
                raise IndexUnavailable("locked", str(opened.path))
            time.sleep(LOCK_PAUSE)

    def _try_writer(self, index: tantivy.Index) -> tantivy.IndexWriter | None:
        try:
            return index.writer(heap_size=self._heap, num_threads=1)
        except ValueError as problem:
            if "LockBusy" not in str(problem):
                raise
            return None

    def _start_building(self) -> tantivy.IndexWriter:
        if self._is_being_built():
            raise IndexUnavailable("rebuilding", str(self._generations.building))
        index = register_tokenizers(_create(self._generations.start_building()))
        return index.writer(heap_size=self._heap, num_threads=1)

    def _is_being_built(self) -> bool:
        try:
            writer = self._try_writer(tantivy.Index.open(str(self._generations.building)))
        except (ValueError, OSError):
            return False
        if writer:
            writer.wait_merging_threads()
        return writer is None


class TantivyBuild:
    """An index that is being built. Every id may be added only once: earlier documents are not replaced."""

    def __init__(self, writer: tantivy.IndexWriter) -> None:
        self._writer = writer

    def update(self, documents: Iterable[Document]) -> None:
        _add(self._writer, documents)


class _Opened(NamedTuple):
    path: Path
    engine: tantivy.Index
    commit: tuple[int, int, int]


def _create(path: Path) -> tantivy.Index:
    return tantivy.Index(SCHEMA, str(path))


def _last_commit(path: Path) -> tuple[int, int, int]:
    """Identify the last commit: Tantivy replaces meta.json with every commit."""
    status = (path / "meta.json").stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def _size(path: Path) -> int:
    """The total size in bytes of the files in a folder; files that a writer removes meanwhile are not counted."""
    total = 0
    for entry in os.scandir(path):
        with suppress(FileNotFoundError):
            total += entry.stat().st_size
    return total


def _remove(writer: tantivy.IndexWriter, ids: Iterable[int]) -> None:
    writer.delete_documents_by_query(tantivy.Query.term_set_query(SCHEMA, "id", list(ids)))


def _add(writer: tantivy.IndexWriter, documents: Iterable[Document]) -> None:
    for group in batched(documents, GROUP):
        for document in tantivy_documents(group):
            writer.add_json(document)
