"""Carries out the tasks of a run: reads units and entries, and makes batches with the position from which to resume.

A batch is limited in records, entries, bytes and seconds, so that little is lost if a worker dies, and a worker that is
told to stop can do so soon.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from harvesting.transports.resourcesync.changes import list_complete_until, outdated_at
from harvesting.transports.resourcesync.documents import Entry, Link, parse_datetime
from harvesting.transports.resourcesync.dumps import package_units
from harvesting.transports.resourcesync.entries import ReadResult, failed_record, read_item
from harvesting.transports.resourcesync.lists import (
    Item,
    Trail,
    Unit,
    UnitOpener,
    change_units,
    modified_since,
    open_resource_list,
    resource_units,
)
from harvesting.transports.resourcesync.position import PART, RETRY_FAILED, Progress, Task
from harvesting.transports.resourcesync.requests import LIST_MISSING, SourceClient
from harvesting.transports.retries import BUSY
from harvesting.types import Batch, Gap, HarvestedRecord, HarvestRequest, Observation, TransportError

BATCH_RECORDS = 100
BATCH_ENTRIES = 5_000
BATCH_BYTES = 8 * 1024 * 1024
BATCH_SECONDS = 10.0
MAX_RESTARTS = 2  # of a list that changes whenever it is read
# Consecutive temporary failures after which the server is considered down and the run waits.
MAX_CONSECUTIVE_FAILURES = 10
MOST_BUSY_RESOURCES = 3  # given up in a row after a pause each; then the server is busy, not these resources
MAX_CONSECUTIVE_MISSING = 200  # consecutive resources that do not exist; the list is then considered outdated
MAX_GAPS = 20  # unreadable lists that are reported as gaps
MAX_PAGES_WITHOUT_LINKS = 20  # after which no more web pages are fetched in this run


class TaskRunner:
    """Carries out the tasks of one run. It updates the progress and writes it into every batch.

    A list that cannot be read leaves a gap in the requested period.
    """

    def __init__(
        self,
        client: SourceClient,
        progress: Progress,
        prefix: str,
        request: HarvestRequest,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._progress = progress
        self._request = request
        self._prefix = prefix
        self._clock = clock
        self._records: list[HarvestedRecord] = []
        self._entries = self._bytes = 0
        self._has_read = False
        self._batch_start = clock()
        self._consecutive_failures = self._consecutive_missing = 0
        self._failures_start = (
            progress.task,
            progress.unit,
            progress.offset,
            progress.mark,
        )  # where the consecutive failures began

    def batches(self) -> Iterator[Batch]:
        while not self._progress.done:
            task = self._progress.tasks[self._progress.task]
            try:
                yield from self._run_task(task)
            except TransportError as error:
                if not self._replace(task, error):
                    if self._records or self._entries:
                        yield self._batch()
                    raise
            else:
                self._progress.next_task()
        self._finish()
        yield self._batch()

    def _run_task(self, task: Task) -> Iterator[Batch]:
        progress = self._progress
        for opening in islice(self._units(task), progress.unit, None):
            unit = self._open(task, opening)
            if unit is not None:
                entries, trail = unit.entries(), Trail(unit.url)
                for entry in islice(entries, progress.offset):
                    trail.add(entry)
                if progress.mark not in {"", str(trail)} and self._restart_list():
                    yield from self._run_task(task)
                    return
                yield from self._read_unit(unit, entries, trail)
            progress.next_unit()

    def _open(self, task: Task, opening: UnitOpener) -> Unit | None:
        """Open a unit. A part of a list that cannot be read is tried again after all others, then given up."""
        try:
            return opening()
        except TransportError as error:
            if task.kind not in {"resourcelist", PART} or not error.permanent or error.code == "http.bot_wall":
                raise
            url = str(error.facts["url"])
            if task.kind == PART:
                self._client.note(LIST_MISSING, incomplete=True, url=url, reason=error.code)
            else:
                self._progress.tasks = (*self._progress.tasks, Task(kind=PART, url=url, whole=task.whole, at=task.at))
            return None

    def _read_unit(self, unit: Unit, entries: Iterator[Entry], trail: Trail) -> Iterator[Batch]:
        progress = self._progress
        for entry in entries:
            if not entry.loc:
                self._client.note("rs.bad_entry", incomplete=True, url=unit.url)
            elif unit.wanted(progress.offset, entry):
                progress.mark = str(trail)  # in case this entry stops the run
                self._add(Item(entry=entry, read=unit.read))
                self._entries += 1
            trail.add(entry)
            progress.offset += 1
            if self._is_full():
                progress.mark = str(trail)
                yield self._batch()

    def _restart_list(self) -> bool:
        """Set the progress back to the start of a list that has changed; False if it has changed too often already."""
        progress = self._progress
        progress.restarts += 1
        if progress.restarts > MAX_RESTARTS:
            self._client.note("rs.list_unstable", incomplete=True, url=progress.tasks[progress.task].url)
            return False
        self._client.note("rs.list_changed", url=progress.tasks[progress.task].url)
        progress.unit, progress.offset, progress.mark = 0, 0, ""
        return True

    def _units(self, task: Task) -> Iterator[UnitOpener]:
        progress, client = self._progress, self._client
        since = None if task.whole else progress.since
        until = progress.until
        match task.kind:
            case "again":
                return iter([partial(_retry_unit, progress.again, progress.hashes)])
            case "changelist":
                return change_units(client, task.url, since, until)
            case "resourcelist":
                return resource_units(client, task.url, modified_since(since))
            case "part":
                return iter([partial(open_resource_list, client, task.url, modified_since(since))])
            case _:
                return package_units(client, task.url, task.kind, since, until)

    def _add(self, item: Item) -> None:
        """Read one entry and add it as a record, a failure or a count of skipped entries."""
        progress = self._progress
        read = self._read(item)
        if read.skipped:
            progress.count(read.skipped)
        if read.record:
            progress.records += 1
            self._records.append(self._dated(read.record))
            self._bytes += len(read.record.payload)
            progress.forget(read.record.identifier)
        if read.listed_hash:
            progress.doubt(item.entry.loc, read.url, read.listed_hash)
        if read.failure:
            if read.record is None or not read.record.deleted:
                progress.fail(item.entry.loc, read.url)
            self._check_failures(read.failure)
        else:
            self._has_read = True
            if read.record and not read.record.deleted:
                self._consecutive_failures = self._consecutive_missing = progress.busy = 0
        progress.stumbled = ""

    def _dated(self, record: HarvestedRecord) -> HarvestedRecord:
        at = self._progress.tasks[self._progress.task].at
        return replace(record, as_of=parse_datetime(at)) if at else record

    def _read(self, item: Item) -> ReadResult:
        are_pages_useless = self._progress.counts.get("page", 0) >= MAX_PAGES_WITHOUT_LINKS
        try:
            return read_item(self._client, item, self._progress.style, self._prefix, fetch_pages=not are_pages_useless)
        except TransportError as error:
            if self._progress.stumbled == item.entry.loc and not error.permanent:
                # The second failure after waiting: only this resource is affected, unless the next ones are too.
                self._progress.busy += error.code in BUSY
                return ReadResult(record=failed_record(item.entry, error), failure=error, url=item.entry.loc)
            self._progress.stumbled = item.entry.loc
            self._entries += 1  # so that the position is stored before the run waits
            raise

    def _check_failures(self, failure: TransportError) -> None:
        """Raise a TransportError if too many consecutive resources failed: the server is down or the list outdated."""
        if failure.permanent:
            self._consecutive_failures = 0
        elif self._consecutive_failures == 0:
            self._failures_start = self._position
        self._consecutive_failures += not failure.permanent
        self._consecutive_missing = self._consecutive_missing + 1 if failure.code in {"http.404", "http.410"} else 0
        if self._consecutive_failures >= MAX_CONSECUTIVE_FAILURES:
            progress = self._progress
            progress.task, progress.unit, progress.offset, progress.mark = self._failures_start
            raise TransportError(
                f"{self._consecutive_failures} resources in a row could not be fetched: {failure}",
                "rs.down",
                permanent=False,
                url=str(failure.facts.get("url", "")),
                count=self._consecutive_failures,
                reason=failure.code,
            )
        if self._consecutive_missing >= MAX_CONSECUTIVE_MISSING:
            raise TransportError(
                f"{self._consecutive_missing} listed resources in a row do not exist",
                "rs.stale_list",
                permanent=True,
                url=str(failure.facts.get("url", "")),
                count=self._consecutive_missing,
            )

    @property
    def _position(self) -> tuple[int, int, int, str]:
        progress = self._progress
        return progress.task, progress.unit, progress.offset, progress.mark

    def _replace(self, task: Task, error: TransportError) -> bool:
        """Replace a broken task by its fallback: the lists for a dump, everything for change lists.

        Return whether it was replaced. What has been read stays.
        """
        progress = self._progress
        if not (error.permanent and task.instead) or error.code in {"rs.stale_list", "http.bot_wall"}:
            return False
        self._client.note("rs.instead", url=str(error.facts.get("url", task.url)), reason=error.code)
        kind = task.instead[0][0]
        remaining_fallbacks = tuple(pair for pair in task.instead if pair[0] != kind)
        urls = [url for pair, url in task.instead if pair == kind]
        at = outdated_at(self._client, urls, progress.position, inside=True) if kind == "resourcelist" else None
        replacements = tuple(
            Task(
                kind=kind,
                url=url,
                whole=kind == "resourcelist",
                at=at.isoformat() if at else "",
                instead=remaining_fallbacks,
            )
            for url in urls
        )
        if at:
            progress.clock = progress.position  # the changes after that position could not be read
        elif kind == "resourcelist" and progress.clock:
            clocks = [list_complete_until(self._client, pair.url) for pair in replacements]
            progress.clock = min(filter(None, (progress.clock, *clocks)))  # the next run starts there
            lists = {(pair.kind, pair.instead) for pair in progress.tasks if pair.kind != RETRY_FAILED}
            if lists == {(task.kind, task.instead)} and not progress.until:
                progress.exhaustive = True  # the run reads one set only, so what its list lacks was deleted
        # Further dumps of the set would contain the same resources again.
        remaining = tuple(pair for pair in progress.tasks[progress.task + 1 :] if pair.kind != task.kind)
        progress.tasks = (*progress.tasks[: progress.task], *replacements, *remaining)
        progress.unit, progress.offset, progress.mark = 0, 0, ""
        return True

    def _finish(self) -> None:
        """Note the observations of the run as a whole. TransportError "rs.format" if there was no suitable record."""
        progress = self._progress
        first = next(iter(progress.missed.values()), "")
        if progress.missed:
            self._client.note("rs.failed", incomplete=True, count=len(progress.missed), url=first)
        for reason in ("content", "page", "format"):
            if progress.counts.get(reason):
                self._client.note(f"rs.skipped_{reason}", count=progress.counts[reason])
        if progress.counts.get("format") and not progress.records:
            raise TransportError("no resource in the wanted format", "rs.format", permanent=True, prefix=self._prefix)

    def _is_full(self) -> bool:
        return (
            len(self._records) >= BATCH_RECORDS
            or self._entries >= BATCH_ENTRIES
            or self._bytes >= BATCH_BYTES
            or self._clock() - self._batch_start >= BATCH_SECONDS
        )

    def _batch(self) -> Batch:
        progress, observations = self._progress, self._client.take_observations()
        missing = [seen.facts for seen in observations if seen.code == LIST_MISSING and seen.incomplete]
        progress.unread |= {str(facts["url"]): str(facts["reason"]) for facts in missing}
        progress.incomplete = progress.incomplete or _is_incomplete(observations)
        records, self._records = tuple(self._records), []
        self._entries, self._bytes, self._batch_start = 0, 0, self._clock()
        is_last = progress.done
        return Batch(
            records=records,
            resumption_token=progress.token(),
            stalled=not self._has_read and not is_last,
            response_date=progress.clock,
            exhaustive=is_last and progress.exhaustive and not progress.incomplete,
            observations=observations,
            gaps=self._gaps() if is_last else (),
            memory=progress.remembered if is_last else {},
        )

    def _gaps(self) -> tuple[Gap, ...]:
        """The requested period, once for each list that could not be read: the next run must not build on this one."""
        return tuple(
            Gap(
                from_=self._request.from_,
                until=self._request.until,
                code=LIST_MISSING,
                facts={"url": url, "reason": reason},
            )
            for url, reason in list(self._progress.unread.items())[:MAX_GAPS]
        )


def _is_incomplete(observations: tuple[Observation, ...]) -> bool:
    return any(observation.incomplete for observation in observations)


def _retry_unit(failures: dict[str, str], hashes: dict[str, str]) -> Unit:
    """Return a unit of the resources that failed in the last run, with the hashes that they should have.

    A URL that differs from the identifier is that of the resource's metadata.
    """

    def entries() -> Iterator[Entry]:
        for identifier, url in failures.items():
            attributes = {"hash": hashes[identifier]} if identifier in hashes else {}
            links = (Link(rel="describedby", href=url, attributes=attributes),) if url and url != identifier else ()
            yield Entry(loc=identifier, links=links, attributes={} if links else attributes)

    return Unit(url=RETRY_FAILED, entries=entries)
