"""Readers who search and a writer who indexes, beside whatever happens to the nodes; and what must hold afterwards."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aggregator.search.base import Document, IndexUnavailable, Query, QueryError, SearchIndex

FIXED = 300  # books that stay as they are
BATCH = 40  # books of one write
BOOKS = 2000  # that are written again and again
READERS = 2
_FIRST = 1_000_000  # number of the first of those


@dataclass
class Beside:
    """written: the number of each book's last version that the engine has said it has. gone: books it has deleted.

    moments: when a search or a write succeeded, in seconds of `time.monotonic`.
    """

    index: SearchIndex
    written: dict[int, int] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    refused: "Counter[str]" = field(default_factory=Counter)
    searches: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _unsure: set[int] = field(default_factory=set)  # were being written at the end

    def fill(self) -> None:
        """Write the books that stay as they are."""
        fixed = {number: Document(id=number, titles=(f"fixed n{number}",)) for number in range(1, FIXED + 1)}
        assert self.index.update(fixed.values()) == fixed.keys()

    def noting_faults(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception as fault:
            self.wrong.append(repr(fault))
            raise

    def read(self) -> None:
        """Search until told to stop; note every result that is not what it must be."""
        for number in itertools.cycle(range(1, FIXED + 1)):
            if self._stopping.is_set():
                return
            try:
                of_all = self.index.search(Query(q="fixed", sort="newest", page_size=50))
                of_one = self.index.search(Query(q=f"fixed n{number}"), ())
            except (IndexUnavailable, QueryError) as problem:  # QueryError: it took too long
                self.refused[f"search {problem.code}"] += 1
                time.sleep(0.1)
                continue
            self.searches.append(time.monotonic())
            expected = [(FIXED - place, 0.0) for place in range(50)]
            if (of_all.total, list(of_all.hits)) != (FIXED, expected):
                self.wrong.append(f"fixed: {of_all.total} {of_all.hits[:3]}")
            if [hit for hit, _score in of_one.hits] != [number]:
                self.wrong.append(f"n{number}: {of_one.hits[:3]}")

    def write(self) -> None:
        """Write, replace and delete books until told to stop; send again what was not taken."""
        for version in itertools.count(1):
            numbers = [_FIRST + (version * BATCH + place) % BOOKS for place in range(BATCH)]
            pending = set(numbers)
            while pending and not self._stopping.is_set():
                try:
                    self._send(pending, version)
                except IndexUnavailable as problem:
                    self.refused[f"write {problem.code}"] += 1
                    time.sleep(0.1)
            if self._stopping.is_set():
                self._unsure = pending
                return

    def _send(self, pending: set[int], version: int) -> None:
        leaving = {number for number in pending if number % 10 == 0 and version % 3 == 0}
        staying = pending - leaving
        taken = self.index.update(
            [Document(id=number, titles=(f"moving n{number} v{version}",)) for number in sorted(staying)]
        )
        self.written |= dict.fromkeys(taken, version)
        self.gone -= taken
        pending -= taken
        if leaving:
            deleted = self.index.delete(sorted(leaving))
            self.gone |= deleted
            pending -= deleted
        self.writes.append(time.monotonic())

    def lost(self) -> list[str]:
        """What the index lacks of that which it said it has; and deleted books that it still finds."""
        found: dict[int, str] = {}
        after = ""
        while True:
            page = self.index.search(Query(q="moving", sort="added", page_size=500, after=after), ())
            found |= {number: "" for number, _score in page.hits}
            if not (after := page.next):
                break
        sure = {number: version for number, version in self.written.items() if number not in self._unsure | self.gone}
        missing = [
            f"n{number} v{version}"
            for number, version in sure.items()
            if self.index.search(Query(q=f"moving n{number} v{version}"), ()).total != 1
        ]
        return missing + [f"n{number} is back" for number in found.keys() & (self.gone - self._unsure)]


@contextmanager
def beside(index: SearchIndex) -> Iterator[Beside]:
    """Fill the index, then read and write beside the block."""
    running = Beside(index)
    running.fill()
    tasks = [*[running.read] * READERS, running.write]
    threads = [threading.Thread(target=running.noting_faults, args=(task,), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    try:
        time.sleep(3)
        yield running
        time.sleep(3)
    finally:
        running._stopping.set()
        for thread in threads:
            thread.join(180)


def pause(moments: list[float], since: float) -> float:
    """The longest time between two successes after a moment, in seconds."""
    later = [since, *(moment for moment in moments if moment > since), time.monotonic()]
    return max(after - before for before, after in itertools.pairwise(later))
