"""Scenarios and the results that are expected of a harvester. Pure; independent of the single scenarios."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from metadata.text.tables import Words, read_entries
from sampleprovider.replies import FIRST, LAST, OAI, RESOURCESYNC, RSS, Reply, Request
from sampleprovider.source import SampleSource

Fault = Callable[[Request], Reply]
Change = Callable[[Request, Reply], Reply]
SUCCEEDED, FAILED, PAUSED = "succeeded", "failed", "paused"
FULL, INCREMENTAL = "full", "incremental"
BOTH = (FIRST, LAST)
LABELS = {OAI: "OAI-PMH", RESOURCESYNC: "ResourceSync", RSS: "RSS"}
DESCRIPTIONS = read_entries(Path(__file__).with_name("descriptions.toml"), Words)  # by the names of the scenarios
NOTHING: Mapping[str, str] = {}
# Number of the record of `trial.trial_source` that a fault of one record damages, by place
DAMAGED = {"": 4, FIRST: 1, LAST: 10}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The expected result of harvesting a provider with this fault.

    states, codes: of the last run; a code that ends in "." stands for its family, () = not checked.
    live: the records that exist at the end: "all", "rest" (all but the damaged one and `gone`), "none", "any".
    damaged: what happens to the damaged record: "" (there is none), "rejected" (it is not stored), "repaired" (it is
    stored) or "either"; in these three cases it must be reported. "harmless": it does not matter.
    gone: numbers of records that must be deleted. extra: numbers of later records that must exist.
    reported: an observation or an issue must be reported. requests: maximum number of requests.
    unchanged: the last run must not change anything stored.
    """

    states: tuple[str, ...] = (SUCCEEDED,)
    codes: tuple[str, ...] = ()
    live: str = "rest"
    damaged: str = ""
    gone: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    reported: bool = False
    requests: int = 120
    unchanged: bool = False


COMPLETE = Expected()
REPORTED = Expected(reported=True)
REJECTED = Expected(damaged="rejected")
REPAIRED = Expected(damaged="repaired")
EITHER = Expected(damaged="either")
# The harvest may succeed or fail, but it must not lose records silently.
VISIBLE = Expected(states=(SUCCEEDED, FAILED, PAUSED), live="any", reported=True)
# The run waits for the decision of a person; until then all records stay.
HELD = Expected(states=(PAUSED,), codes=("safety.",))


def fails(*codes: str, requests: int = 120) -> Expected:
    """The run fails with one of these codes; the next run requests the same period again."""
    return Expected(states=(FAILED,), codes=codes, live="any", requests=requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One way in which a provider misbehaves.

    rows: kinds of misbehaviour, see `scenarios.ROWS`. repeats: the name of the scenario of another protocol with the
    same fault, whose description it has. places: where the fault can be (FIRST, LAST); place: where it is. feed:
    settings with which the feed must be registered. query: part of the base URL. tls: flaw of the certificate.
    forbidden: a path that must not be requested. runs: the harvests, "full" or "incremental". adapt: makes a source
    with other records.
    """

    name: str
    rows: tuple[str, ...]
    fault: Fault
    expected: Expected = COMPLETE
    protocol: str = OAI
    places: tuple[str, ...] = ()
    place: str = ""
    repeats: str = ""
    feed: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    tls: str = ""
    forbidden: str = ""
    runs: tuple[str, ...] = (FULL,)
    adapt: Callable[[SampleSource], SampleSource] | None = None

    def reply(self, request: Request) -> Reply:
        """Return the reply to a request."""
        return self.fault(replace(request, place=self.place))

    def description(self, language: str) -> str:
        """Return what the provider does, in this language ("ja", else English)."""
        text = DESCRIPTIONS[self.repeats or self.name.partition("@")[0]].in_language(language)
        return f"{LABELS[self.protocol]}: {text}" if self.repeats else text

    def at(self, place: str) -> "Scenario":
        """Return the scenario with its fault at one place only."""
        return replace(self, name=f"{self.name}@{place}", place=place, places=())


def row(rows: str, name: str, fault: Fault, expected: Expected, **more: Any) -> Scenario:
    """Make a scenario from a line of a table. rows: kinds of misbehaviour, separated by blanks."""
    return Scenario(name=name, rows=tuple(rows.split()), fault=fault, expected=expected, **more)


def no_fault(request: Request) -> Reply:
    """Reply without a fault."""
    return request.answer()


def at_place(change: Change, times: int = 0) -> Fault:
    """Apply the change at the place of the scenario. times: only the first tries of a request, 0 = always."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        if not request.is_affected(reply) or (times and request.tries > times):
            return reply
        return change(request, reply)

    return fault


def everywhere(change: Change) -> Fault:
    """Apply the change to all requests."""
    return lambda request: change(request, request.answer())


def later(fault: Fault) -> Fault:
    """Apply the fault from the second harvest on."""
    return lambda request: fault(request) if request.round > 1 else request.answer()


def status(code: int, *headers: tuple[str, str], body: bytes = b"") -> Change:
    """Reply with another status and these headers."""
    return lambda request, reply: Reply(body, status=code, content_type="text/html; charset=UTF-8", headers=headers)


def body(content: bytes, content_type: str = "text/html; charset=UTF-8") -> Change:
    """Reply with this body and status 200."""
    return lambda request, reply: Reply(content, content_type=content_type)


def replaced(old: bytes, new: bytes, count: int = -1) -> Change:
    """Replace bytes in the reply."""
    return lambda request, reply: reply.replaced(old, new, count)
