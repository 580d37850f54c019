"""Working off the tasks of a run: units, entries, batches with the place to go on. Plans nothing.

A batch ends after so many records, entries, bytes or seconds: little is lost when a worker dies, and one that is
told to stop can.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from harvesting.transports.resourcesync.changes import clock_of_list
from harvesting.transports.resourcesync.documents import Entry, Link
from harvesting.transports.resourcesync.dumps import package_units
from harvesting.transports.resourcesync.entries import Read, failed, read_item
from harvesting.transports.resourcesync.lists import (
    Item,
    Opening,
    Trail,
    Unit,
    change_units,
    modified_since,
    resource_units,
)
from harvesting.transports.resourcesync.position import AGAIN, Progress, Task
from harvesting.transports.resourcesync.requests import Asking
from harvesting.types import Batch, HarvestedRecord, Observation, TransportError

BATCH_RECORDS = 100
BATCH_ENTRIES = 5_000
BATCH_BYTES = 8 * 1024 * 1024
BATCH_SECONDS = 10.0
MOST_RESTARTS = 2  # of a list that is another one each time
# Failures in a row, of whatever kind may pass; then the server is down and the run waits.
HOST_IS_DOWN = 10
LIST_IS_STALE = 200  # resources in a row that are not there
PAGES_WITHOUT_LINKS = 20  # then pages for people are not fetched any more in this run


class Run:
    """One run over its tasks. It owns the progress, and writes it into every batch."""

    def __init__(
        self, asking: Asking, progress: Progress, prefix: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._asking = asking
        self._progress = progress
        self._prefix = prefix
        self._clock = clock
        self._records: list[HarvestedRecord] = []
        self._entries = self._bytes = 0
        self._begun = clock()
        self._down = self._stale = 0
        self._before = (progress.task, progress.unit, progress.offset, progress.mark)  # the failures in a row

    def batches(self) -> Iterator[Batch]:
        while not self._progress.done:
            task = self._progress.tasks[self._progress.task]
            try:
                yield from self._work(task)
            except TransportError as error:
                if not self._replace(task, error):
                    if self._records or self._entries:
                        yield self._batch()
                    raise
            else:
                self._progress.next_task()
        self._finish()
        yield self._batch()

    def _work(self, task: Task) -> Iterator[Batch]:
        progress = self._progress
        for opening in islice(self._units(task), progress.unit, None):
            unit = opening()
            if unit is not None:
                entries, trail = unit.entries(), Trail(unit.url)
                for entry in islice(entries, progress.offset):
                    trail.add(entry)
                if progress.mark not in {"", str(trail)} and self._restarted():
                    yield from self._work(task)
                    return
                yield from self._unit(unit, entries, trail)
            progress.next_unit()

    def _unit(self, unit: Unit, entries: Iterator[Entry], trail: Trail) -> Iterator[Batch]:
        progress = self._progress
        for entry in entries:
            if not entry.loc:
                self._asking.note("rs.bad_entry", incomplete=True, url=unit.url)
            elif unit.wanted(progress.offset, entry):
                progress.mark = str(trail)  # should this one stop the run
                self._take(Item(entry=entry, read=unit.read))
                self._entries += 1
            trail.add(entry)
            progress.offset += 1
            if self._is_full():
                progress.mark = str(trail)
                yield self._batch()

    def _restarted(self) -> bool:
        """A list that has changed since is read from its start; one that changes always, on from where we were."""
        progress = self._progress
        progress.restarts += 1
        if progress.restarts > MOST_RESTARTS:
            self._asking.note("rs.list_unstable", incomplete=True, url=progress.tasks[progress.task].url)
            return False
        self._asking.note("rs.list_changed", url=progress.tasks[progress.task].url)
        progress.unit, progress.offset, progress.mark = 0, 0, ""
        return True

    def _units(self, task: Task) -> Iterator[Opening]:
        progress, asking = self._progress, self._asking
        since = None if task.whole else progress.since
        until = progress.until
        match task.kind:
            case "again":
                return iter([partial(_again_unit, progress.again)])
            case "changelist":
                return change_units(asking, task.url, since, until)
            case "resourcelist":
                return resource_units(asking, task.url, modified_since(since))
            case _:
                return package_units(asking, task.url, task.kind, since, until)

    def _take(self, item: Item) -> None:
        """One entry becomes a record, a failure or a number."""
        progress = self._progress
        read = self._read(item)
        if read.skipped:
            progress.count(read.skipped)
        if read.record:
            progress.records += 1
            self._records.append(read.record)
            self._bytes += len(read.record.payload)
            progress.missed.pop(read.record.identifier, None)
        if read.failure:
            if read.record is None or not read.record.deleted:
                progress.fail(item.entry.loc, read.url)
            self._judge(read.failure)
        elif read.record and not read.record.deleted:
            self._down = self._stale = 0
        progress.stumbled = ""

    def _read(self, item: Item) -> Read:
        pages_lead_nowhere = self._progress.counts.get("page", 0) >= PAGES_WITHOUT_LINKS
        try:
            return read_item(self._asking, item, self._progress.style, self._prefix, ask_pages=not pages_lead_nowhere)
        except TransportError as error:
            if self._progress.stumbled == item.entry.loc and not error.permanent:
                # We have come back later, and it is this resource alone.
                return Read(record=failed(item.entry, error), failure=error, url=item.entry.loc)
            self._progress.stumbled = item.entry.loc
            self._entries += 1  # so that the place is stored before the run waits
            raise

    def _judge(self, failure: TransportError) -> None:
        """Raise what stands for all when everything fails: the server is down, or the list is of another time."""
        if failure.permanent:
            self._down = 0
        elif self._down == 0:
            self._before = self._place
        self._down += not failure.permanent
        self._stale = self._stale + 1 if failure.code in {"http.404", "http.410"} else 0
        if self._down >= HOST_IS_DOWN:
            progress = self._progress
            progress.task, progress.unit, progress.offset, progress.mark = self._before
            raise TransportError(
                f"{self._down} resources in a row could not be had: {failure}",
                "rs.down",
                permanent=False,
                url=str(failure.facts.get("url", "")),
                count=self._down,
                reason=failure.code,
            )
        if self._stale >= LIST_IS_STALE:
            raise TransportError(
                f"{self._stale} listed resources in a row are not there",
                "rs.stale_list",
                permanent=True,
                url=str(failure.facts.get("url", "")),
                count=self._stale,
            )

    @property
    def _place(self) -> tuple[int, int, int, str]:
        progress = self._progress
        return progress.task, progress.unit, progress.offset, progress.mark

    def _replace(self, task: Task, error: TransportError) -> bool:
        """Read the lists instead of a dump, or everything instead of broken change lists. What was read stays."""
        progress = self._progress
        if not (error.permanent and task.instead) or error.code in {"rs.stale_list", "http.bot_wall"}:
            return False
        self._asking.note("rs.instead", url=str(error.facts.get("url", task.url)), reason=error.code)
        kind = task.instead[0][0]
        further = tuple(each for each in task.instead if each[0] != kind)
        instead = tuple(
            Task(kind=kind, url=url, whole=kind == "resourcelist", instead=further)
            for each, url in task.instead
            if each == kind
        )
        if kind == "resourcelist" and progress.clock:
            clocks = [clock_of_list(self._asking, each.url) for each in instead]
            progress.clock = min(filter(None, (progress.clock, *clocks)))  # the next run begins there
            lists = {(each.kind, each.instead) for each in progress.tasks if each.kind != AGAIN}
            if lists == {(task.kind, task.instead)} and not progress.until:
                progress.exhaustive = True  # of the one set that is read: what its list leaves out is gone
        # Further dumps of the set would bring the same again.
        rest = tuple(each for each in progress.tasks[progress.task + 1 :] if each.kind != task.kind)
        progress.tasks = (*progress.tasks[: progress.task], *instead, *rest)
        progress.unit, progress.offset, progress.mark = 0, 0, ""
        return True

    def _finish(self) -> None:
        """What the run as a whole has to say."""
        progress = self._progress
        first = next(iter(progress.missed.values()), "")
        if progress.missed:
            self._asking.note("rs.failed", incomplete=True, count=len(progress.missed), url=first)
        for reason in ("content", "page", "format"):
            if progress.counts.get(reason):
                self._asking.note(f"rs.skipped_{reason}", count=progress.counts[reason])
        if progress.counts.get("format") and not progress.records:
            raise TransportError("no resource in the wanted format", "rs.format", permanent=True, prefix=self._prefix)

    def _is_full(self) -> bool:
        return (
            len(self._records) >= BATCH_RECORDS
            or self._entries >= BATCH_ENTRIES
            or self._bytes >= BATCH_BYTES
            or self._clock() - self._begun >= BATCH_SECONDS
        )

    def _batch(self) -> Batch:
        progress, observations = self._progress, self._asking.told()
        progress.incomplete = progress.incomplete or _is_incomplete(observations)
        records, self._records = tuple(self._records), []
        self._entries, self._bytes, self._begun = 0, 0, self._clock()
        last = progress.done
        return Batch(
            records=records,
            resumption_token=progress.token(),
            response_date=progress.clock,
            exhaustive=last and progress.exhaustive and not progress.incomplete,
            observations=observations,
            memory=progress.remembered if last else {},
        )


def _is_incomplete(observations: tuple[Observation, ...]) -> bool:
    return any(each.incomplete for each in observations)


def _again_unit(failures: dict[str, str]) -> Unit:
    """What the last run did not get. A URL that is not the identifier's own is that of its metadata."""

    def entries() -> Iterator[Entry]:
        for identifier, url in failures.items():
            links = (Link(rel="describedby", href=url),) if url and url != identifier else ()
            yield Entry(loc=identifier, links=links)

    return Unit(url=AGAIN, entries=entries)
