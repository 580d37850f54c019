"""The descriptions of a group, for staff who split it: one for each core, with its records. Read-only."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aggregator.catalogue.books import Description, describe
from aggregator.models import Core, Member
from aggregator.presentation.comparisons import likelihood
from harvesting.models import PAYLOAD_COLUMNS, SourceRecord

SHOWN = 200  # descriptions of a group
LISTED = 100  # records of one description that can be ticked one by one
LISTED_AT_ONCE = 100  # records of a group of which all are listed; of a larger one, those of one description


@dataclass(frozen=True, slots=True)
class DescriptionOfGroup:
    """What several records say in the same way. core: its number, in hexadecimal; records: how many they are.

    shown: one of them. listed: those that can be ticked one by one, where they are listed. likelihood: how likely this
    is the same book as the description of the group that is most like it; "" if it is the only one, or staff joined it.
    """

    core: str
    records: int
    shown: Description
    listed: tuple[Description, ...] = ()
    likelihood: str = ""


@dataclass(frozen=True, slots=True)
class GroupOfDescriptions:
    """A group. records: how many it has. left_out: how many of its descriptions are not in `descriptions`."""

    of: str
    descriptions: tuple[DescriptionOfGroup, ...]
    records: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A record that a ruling names. with_copies: it stands for all records with its description."""

    name: str
    with_copies: bool = False


def descriptions_of(public_id: str, opened: str = "") -> GroupOfDescriptions | None:
    """Return the group of a record; None if it is in no group.

    Its descriptions with most records come first. opened: the core whose records are listed in a large group.
    """
    number = Member.objects.filter(source_record__public_id=public_id).values_list("manifestation", flat=True).first()
    cores = list(Core.objects.filter(manifestation=number).order_by("-records", "pk")) if number else []
    if not cores:
        return None
    records = sum(core.records for core in cores)
    shown = cores[:SHOWN]
    listed = [core.pk for core in shown if records <= LISTED_AT_ONCE or f"{core.pk:x}" == opened]
    names = _records_of(listed)
    described = _described({core.example_id for core in shown}.union(*names.values()))
    return GroupOfDescriptions(
        public_id,
        tuple(
            DescriptionOfGroup(
                f"{core.pk:x}",
                core.records,
                described[core.example_id],
                tuple(described[pk] for pk in names.get(core.pk, ())),
                "" if core.linked_to is None or _is_ruled(core) else likelihood(core.score),
            )
            for core in shown
        ),
        records,
        len(cores) - len(shown),
    )


def _is_ruled(core: Core) -> bool:
    return any(item["rule"] == "staff" for item in core.evidence)


def _records_of(cores: Sequence[int]) -> dict[int, list[int]]:
    """Core -> its records, the oldest first, at most LISTED; cores with one record are left out."""
    members = Member.objects.of_cores(cores).order_by("pk").values_list("kind__core", "pk")
    found: defaultdict[int, list[int]] = defaultdict(list)
    for core, pk in members[: LISTED_AT_ONCE + LISTED]:
        found[core].append(pk)
    return {core: pks[:LISTED] for core, pks in found.items() if len(pks) > 1}


def _described(pks: Iterable[int]) -> dict[int, Description]:
    rows = SourceRecord.objects.select_related("repository").defer(*PAYLOAD_COLUMNS).in_bulk(list(pks))
    return {pk: describe(row) for pk, row in rows.items()}


def parts_of(group: GroupOfDescriptions, ticked: Iterable[str]) -> tuple[list[Part], list[Part]]:
    """Return the ticked and the remaining parts of a group. ticked: cores, and public ids of listed records.

    If only some records of a description are ticked, each of them stands for itself alone; another record of the
    description stands for the rest.
    """
    wanted = set(ticked)
    chosen: list[Part] = []
    remaining: list[Part] = []
    for description in group.descriptions:
        only = description.records == 1 and description.shown.public_id in wanted
        if only or description.core in wanted:
            chosen.append(Part(description.shown.public_id, with_copies=True))
            continue
        names = [record.public_id for record in description.listed]
        alone = [name for name in names if name in wanted]
        chosen += [Part(name) for name in alone]
        rest = [name for name in (description.shown.public_id, *names) if name not in wanted]
        if len(alone) < description.records and rest:
            remaining.append(Part(rest[0], with_copies=True))
    return chosen, remaining
