"""A small catalogue for tests of grouping: source records as a harvest leaves them, and what the whole should give."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from django.utils import timezone
from msgspec import structs

from aggregator.grouping.rows import new_row
from aggregator.grouping.ruling_rows import in_force
from aggregator.matching import (
    JOIN,
    REVIEW,
    Comparisons,
    Features,
    Group,
    RuledPair,
    Rules,
    compare,
    decode_features,
    extract_features,
    score,
    suspect_isbns,
)
from aggregator.matching.blocking_keys import crowd
from aggregator.matching.groups.doubts import between, within
from aggregator.matching.groups.partition import candidates, partition, uncrowded
from aggregator.matching.groups.works import work_keys, works
from aggregator.models import Manifestation, MatchAlarm, MatchKey, Member, ReviewPair, WorkKey
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record
from harvesting.records.writing import public_id
from metadata.record import BibliographicRecord, Title
from tests.books import record


class Shelf:
    """Puts and deletes records of providers; nothing is aggregated by it."""

    def __init__(self) -> None:
        self._repositories: dict[str, Repository] = {}

    def repository(self, provider: str) -> Repository:
        if provider not in self._repositories:
            number = f"R{len(self._repositories) + 1:09}"
            self._repositories[provider] = Repository.objects.create(number=number, name=provider)
        return self._repositories[provider]

    def put(self, provider: str, name: str, record: BibliographicRecord) -> SourceRecord:
        """Store a record, or its next version, or bring it back."""
        repository = self.repository(provider)
        stored, _created = SourceRecord.objects.update_or_create(
            repository=repository,
            identifier=name,
            defaults={
                "public_id": public_id(repository.number, name),
                "metadata_prefix": "dcndl",
                "deleted": False,
                "record": pack_record(record),
                "payload_hash": b"x",
                "changed_at": timezone.now(),
                "aggregated_at": None,
            },
        )
        return stored

    def delete(self, name: str) -> None:
        SourceRecord.objects.filter(identifier=name).update(deleted=True, aggregated_at=None)


@dataclass(frozen=True, slots=True)
class Whole:
    """All that is live, matched at once."""

    members: dict[str, Features]
    keys: dict[str, frozenset[int]]
    rulings: list[RuledPair]
    groups: list[Group]
    judge: Comparisons[str]


def whole() -> Whole:
    rulings = in_force()
    rows = {
        name: new_row(name, extract_features(unpack_record(bytes(record))), rulings)
        for name, record in SourceRecord.objects.filter(deleted=False).values_list("public_id", "record")
    }
    members = {name: row.features for name, row in rows.items()}
    keys = {name: row.keys for name, row in rows.items()}
    decisions = list(rulings.decisions(members))
    judge = Comparisons(members.__getitem__, suspect_isbns(members.values()))
    return Whole(members, uncrowded(keys), decisions, partition(members, decisions, keys), judge)


def expected(all_at_once: Whole | None = None) -> list[list[tuple[str, str, float, tuple]]]:
    """The groups, with each member's link."""
    right = all_at_once or whole()
    return sorted(
        [
            (link.id, link.linked_to, link.score, tuple(each.rule for each in link.evidence(right.judge)))
            for link in group.members
        ]
        for group in right.groups
    )


def assert_doubts_are_true(all_at_once: Whole) -> None:
    """The pairs to review are those that the whole gives."""
    rules, judge = Rules(), all_at_once.judge
    likely = [pair for pair in candidates(all_at_once.keys) if judge.score(*pair) >= rules.review]
    names = [[link.id for link in group.members] for group in all_at_once.groups]
    same, different = (
        [(each.first, each.second) for each in all_at_once.rulings if each.same is whether] for whether in (True, False)
    )
    right = [doubt for each in names for doubt in within(each, judge, [one for one in same if one[0] in each], rules)]
    right += between(likely, {name: each for each in names for name in each}, different, judge, rules)
    rows = ReviewPair.objects.values_list(
        "first__public_id", "second__public_id", "score", "chance", "joined", "asked", "evidence"
    )
    found = [(*sorted(row[:2]), row[2:6], tuple(each["rule"] for each in row[6])) for row in rows]
    assert sorted(found) == sorted(
        (
            each.first,
            each.second,
            (each.score, each.chance, each.joined, each.asked),
            tuple(e.rule for e in judge.evidence(each.first, each.second)),
        )
        for each in right
    )


