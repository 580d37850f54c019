"""What people may do with a run, and doing it: pause, go on, cancel, decide. Each deed is noted in the trace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext_lazy

from harvesting.audit import trail
from harvesting.completion import deletion_decisions
from harvesting.models import Harvest, HeldDeletion
from harvesting.records.compression import unpack_record
from harvesting.runs import lifecycle

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

STEERING = {
    Harvest.State.QUEUED: frozenset({"pause", "cancel"}),
    Harvest.State.RUNNING: frozenset({"pause", "cancel"}),
    Harvest.State.INTERRUPTED: frozenset({"pause", "cancel"}),
    Harvest.State.PAUSED: frozenset({"resume", "cancel"}),
}
ACTIONS: dict[str, Callable[[Harvest], bool]] = {
    "pause": lifecycle.pause,
    "resume": lifecycle.resume,
    "cancel": lifecycle.cancel,
}
ANSWERS: dict[str, Callable[[Harvest, str], int]] = {
    "confirm": deletion_decisions.confirm,
    "refuse": deletion_decisions.refuse,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer: what it is called, what it brings about."""

    name: str
    label: "StrOrPromise"
    meaning: "StrOrPromise"


@dataclass(frozen=True, slots=True)
class Held:
    """A record whose deletion waits."""

    record: Any
    title: str
    how: str


ABOUT_DELETIONS = (
    Choice(
        "refuse",
        gettext_lazy("Keep the records"),
        gettext_lazy("Nothing is deleted. The harvest counts as finished; the next one looks again."),
    ),
    Choice(
        "confirm",
        gettext_lazy("Delete the records"),
        gettext_lazy(
            "They vanish from the search. For 90 days each of them can be restored. Many are deleted in the background."
        ),
    ),
)
ABOUT_THE_LIST = (
    Choice(
        "refuse",
        gettext_lazy("Drop this harvest"),
        gettext_lazy(
            "The earlier records stay in use; the next harvest asks for everything that this one should have."
        ),
    ),
    Choice(
        "confirm",
        gettext_lazy("Accept what came"),
        gettext_lazy(
            "The list is right as it came; the next harvest asks only for what has changed since. Nothing is deleted."
        ),
    ),
)


def possible(run: Harvest) -> frozenset[str]:
    """How a run can be steered; one that has ended, or whose page asks a question, not at all but by the answer."""
    return frozenset() if deletion_decisions.waits(run) else STEERING.get(Harvest.State(run.state), frozenset())


def steer(run: Harvest, act: str, person: Any, reason: str = "") -> bool:
    """Carry a wish out and note it. act: a key of ACTIONS. False if the run does not fit any more.

    Raises TransportError "run.lease_lost" when a worker took the run at the same moment.
    """
    if act not in possible(run):
        return False
    with transaction.atomic():
        moved = ACTIONS[act](run)
        if moved:
            trail.note(person, f"harvest.{act}", run, reason)
    return moved


def decide(run: Harvest, answer: str, person: Any, reason: str = "") -> None:
    """Carry a person's answer out and note it. answer: a key of ANSWERS.

    Raises TransportError "run.lease_lost" when the run does not wait any more.
    """
    count = run.held_deletions.count()
    ANSWERS[answer](run, person.get_username())
    trail.note(person, f"harvest.{answer}", run, reason, {"records": count})


def choices(run: Harvest) -> tuple[Choice, ...]:
    """The answers to the question that a run asks."""
    return ABOUT_DELETIONS if run.held_deletions.exists() else ABOUT_THE_LIST


def at_stake(run: Harvest, most: int) -> list[Held]:
    """Some of the records that would be deleted."""
    held = run.held_deletions.select_related("record").defer("record__payload", "record__rejected_payload")
    return [Held(each.record, title_of(each), each.get_deletion_display()) for each in held.order_by("pk")[:most]]


def title_of(held: HeldDeletion) -> str:
    """The title of the record as it is registered, else its public id."""
    packed = bytes(held.record.record)
    title = unpack_record(packed).title if packed else ""
    return title or held.record.public_id
