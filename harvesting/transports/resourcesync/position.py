"""How far a run has come: the state that travels in the resumptionToken, so that a killed run goes on. Pure."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from harvesting.transports.resourcesync.linking import Style
from harvesting.types import TransportError

VERSION = 1
MOST_AGAIN = 100  # failed resources that the next run asks for again; beyond, it reads the whole list
AGAIN = "again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One list to work off. kind: its capability, or "again" for what failed in the last run.

    whole: everything in it is wanted, whatever it says about dates. instead: what to read when it cannot be used.
    """

    kind: str
    url: str = ""
    whole: bool = False
    instead: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class Progress:
    """task, unit, offset: where to go on; a unit is a list of an index or a package of a dump, counted from 0.

    mark: the trail of what was read of that unit. clock: up to when the run is complete.
    since, until: of the changes wanted.
    again: identifier -> URL of what failed. counts: of what was passed over, by reason.
    exhaustive: the tasks are everything the source has. incomplete: something of it could not be read.
    stumbled: the resource at which the source asked us to come back later.
    """

    tasks: tuple[Task, ...] = ()
    task: int = 0
    unit: int = 0
    offset: int = 0
    mark: str = ""
    clock: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    style: Style = Style.UNKNOWN
    again: dict[str, str] = field(default_factory=dict)
    missed: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    records: int = 0
    restarts: int = 0
    exhaustive: bool = False
    incomplete: bool = False
    stumbled: str = ""
    memory: dict[str, str] = field(default_factory=dict)

    def count(self, reason: str) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1

    def fail(self, identifier: str, url: str) -> None:
        self.count("failed")
        if len(self.missed) <= MOST_AGAIN:
            self.missed[identifier] = url[:2000]

    def next_task(self) -> None:
        self.task, self.unit, self.offset, self.mark = self.task + 1, 0, 0, ""

    def next_unit(self) -> None:
        self.unit, self.offset, self.mark = self.unit + 1, 0, ""

    @property
    def done(self) -> bool:
        return self.task >= len(self.tasks)

    def token(self) -> str:
        """Opaque text; "" when everything is done."""
        if self.done:
            return ""
        state = {**asdict(self), "version": VERSION}
        for name in ("clock", "since", "until"):
            state[name] = _text(state[name])
        return json.dumps({name: value for name, value in state.items() if value}, ensure_ascii=False)

    @property
    def remembered(self) -> Mapping[str, str]:
        """What the next run has to know."""
        whole = len(self.missed) > MOST_AGAIN
        return {
            **self.memory,
            "style": str(self.style),
            "again": json.dumps(self.missed, ensure_ascii=False) if self.missed and not whole else "",
            "baseline": "due" if whole else "",
            "position": _text(self.clock),
        }


def load(token: str) -> Progress:
    """The progress of a token that `Progress.token` made. TransportError "rs.token" for any other."""
    try:
        state = json.loads(token)
        if state.pop("version") != VERSION:
            raise ValueError(token[:40])
        state["tasks"] = tuple(_task(each) for each in state.get("tasks", ()))
        for name in ("clock", "since", "until"):
            state[name] = datetime.fromisoformat(state[name]) if state.get(name) else None
        return Progress(**{**state, "style": Style(state.get("style", ""))})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TransportError(f"a token that cannot be read: {token[:80]}", "rs.token", permanent=True) from error


def remembered_failures(memory: Mapping[str, str]) -> dict[str, str]:
    """identifier -> URL of what the last run did not get."""
    try:
        found = json.loads(memory.get("again") or "{}")
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): str(url) for name, url in found.items()}


def _task(state: Mapping[str, object]) -> Task:
    instead = state.get("instead", ())
    pairs = tuple((str(kind), str(url)) for kind, url in instead) if isinstance(instead, list | tuple) else ()
    return Task(kind=str(state["kind"]), url=str(state.get("url", "")), whole=bool(state.get("whole")), instead=pairs)


def _text(moment: datetime | None) -> str:
    return moment.astimezone(UTC).isoformat() if moment else ""
