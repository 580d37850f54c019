"""What a scenario is, and what a harvester must make of it. Pure; knows no single scenario."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sampleprovider.replies import FIRST, LAST, OAI, Asked, Reply
from sampleprovider.source import SampleSource

Fault = Callable[[Asked], Reply]
Change = Callable[[Asked, Reply], Reply]
SUCCEEDED, FAILED, PAUSED = "succeeded", "failed", "paused"
FULL, INCREMENTAL = "full", "incremental"
BOTH = (FIRST, LAST)
NOTHING: Mapping[str, str] = {}
# Which record of `trial.trial_source` a fault of one record falls upon, by place
DAMAGED = {"": 4, FIRST: 1, LAST: 10}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The right end of a harvest from a provider that behaves so.

    states, codes: of the last run; a code that ends in "." stands for its family, () = not looked at.
    live: which records are there at the end: "all", "rest" (all but the damaged one and `gone`), "none", "any".
    damaged: what became of the damaged record: "" (none is), "rejected" (it is not there), "repaired" (it is), or
    "either"; all of them visibly. "harmless": it does not matter.
    gone: numbers of records that must be deleted. extra: of records that came later and must be there.
    told: something must be said, about the provider or a record. requests: never more than these.
    unchanged: the last run changes nothing that is stored.
    """

    states: tuple[str, ...] = (SUCCEEDED,)
    codes: tuple[str, ...] = ()
    live: str = "rest"
    damaged: str = ""
    gone: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    told: bool = False
    requests: int = 120
    unchanged: bool = False


COMPLETE = Expected()
TOLD = Expected(told=True)
REJECTED = Expected(damaged="rejected")
REPAIRED = Expected(damaged="repaired")
EITHER = Expected(damaged="either")
# The harvest may end or fail; what it must not do is to lose records and say nothing.
VISIBLE = Expected(states=(SUCCEEDED, FAILED, PAUSED), live="any", told=True)
# A person decides; until then everything stays.
HELD = Expected(states=(PAUSED,), codes=("safety.",))


def fails(*codes: str, requests: int = 120) -> Expected:
    """The run fails with one of these codes, and the next one asks for the same again."""
    return Expected(states=(FAILED,), codes=codes, live="any", requests=requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One way in which a provider misbehaves.

    rows: of the catalogue of misbehaviour. places: where it can be told to strike. feed: how it must be registered.
    query: what the base URL carries. tls: a flaw of its certificate. forbidden: a path that nobody may ask for.
    runs: what is harvested one after the other, each "full" or "incremental". adapt: other records than usual.
    """

    name: str
    rows: tuple[str, ...]
    fault: Fault
    en: str
    ja: str
    expected: Expected = COMPLETE
    protocol: str = OAI
    places: tuple[str, ...] = ()
    place: str = ""
    feed: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    tls: str = ""
    forbidden: str = ""
    runs: tuple[str, ...] = (FULL,)
    adapt: Callable[[SampleSource], SampleSource] | None = None

    def reply(self, asked: Asked) -> Reply:
        """What is answered to a request."""
        return self.fault(replace(asked, place=self.place))

    def at(self, place: str) -> "Scenario":
        """The same, striking at one place only."""
        return replace(self, name=f"{self.name}@{place}", place=place, places=())


def row(rows: str, name: str, fault: Fault, expected: Expected, texts: tuple[str, str], **more: Any) -> Scenario:
    """A scenario as a line of a table. rows: separated by blanks. texts: English, Japanese."""
    en, ja = texts
    return Scenario(name=name, rows=tuple(rows.split()), fault=fault, expected=expected, en=en, ja=ja, **more)


def right(asked: Asked) -> Reply:
    """No fault at all."""
    return asked.answer()


def struck(change: Change, times: int = 0) -> Fault:
    """The change, where the scenario strikes. times: only for the first so many tries of a request, 0 = always."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        if not asked.strikes(reply) or (times and asked.tries > times):
            return reply
        return change(asked, reply)

    return fault


def whole(change: Change, times: int = 0) -> Fault:
    """The change for every request, lists or not."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        return reply if times and asked.tries > times else change(asked, reply)

    return fault


def later(fault: Fault) -> Fault:
    """All is well in the first harvest; the fault is there from the second on."""
    return lambda asked: fault(asked) if asked.round > 1 else asked.answer()


def status(code: int, *headers: tuple[str, str], body: bytes = b"") -> Change:
    """Another status, with these headers, instead of the reply."""
    return lambda asked, reply: Reply(body, status=code, content_type="text/html; charset=UTF-8", headers=headers)


def body(content: bytes, content_type: str = "text/html; charset=UTF-8") -> Change:
    """This instead of the reply, with status 200."""
    return lambda asked, reply: Reply(content, content_type=content_type)


def replaced(old: bytes, new: bytes, count: int = -1) -> Change:
    """Other bytes in the reply."""
    return lambda asked, reply: reply.replaced(old, new, count)
