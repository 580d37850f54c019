"""Why records are in one group or in different ones, from what is stored: features, rulings and suspect ISBNs.
Read-only.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from aggregator.catalogue.books import Book, Description, describe
from aggregator.grouping.rows import Row, stored_rows
from aggregator.grouping.ruling_rows import rulings_in_force
from aggregator.grouping.rulings import SAME, Ruling, Rulings
from aggregator.grouping.suspects import Suspects
from aggregator.matching import Features
from aggregator.matching.reasons import Apart, Step, Way, find_ways, why_apart
from aggregator.models import Member

COMPARED = 60  # at most this many records of a group are compared with each other: 1,770 pairs
LIGHT = ("payload", "rejected_payload")


@dataclass(frozen=True, slots=True)
class GroupExplanation:
    """How the records of a group are connected with one of them. left_out: how many were not examined."""

    start: Description
    others: tuple[Way, ...]
    left_out: int = 0


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
    """Explain how all records of a book are connected with this one, or with the oldest if the id is not among them."""
    start = next(
        (description for description in book.descriptions if description.public_id == public_id), book.descriptions[0]
    )
    if not book.number:
        return GroupExplanation(start, ())
    rows = _rows(book.number, start.public_id)
    ways = find_ways(start.public_id, _features(rows), _suspect_isbns(rows), _joined_by_staff(rulings_in_force(), rows))
    return GroupExplanation(start, ways, max(0, len(book.descriptions) - COMPARED))


def explain_pair(first: str, second: str) -> PairExplanation | None:
    """Explain why two records are in one group or not; return None where one of them is in no group."""
    members = Member.objects.select_related("source_record__repository").defer(
        "features", *(f"source_record__{column}" for column in LIGHT)
    )
    members_by_id = {
        member.source_record.public_id: member
        for member in members.filter(source_record__public_id__in=[first, second])
    }
    if first == second or len(members_by_id) < 2:
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
    chain = rulings.contradiction(Ruling(verdict=SAME, first=min(first, second), second=max(first, second)))
    features = first_rows[first].features, second_rows[second].features
    return PairExplanation(*descriptions, features, (len(first_rows), len(second_rows)), apart=reason, rulings=chain)


def _rows(number: int, *wanted: str) -> dict[str, Row]:
    """Public id -> row of the members of a group: the wanted ones and the oldest, at most COMPARED."""
    members = Member.objects.filter(manifestation=number)
    names = dict(members.filter(source_record__public_id__in=wanted).values_list("pk", "source_record__public_id"))
    oldest = members.exclude(pk__in=names).order_by("pk").values_list("pk", "source_record__public_id")
    names |= dict(oldest[: COMPARED - len(names)])
    return {names[pk]: row for pk, _group, row in stored_rows(list(names))}


def _features(rows: Mapping[str, Row]) -> dict[str, Features]:
    return {name: row.features for name, row in rows.items()}


def _suspect_isbns(rows: Mapping[str, Row]) -> Mapping[str, str]:
    suspects = Suspects()
    suspects.look_up(rows.values())
    return suspects.now


def _joined_by_staff(rulings: Rulings, rows: Mapping[str, Row]) -> set[tuple[str, str]]:
    """The pairs that staff have ruled to be the same."""
    return {(ruling.first, ruling.second) for ruling in rulings.ruled_pairs(rows.keys()) if ruling.same}
