"""The progress of a run, encoded in the resumptionToken so that an interrupted run can resume. Pure functions."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from harvesting.transports.resourcesync.linking import Style
from harvesting.types import TransportError

VERSION = 1
MAX_REMEMBERED_FAILURES = 100  # failed resources that the next run retries; with more, it reads the whole list
RETRY_FAILED = "again"
PART = "part"
TIMES = ("clock", "since", "until", "position")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One list to read. The field names are part of stored tokens: do not rename them.

    kind: the capability of the list, or "again" for the resources that failed in the last run, or "part" for a list of
    an index that could not be read at first.
    whole: all entries are wanted, whatever their dates. at: when the list was made, if it is older than the position
    that the last run reached; "" otherwise. instead: (kind, URL) of the lists to read if it is unusable.
    """

    kind: str
    url: str = ""
    whole: bool = False
    at: str = ""
    instead: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class Progress:
    """The progress of a run. The field names are part of stored tokens: do not rename them.

    task, unit, offset: where to resume, counted from 0; a unit is a list of an index or a package of a dump.
    mark: the `Trail` of the entries of that unit that were read. clock: up to when the run is complete.
    since, until: the time window of the changes. position: up to when the last run was complete. style: see `Style`.
    again: identifier -> URL of the resources that failed in the last run; missed: of those that failed in this run.
    altered: identifier -> URL of the resources that did not match their listed hash in this run.
    hashes: identifier -> the listed hash that the resource did not match, in the last run or in this one.
    unread: lists that could not be read -> why. records, restarts: numbers so far.
    counts: of skipped and failed entries, by reason.
    exhaustive: the tasks cover everything that the source has. incomplete: part of it could not be read.
    stumbled: the resource at which the source asked us to retry later. busy: how many resources in a row were given up
    because the source asked that again after the pause. memory: further values for the next run.
    """

    tasks: tuple[Task, ...] = ()
    task: int = 0
    unit: int = 0
    offset: int = 0
    mark: str = ""
    clock: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    position: datetime | None = None
    style: Style = Style.UNKNOWN
    again: dict[str, str] = field(default_factory=dict)
    missed: dict[str, str] = field(default_factory=dict)
    altered: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    records: int = 0
    restarts: int = 0
    exhaustive: bool = False
    incomplete: bool = False
    stumbled: str = ""
    busy: int = 0
    memory: dict[str, str] = field(default_factory=dict)

    def count(self, reason: str) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1

    def fail(self, identifier: str, url: str) -> None:
        self.count("failed")
        if len(self.missed) <= MAX_REMEMBERED_FAILURES:
            self.missed[identifier] = url[:2000]

    def doubt(self, identifier: str, url: str, listed_hash: str) -> None:
        """Remember a resource that does not match its listed hash, so that the next run requests it again."""
        if len(self.altered) <= MAX_REMEMBERED_FAILURES:
            self.altered[identifier] = url[:2000]
            self.hashes[identifier] = listed_hash[:1000]

    def forget(self, identifier: str) -> None:
        """Forget that a resource failed in this run or did not match its hash: it has been read now."""
        self.missed.pop(identifier, None)
        self.altered.pop(identifier, None)

    def next_task(self) -> None:
        self.task, self.unit, self.offset, self.mark = self.task + 1, 0, 0, ""

    def next_unit(self) -> None:
        self.unit, self.offset, self.mark = self.unit + 1, 0, ""

    @property
    def done(self) -> bool:
        return self.task >= len(self.tasks)

    def token(self) -> str:
        """Return the resumption token; "" if everything is done."""
        if self.done:
            return ""
        state = {**asdict(self), "version": VERSION}
        for name in TIMES:
            state[name] = _text(state[name])
        return json.dumps({name: value for name, value in state.items() if value}, ensure_ascii=False)

    @property
    def remembered(self) -> Mapping[str, str]:
        """The values to remember for the next run."""
        again = self.altered | self.missed
        is_full_run_due = len(again) > MAX_REMEMBERED_FAILURES
        hashes = {identifier: self.hashes[identifier] for identifier in self.altered}
        return {
            **self.memory,
            "style": str(self.style),
            "again": json.dumps(again, ensure_ascii=False) if again and not is_full_run_due else "",
            "hashes": json.dumps(hashes, ensure_ascii=False) if hashes and not is_full_run_due else "",
            "baseline": "due" if is_full_run_due else "",
            "position": _text(self.clock),
        }


def load_progress(token: str) -> Progress:
    """Return the progress in a token made by `Progress.token`. TransportError "rs.token" for any other token."""
    try:
        state = json.loads(token)
        if state.pop("version") != VERSION:
            raise ValueError(token[:40])
        state["tasks"] = tuple(_task(task) for task in state.get("tasks", ()))
        for name in TIMES:
            state[name] = datetime.fromisoformat(state[name]) if state.get(name) else None
        return Progress(**{**state, "style": Style(state.get("style", ""))})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TransportError(f"a token that cannot be read: {token[:80]}", "rs.token", permanent=True) from error


def remembered_failures(memory: Mapping[str, str]) -> dict[str, str]:
    """Return identifier -> URL of the resources that the last run could not fetch, or that did not match their hash."""
    return _remembered_texts(memory, "again")


def remembered_hashes(memory: Mapping[str, str]) -> dict[str, str]:
    """Return identifier -> listed hash of the resources that did not match it in the last run."""
    return _remembered_texts(memory, "hashes")


def _remembered_texts(memory: Mapping[str, str], name: str) -> dict[str, str]:
    try:
        texts = json.loads(memory.get(name) or "{}")
    except ValueError:
        return {}
    return {str(key): str(text) for key, text in texts.items()} if isinstance(texts, dict) else {}


def _task(state: Mapping[str, object]) -> Task:
    instead = state.get("instead", ())
    pairs = tuple((str(kind), str(url)) for kind, url in instead) if isinstance(instead, list | tuple) else ()
    return Task(
        kind=str(state["kind"]),
        url=str(state.get("url", "")),
        whole=bool(state.get("whole")),
        at=str(state.get("at", "")),
        instead=pairs,
    )


def _text(time: datetime | None) -> str:
    return time.astimezone(UTC).isoformat() if time else ""