def stored() -> list[list[tuple[str, str, float, tuple]]]:
    """The groups as the tables have them."""
    columns = ("manifestation", "source_record__public_id", "linked_to__public_id", "score", "evidence")
    groups: dict[int, list[tuple[str, str, float, tuple]]] = {}
    for number, name, other, total, evidence in Member.objects.values_list(*columns):
        link = (name, other or "", total, tuple(each["rule"] for each in evidence))
        groups.setdefault(number, []).append(link)
    return sorted(sorted(each) for each in groups.values())


def assert_works_are_true() -> None:
    """The works are those of the groups at once, each under its smallest number; the keys are theirs alone."""
    groups: dict[int, list[str]] = {}
    rows = {}
    for number, name, packed in Member.objects.values_list("manifestation", "source_record__public_id", "features"):
        groups.setdefault(number, []).append(name)
        rows[name] = decode_features(bytes(packed))
    numbers = sorted(groups)
    found = works([groups[number] for number in numbers], rows)
    right = {numbers[place]: numbers[each[0]] for each in found if len(each) > 1 for place in each}
    assert dict(Manifestation.objects.exclude(work=None).values_list("pk", "work")) == right
    keys = {number: work_keys([rows[name] for name in groups[number]]) for number in numbers}
    held: dict[int, set[int]] = {number: set() for number in numbers}
    for key, number in WorkKey.objects.values_list("key", "manifestation"):
        held.setdefault(number, set()).add(key)
    assert held == keys


def assert_numbers_lead_on() -> None:
    """A group has the number of its oldest record; a number in disuse leads to where its record is."""
    group_of = dict(Member.objects.values_list("source_record", "manifestation"))
    oldest: dict[int, int] = {}
    for pk, number in group_of.items():
        oldest[number] = min(pk, oldest.get(number, pk))
    rows = {row.pk: row for row in Manifestation.objects.all()}
    assert all(number == first for number, first in oldest.items())
    assert {number for number, row in rows.items() if row.record} == set(oldest)
    for number, row in rows.items():
        steps = 0
        while row.successor_id is not None:
            row, steps = rows[row.successor_id], steps + 1
            assert steps <= len(rows), "a ring"
        assert number not in group_of or row.pk == group_of[number]


def assert_alarms_are_true(isbn_crowd: int, works_at_most: int) -> None:
    """What the alarms say of keys and ISBNs is what the tables hold."""
    rows = [decode_features(packed) for packed in Member.objects.values_list("features", flat=True)]
    suspect = MatchAlarm.objects.filter(kind=MatchAlarm.Kind.SUSPECT_ISBN)
    found = {str(number): reason for number, reason in suspect.values_list("number", "reason")}
    right = suspect_isbns(rows)
    assert {isbn: found.get(isbn, "") for row in rows for isbn in row.isbns} == {
        isbn: right.get(isbn, "") for row in rows for isbn in row.isbns
    }
    kinds = MatchAlarm.Kind
    isbns = {key for key in MatchKey.objects.values_list("key", flat=True) if abs(key) < 10**13}  # no hash is so small
    assert crowds(kinds.CROWDED_KEY, kinds.CROWDED_ISBN) == crowded(
        MatchKey, lambda key: isbn_crowd if key in isbns else crowd(key)
    )
    assert crowds(kinds.CROWDED_WORK) == crowded(WorkKey, lambda _key: works_at_most)


def crowds(*kinds: MatchAlarm.Kind) -> dict[int, int]:
    return dict(MatchAlarm.objects.filter(kind__in=kinds).values_list("number", "records"))


def crowded(table: type[MatchKey | WorkKey], most: Callable[[int], int]) -> dict[int, int]:
    counts = Counter(table.objects.values_list("key", flat=True))
    return {key: count for key, count in counts.items() if count > most(key)}


def doubtful(title: str, creator: str) -> tuple[BibliographicRecord, BibliographicRecord]:
    """Two descriptions that stand apart and have to be reviewed, whatever the weights are; their years differ."""
    series = (Title(value="見本叢書"),)
    for year, extents, editions, inside in product(
        ("1990", "1986", "2001"), ((), ("300p",), ("200p",)), ((), ("新版",)), ((), series)
    ):
        first = structs.replace(
            record("1", title=title, creator=creator, issued="1985"), extents=("300p",), series=inside
        )
        second = record("2", title=title, creator=creator, issued=year)
        second = structs.replace(second, extents=extents, editions=editions, series=inside)
        if REVIEW <= score(compare(extract_features(first), extract_features(second))) < JOIN:
            return first, second
    raise AssertionError("no weights leave this in doubt")
