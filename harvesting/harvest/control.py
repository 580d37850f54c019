"""What people can do with a run: pause, resume or cancel it, and decide what a waiting run is to do.

Every action and decision is written to the audit trail.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext_lazy

from harvesting.audit import trail
from harvesting.completion import deletion_decisions, guards
from harvesting.models import PAYLOAD_COLUMNS, Harvest, HeldDeletion
from harvesting.records.compression import unpack_record
from harvesting.runs import lifecycle

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

EXAMPLES = 50  # of the records that a waiting run would delete; also the old and new identifiers of renamed ones
ALLOWED_ACTIONS = {
    Harvest.State.QUEUED: frozenset({"pause", "cancel"}),
    Harvest.State.RUNNING: frozenset({"pause", "cancel"}),
    Harvest.State.INTERRUPTED: frozenset({"pause", "cancel"}),
    Harvest.State.PAUSED: frozenset({"resume", "cancel"}),
}
# Name -> function that carries it out; the function returns False if the state of the run does not allow it.
ACTIONS: dict[str, Callable[[Harvest], bool]] = {
    "pause": lifecycle.pause,
    "resume": lifecycle.resume,
    "cancel": lifecycle.cancel,
}
# The keys of ACTIONS and ANSWERS are part of codes stored in the audit trail ("harvest.pause"): never rename them.
ANSWERS: dict[str, Callable[[Harvest, str], int]] = {
    "confirm": deletion_decisions.confirm,
    "refuse": deletion_decisions.refuse,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers that a person can give about a waiting run. name: a key of ANSWERS."""

    name: str
    label: "StrOrPromise"
    meaning: "StrOrPromise"


@dataclass(frozen=True, slots=True)
class HeldRecord:
    """A record whose deletion waits for a decision. how: how the deletion became known, in words.

    successor: the new record that replaces this one under another identifier, if there is one.
    """

    record: Any
    title: str
    how: str
    successor: Any = None


DELETION_CHOICES = (
    Choice(
        "refuse",
        gettext_lazy("Keep the records"),
        gettext_lazy(
            "Nothing is deleted: the feed keeps %(live)s records. The harvest counts as finished; the next one checks "
            "again."
        ),
    ),
    Choice(
        "confirm",
        gettext_lazy("Delete the records"),
        gettext_lazy(
            "%(held)s of %(live)s records of the feed disappear from search, %(left)s stay. Each record can be "
            "restored for 90 days. Large numbers are deleted in the background."
        ),
    ),
)
LIST_CHOICES = (
    Choice(
        "refuse",
        gettext_lazy("Discard this harvest"),
        gettext_lazy(
            "The earlier records stay in use; the next harvest fetches everything that this one should have fetched."
        ),
    ),
    Choice(
        "confirm",
        gettext_lazy("Accept the list"),
        gettext_lazy(
            "The list is accepted as received; the next harvest fetches only what has changed since. "
            "Nothing is deleted."
        ),
    ),
)


def possible_actions(run: Harvest) -> frozenset[str]:
    """The actions that the run allows now; none if it has ended or awaits a decision, which only `decide` can give."""
    if deletion_decisions.awaits_decision(run):
        return frozenset()
    return ALLOWED_ACTIONS.get(Harvest.State(run.state), frozenset())


def perform_action(run: Harvest, action: str, person: Any, reason: str = "") -> bool:
    """Perform an action (a key of ACTIONS) and record it. Return False if the run does not allow it any more.

    Raises TransportError "run.lease_lost" when a worker takes the run at the same moment.
    """
    if action not in possible_actions(run):
        return False
    with transaction.atomic():
        performed = ACTIONS[action](run)
        if performed:
            trail.note(person, f"harvest.{action}", run, reason)
    return performed


def decide(run: Harvest, answer: str, person: Any, reason: str = "") -> None:
    """Carry out a person's answer (a key of ANSWERS) and record it.

    Raises TransportError "run.lease_lost" when the run does not await a decision any more.
    """
    count = run.held_deletions.count()
    ANSWERS[answer](run, person.get_username())
    trail.note(person, f"harvest.{answer}", run, reason, {"records": count})


def choices(run: Harvest) -> tuple[Choice, ...]:
    """The answers between which a person decides about the run; about deletions with the numbers of records."""
    held = run.held_deletions.count()
    if not held:
        return LIST_CHOICES
    live = max(held, guards.live_count(run.feed))
    numbers = {"held": f"{held:,}", "live": f"{live:,}", "left": f"{live - held:,}"}
    return tuple(replace(choice, meaning=str(choice.meaning) % numbers) for choice in DELETION_CHOICES)


def held_records(run: Harvest) -> list[HeldRecord]:
    """Examples of the records that would be deleted: the first ones."""
    unread = (f"{record}__{name}" for record in ("record", "record__successor") for name in PAYLOAD_COLUMNS)
    deletions = run.held_deletions.select_related("record__successor").defer(*unread)
    return [
        HeldRecord(deletion.record, title_of(deletion), deletion.get_deletion_display(), deletion.record.successor)
        for deletion in deletions.order_by("pk")[:EXAMPLES]
    ]


def title_of(deletion: HeldDeletion) -> str:
    """The title of the record in its registered version; its public id if it has none."""
    packed = bytes(deletion.record.record)
    title = unpack_record(packed).title if packed else ""
    return title or deletion.record.public_id
