"""Why records are in one group or in different ones, from what is stored: features, rulings and suspect ISBNs.
Read-only.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from aggregator.catalogue.books import Book, Description, describe, descriptions
from aggregator.grouping.rows import Row, stored_cores
from aggregator.grouping.rulings.meaning import SAME, Ruling, Rulings
from aggregator.grouping.rulings.rows import by_description, contradiction, rulings_in_force
from aggregator.grouping.suspects import Suspects
from aggregator.matching import Features
from aggregator.matching.reasons import Apart, Step, Way, find_ways, why_apart
from aggregator.models import Core, Member
from harvesting.models import PAYLOAD_COLUMNS

COMPARED = 60  # at most this many descriptions of a group are compared with each other: 1,770 pairs


@dataclass(frozen=True, slots=True)
class GroupExplanation:
    """How the descriptions of a group are connected with one record: a way to one record of each other description.

    left_out: how many descriptions were not examined. copies: public id -> how many further records, which are not
    listed, have the same description.
    """

    start: Description
    others: tuple[Way, ...]
    left_out: int = 0
    copies: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """Two records and how the matcher sees them.

    way: how they are connected, where they are in one group. apart: otherwise, why they are not. rulings: staff's
    rulings that forbid grouping them. sizes: of their groups, counted up to COMPARED.
    """

    first: Description
    second: Description
    features: tuple[Features, Features]
    sizes: tuple[int, int]
    way: Way | None = None
    apart: Apart | None = None
    rulings: tuple[Ruling, ...] = ()

    @property
    def step(self) -> Step | None:
        """The direct comparison of the two, whether or not it joined them."""
        if self.way:
            return self.way.direct
        return self.apart.step if self.apart else None


def explain_group(book: Book, public_id: str) -> GroupExplanation:
    """Explain how the records of a book are connected with the one that has this public id, or with the oldest if none
    has it.
    """
    member = next((member for member in book.members if member.public_id == public_id), book.members[0])
    [start] = descriptions([member])
    if not book.number:
        return GroupExplanation(start, ())
    shown = _shown(book.number, start.public_id)
    rows = {name: entry.row for name, entry in shown.items()}
    if start.public_id not in rows:  # matched by an older release, and not again so far
        return GroupExplanation(start, (), len(book.members))
    ways = find_ways(start.public_id, _features(rows), _suspect_isbns(rows), _joined_by_staff(rulings_in_force(), rows))
    left_out = Core.objects.filter(manifestation=book.number).count() - len({entry.core for entry in shown.values()})
    return GroupExplanation(start, ways, left_out, {name: entry.copies for name, entry in shown.items()})


def explain_pair(first: str, second: str) -> PairExplanation | None:
    """Explain why two records are in one group or not; return None where one of them is in no group."""
    members = Member.objects.select_related("source_record__repository").defer(
        *(f"source_record__{column}" for column in PAYLOAD_COLUMNS)
    )
    members_by_id = {
        member.source_record.public_id: member
        for member in members.filter(source_record__public_id__in=[first, second])
    }
    if first == second or len(members_by_id) < 2 or any(member.kind_id is None for member in members_by_id.values()):
        return None
    one, other = members_by_id[first], members_by_id[second]
    descriptions = describe(one.source_record), describe(other.source_record)
    rulings = rulings_in_force()
    first_rows = _rows(one.manifestation_id, first, second)
    if one.manifestation_id == other.manifestation_id:
        features = first_rows[first].features, first_rows[second].features
        found_ways = find_ways(
            first, _features(first_rows), _suspect_isbns(first_rows), _joined_by_staff(rulings, first_rows)
        )
        way = next(way for way in found_ways if way.to == second)
        return PairExplanation(*descriptions, features, (len(first_rows), len(first_rows)), way=way)
    second_rows = _rows(other.manifestation_id, second)
    reason = why_apart(
        first, second, _features(first_rows), _features(second_rows), _suspect_isbns({**first_rows, **second_rows})
    )
    names = min(first, second), max(first, second)
    chain = contradiction(rulings, Ruling(verdict=SAME, first=names[0], second=names[1], with_copies=names))
    features = first_rows[first].features, second_rows[second].features
    return PairExplanation(*descriptions, features, (len(first_rows), len(second_rows)), apart=reason, rulings=chain)


@dataclass(frozen=True, slots=True)
class Shown:
    """A record that represents a description. row: what its core is compared by. copies: how many further records have
    the same description.
    """

    core: int
    row: Row
    copies: int


def _shown(number: int, *wanted: str) -> dict[str, Shown]:
    """The wanted records of a group, and one further record of each description, by public id; at most COMPARED. The
    descriptions that most records have come first.
    """
    members = Member.objects.filter(manifestation=number, source_record__public_id__in=wanted).exclude(kind=None)
    core_of = dict(members.values_list("source_record__public_id", "kind__core"))
    core_of |= _beside(number, core_of)
    others = Core.objects.filter(manifestation=number).exclude(pk__in=core_of.values()).order_by("-records", "pk")
    core_of |= dict(others.values_list("example__public_id", "pk")[: COMPARED - len(core_of)])
    stored = dict(stored_cores(set(core_of.values())))
    shown = Counter(core_of.values())
    return {
        name: Shown(core, stored[core].row, stored[core].records - shown[core])
        for name, core in core_of.items()
        if core in stored
    }


def _beside(number: int, core_of: Mapping[str, int]) -> dict[str, int]:
    """One other record of each of these cores, by public id."""
    others = Member.objects.filter(manifestation=number, kind__core__in=core_of.values())
    others = others.exclude(source_record__public_id__in=core_of).order_by("-pk")
    found = others.values_list("kind__core", "source_record__public_id")[:COMPARED]
    return {name: core for core, name in dict(found).items()}


def _rows(number: int, *wanted: str) -> dict[str, Row]:
    """Public id -> what the record is compared by, for the records that `_shown` chooses."""
    return {name: shown.row for name, shown in _shown(number, *wanted).items()}


def _features(rows: Mapping[str, Row]) -> dict[str, Features]:
    return {name: row.features for name, row in rows.items()}


def _suspect_isbns(rows: Mapping[str, Row]) -> Mapping[str, str]:
    suspects = Suspects()
    suspects.look_up(rows.values())
    return suspects.now


def _joined_by_staff(rulings: Rulings, rows: Mapping[str, Row]) -> set[tuple[str, str]]:
    """The pairs that staff have ruled to be the same, themselves or their descriptions."""
    names = by_description(rulings, rows.keys())
    shown = {names.get(name, name): name for name in rows}
    ruled = rulings.renamed(names).ruled_pairs(shown)
    pairs = [sorted((shown[ruling.first], shown[ruling.second])) for ruling in ruled if ruling.same]
    return {(first, second) for first, second in pairs}
