"""Why records stand together or apart, from what is stored: features, rulings and suspect ISBNs. Reads only."""

from collections.abc import Mapping
from dataclasses import dataclass

from aggregator.catalogue.books import Book, Description, describe
from aggregator.grouping.rows import Row, stored_rows
from aggregator.grouping.ruling_rows import in_force
from aggregator.grouping.rulings import SAME, Ruling, Rulings
from aggregator.grouping.suspects import Suspects
from aggregator.matching import Features
from aggregator.matching.reasons import Apart, Step, Way, apart, ways
from aggregator.models import Member

COMPARED = 60  # records of one group that are compared with each other: 1,770 pairs
LIGHT = ("payload", "rejected_payload")


@dataclass(frozen=True, slots=True)
class Together:
    """Why the records of a group stand with one of them. left_out: how many were not looked at."""

    start: Description
    others: tuple[Way, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """Two records that somebody asks about, and what the matcher sees of them.

    way: how they hang together, where they are of one group. apart: else why they are not; rulings: those of staff
    that keep them apart. sizes: of their groups, counted up to COMPARED.
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
        """The two beside each other, whatever became of it."""
        if self.way:
            return self.way.direct
        return self.apart.step if self.apart else None


def together(book: Book, public_id: str) -> Together:
    """How all records of a book hang together with that one, or with its oldest where the id is no more among them."""
    start = next((each for each in book.descriptions if each.public_id == public_id), book.descriptions[0])
    if not book.number:
        return Together(start, ())
    rows = _rows(book.number, start.public_id)
    found = ways(start.public_id, _features(rows), _suspect(rows), _same(in_force(), rows))
    return Together(start, found, max(0, len(book.descriptions) - COMPARED))


def asked(first: str, second: str) -> Asked | None:
    """Why two records stand as they do; None where one of them is in no group."""
    members = Member.objects.select_related("source_record__repository").defer(
        "features", *(f"source_record__{column}" for column in LIGHT)
    )
    found = {
        each.source_record.public_id: each for each in members.filter(source_record__public_id__in=[first, second])
    }
    if first == second or len(found) < 2:
        return None
    one, other = found[first], found[second]
    shown = describe(one.source_record), describe(other.source_record)
    force = in_force()
    left = _rows(one.manifestation_id, first, second)
    if one.manifestation_id == other.manifestation_id:
        features = left[first].features, left[second].features
        found_ways = ways(first, _features(left), _suspect(left), _same(force, left))
        way = next(each for each in found_ways if each.to == second)
        return Asked(*shown, features, (len(left), len(left)), way=way)
    right = _rows(other.manifestation_id, second)
    why = apart(first, second, _features(left), _features(right), _suspect({**left, **right}))
    chain = force.contradiction(Ruling(verdict=SAME, first=min(first, second), second=max(first, second)))
    features = left[first].features, right[second].features
    return Asked(*shown, features, (len(left), len(right)), apart=why, rulings=chain)


def _rows(number: int, *wanted: str) -> dict[str, Row]:
    """Public id -> row of the members of a group: the wanted ones and the oldest, at most COMPARED."""
    members = Member.objects.filter(manifestation=number)
    names = dict(members.filter(source_record__public_id__in=wanted).values_list("pk", "source_record__public_id"))
    oldest = members.exclude(pk__in=names).order_by("pk").values_list("pk", "source_record__public_id")
    names |= dict(oldest[: COMPARED - len(names)])
    return {names[pk]: row for pk, _group, row in stored_rows(list(names))}


def _features(rows: Mapping[str, Row]) -> dict[str, Features]:
    return {name: row.features for name, row in rows.items()}


def _suspect(rows: Mapping[str, Row]) -> Mapping[str, str]:
    suspects = Suspects()
    suspects.look_up(rows.values())
    return suspects.now


def _same(force: Rulings, rows: Mapping[str, Row]) -> set[tuple[str, str]]:
    """The pairs that staff hold together."""
    return {(each.first, each.second) for each in force.decisions(rows.keys()) if each.same}
