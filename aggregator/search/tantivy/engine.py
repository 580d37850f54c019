"""The embedded engine: one Tantivy index in a folder, many reading processes, one writing at a time.

Knows folders, locks and commits. Nothing stays open for writing: who writes takes Tantivy's lock, commits, and lets
go. A killed writer leaves the last commit, and the system takes its lock away.
"""

import os
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from itertools import batched
from pathlib import Path
from typing import NamedTuple

import tantivy

from aggregator.search.base import FACETS, Document, FacetValue, Facts, IndexUnavailable, Query, Results
from aggregator.search.suggest.entries import Suggestion
from aggregator.search.tantivy.counted import Counted
from aggregator.search.tantivy.documents import tantivy_document
from aggregator.search.tantivy.generations import Generations
from aggregator.search.tantivy.near import near
from aggregator.search.tantivy.reader import State, alternatives, search
from aggregator.search.tantivy.schema import SCHEMA, SCHEMA_VERSION, register_tokenizers
from aggregator.search.tantivy.suggest import make_tops, suggest
from aggregator.search.tantivy.suggest_tops import Tops, is_due, write

ENGINE = f"Tantivy {version('tantivy')}"
BATCH = 1000  # documents that are in Python's memory at a time
HEAP = 64_000_000  # bytes of terms that a writer gathers before it starts another segment
LOCK_WAIT = 120.0  # seconds; another process may be merging a large index
LOCK_PAUSE = 0.02


class TantivyIndex:
    """SearchIndex in `folder`, which may be read and written by any number of processes of this machine."""

    def __init__(self, folder: Path | str, heap: int = HEAP, lock_wait: float = LOCK_WAIT) -> None:
        self._generations = Generations(Path(folder), SCHEMA_VERSION)
        self._heap = heap
        self._lock_wait = lock_wait
        self._opening = threading.Lock()
        self._opened: _Opened | None = None
        self._tops = Tops()

    def search(self, query: Query, facets: Sequence[str] = FACETS) -> Results:
        return search(self._state(), query, facets)

    def alternatives(self, query: Query) -> dict[str, tuple[FacetValue, ...]]:
        return alternatives(self._state(), query)

    def suggest(self, typed: str) -> tuple[Suggestion, ...]:
        opened = self._open_live()
        return suggest(opened.engine.searcher(), self._tops.of(opened.path), typed) if opened else ()

    def near(self, typed: str) -> tuple[int, ...]:
        searcher = self._searcher()
        return near(searcher, typed) if searcher else ()

    def tidy(self) -> None:
        opened = self._open_live()
        if opened and is_due(opened.path, opened.engine.searcher().num_docs):
            write(opened.path, make_tops(opened.engine.searcher()))

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

    def update(self, documents: Iterable[Document]) -> None:
        with self._writing() as writer:
            for batch in batched(documents, BATCH):
                latest = {document.id: document for document in batch}
                _remove(writer, latest)
                _add(writer, latest.values())

    def delete(self, ids: Iterable[int]) -> None:
        with self._writing() as writer:
            for batch in batched(ids, BATCH):
                _remove(writer, batch)

    def clear(self) -> None:
        with self.build_beside():
            pass

    @contextmanager
    def build_beside(self) -> "Iterator[TantivyBuild]":
        with self._live_held():
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
        # Who has the lock of the live generation is alone in changing which one that is.
        with self._live_held():
            writer.wait_merging_threads()
            self._generations.publish_built()

    def _state(self) -> State | None:
        opened = self._open_live()
        return State(opened.engine.searcher(), opened.counted) if opened else None

    def _searcher(self) -> tantivy.Searcher | None:
        opened = self._open_live()
        return opened.engine.searcher() if opened else None

    def _open_live(self) -> "_Opened | None":
        path = self._generations.live()
        while path:
            try:
                return self._open(path)
            except (ValueError, OSError) as problem:
                removed, path = path, self._generations.live()
                if path == removed:
                    raise IndexUnavailable("damaged", str(path)) from problem
        return None

    def _open(self, path: Path) -> "_Opened":
        """The index at its last commit. One `stat` when nothing was written since the last call."""
        with self._opening:
            commit = _last_commit(path)
            if self._opened is None or self._opened.path != path:
                index = register_tokenizers(tantivy.Index.open(str(path)))
                index.config_reader("manual")
                self._opened = _Opened(path, index, commit, Counted())
            elif self._opened.commit != commit:
                self._opened.engine.reload()
                self._opened = self._opened._replace(commit=commit, counted=Counted())
            return self._opened

    @contextmanager
    def _writing(self) -> Iterator[tantivy.IndexWriter]:
        """A writer on the live generation. What is not committed when an exception ends the block is forgotten."""
        writer = self._live_writer()
        try:
            yield writer
            writer.commit()
        finally:
            writer.wait_merging_threads()

    @contextmanager
    def _live_held(self) -> Iterator[None]:
        """Nobody else writes to or replaces the live generation; one that cannot be opened needs no guarding."""
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
            if writer:  # another process has switched to a new generation just before
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
    """An index that is being built: every id comes once or replaces the one before, as in `update`."""

    def __init__(self, writer: tantivy.IndexWriter) -> None:
        self._writer = writer

    def update(self, documents: Iterable[Document]) -> None:
        for document in documents:
            self._writer.add_document(tantivy_document(document))


class _Opened(NamedTuple):
    path: Path
    engine: tantivy.Index
    commit: tuple[int, int, int]
    counted: Counted


def _create(path: Path) -> tantivy.Index:
    return tantivy.Index(SCHEMA, str(path))


def _last_commit(path: Path) -> tuple[int, int, int]:
    """Tantivy puts a new meta.json in place of the old one with each commit."""
    status = (path / "meta.json").stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def _size(path: Path) -> int:
    """Bytes of its files; those that a writer removes meanwhile are not counted."""
    total = 0
    for entry in os.scandir(path):
        with suppress(FileNotFoundError):
            total += entry.stat().st_size
    return total


def _remove(writer: tantivy.IndexWriter, ids: Iterable[int]) -> None:
    writer.delete_documents_by_query(tantivy.Query.term_set_query(SCHEMA, "id", list(ids)))


def _add(writer: tantivy.IndexWriter, documents: Iterable[Document]) -> None:
    for document in documents:
        writer.add_document(tantivy_document(document))
