"""A small catalogue for tests of grouping: source records as a harvest stores them, and the expected result."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from django.utils import timezone
from msgspec import structs

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.rows import new_row
from aggregator.grouping.ruling_rows import rulings_in_force
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
from aggregator.matching.blocking_keys import crowd_limit
from aggregator.matching.groups.doubts import doubts_between, doubts_within
from aggregator.matching.groups.partition import candidate_pairs, partition, without_crowded_keys
from aggregator.matching.groups.works import find_works, work_keys
from aggregator.merging.stage import merge_pending
from aggregator.models import FormerMember, Manifestation, MatchAlarm, MatchKey, Member, ReviewPair, WorkKey
from aggregator.numbers.following import follow
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record
from harvesting.records.writing import public_id
from metadata.record import BibliographicRecord, Title
from tests.books import record


class Shelf:
    """Stores and deletes records of providers; does not aggregate."""

    def __init__(self) -> None:
        self._repositories: dict[str, Repository] = {}

    def repository(self, provider: str) -> Repository:
        if provider not in self._repositories:
            number = f"R{len(self._repositories) + 1:09}"
            self._repositories[provider] = Repository.objects.create(number=number, name=provider)
        return self._repositories[provider]

    def put(self, provider: str, name: str, record: BibliographicRecord) -> SourceRecord:
        """Store a record, its next version, or a deleted record again."""
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


def book_id(source: SourceRecord) -> str:
    """The permanent id of the book that a record belongs to."""
    return f"M{Member.objects.get(pk=source.pk).manifestation_id}"


def match_and_merge() -> None:
    """Match and merge everything that waits."""
    sum(aggregate_pending())
    sum(merge_pending())


@dataclass(frozen=True, slots=True)
class FullMatch:
    """All live records, matched at once."""

    members: dict[str, Features]
    keys: dict[str, frozenset[int]]
    rulings: list[RuledPair]
    groups: list[Group]
    comparisons: Comparisons[str]


def match_everything() -> FullMatch:
    rulings = rulings_in_force()
    rows = {
        name: new_row(name, extract_features(unpack_record(bytes(record))), rulings)
        for name, record in SourceRecord.objects.filter(deleted=False).values_list("public_id", "record")
    }
    members = {name: row.features for name, row in rows.items()}
    keys = {name: row.keys for name, row in rows.items()}
    ruled_pairs = list(rulings.ruled_pairs(members))
    comparisons = Comparisons(members.__getitem__, suspect_isbns(members.values()))
    return FullMatch(
        members, without_crowded_keys(keys), ruled_pairs, partition(members, ruled_pairs, keys), comparisons
    )


def expected_groups(all_at_once: FullMatch | None = None) -> list[list[tuple[str, str, float, tuple]]]:
    """The groups with each member's link, as matching everything at once gives them."""
    matched = all_at_once or match_everything()
    return sorted(
        [
            (link.id, link.linked_to, link.score, tuple(item.rule for item in link.evidence(matched.comparisons)))
            for link in group.members
        ]
        for group in matched.groups
    )


def assert_doubts_are_correct(all_at_once: FullMatch) -> None:
    """The stored pairs to review equal those of the full match."""
    rules, comparisons = Rules(), all_at_once.comparisons
    likely = [pair for pair in candidate_pairs(all_at_once.keys) if comparisons.score(*pair) >= rules.review]
    groups = [[link.id for link in group.members] for group in all_at_once.groups]
    same, different = (
        [(ruling.first, ruling.second) for ruling in all_at_once.rulings if ruling.same is verdict]
        for verdict in (True, False)
    )
    expected_doubts = [
        doubt
        for group in groups
        for doubt in doubts_within(group, comparisons, [pair for pair in same if pair[0] in group], rules)
    ]
    expected_doubts += doubts_between(
        likely, {name: group for group in groups for name in group}, different, comparisons, rules
    )
    rows = ReviewPair.objects.values_list(
        "first__public_id", "second__public_id", "score", "chance", "joined", "asked", "evidence"
    )
    found = [(*sorted(row[:2]), row[2:6], tuple(item["rule"] for item in row[6])) for row in rows]
    assert sorted(found) == sorted(
        (
            doubt.first,
            doubt.second,
            (doubt.score, doubt.chance, doubt.joined, doubt.asked),
            tuple(item.rule for item in comparisons.evidence(doubt.first, doubt.second)),
        )
        for doubt in expected_doubts
    )


def stored_groups() -> list[list[tuple[str, str, float, tuple]]]:
    """The groups with each member's link, as stored."""
    columns = ("manifestation", "source_record__public_id", "linked_to__public_id", "score", "evidence")
    groups: dict[int, list[tuple[str, str, float, tuple]]] = {}
    for number, name, other, total, evidence in Member.objects.values_list(*columns):
        link = (name, other or "", total, tuple(item["rule"] for item in evidence))
        groups.setdefault(number, []).append(link)
    return sorted(sorted(group) for group in groups.values())


def assert_works_are_correct() -> None:
    """The stored works equal those computed from the groups, under their smallest numbers; so do their keys."""
    groups: dict[int, list[str]] = {}
    rows = {}
    for number, name, packed in Member.objects.values_list("manifestation", "source_record__public_id", "features"):
        groups.setdefault(number, []).append(name)
        rows[name] = decode_features(bytes(packed))
    numbers = sorted(groups)
    works = find_works([groups[number] for number in numbers], rows)
    expected_works = {numbers[place]: numbers[entry[0]] for entry in works if len(entry) > 1 for place in entry}
    assert dict(Manifestation.objects.exclude(work=None).values_list("pk", "work")) == expected_works
    keys = {number: work_keys([rows[name] for name in groups[number]]) for number in numbers}
    stored_keys: dict[int, set[int]] = {number: set() for number in numbers}
    for key, number in WorkKey.objects.values_list("key", "manifestation"):
        stored_keys.setdefault(number, set()).add(key)
    assert stored_keys == keys


def assert_numbers_lead_to_groups() -> None:
    """Exactly the numbers with members are in use. The others lead to a book with one of their last members as long as
    one of these is in a book, without a ring.
    """
    book_of = dict(Member.objects.values_list("source_record", "manifestation"))
    rows = {row.pk: row for row in Manifestation.objects.all()}
    assert not {number for number, row in rows.items() if row.record or row.merge_since} - set(book_of.values())
    assert not {number for number in book_of.values() if rows[number].successor_id}
    leads = follow(rows.keys())
    for start in rows.values():
        row, steps = start, 0
        while row.successor_id is not None:
            row, steps = rows[row.successor_id], steps + 1
            assert steps <= len(rows), "a ring"
        assert leads.get(start.pk) == (row.pk if row.pk in book_of.values() else None)
    last_members: dict[int, set[int]] = {}
    for number, pk in FormerMember.objects.values_list("manifestation", "source_record"):
        assert number not in book_of.values() or pk not in book_of, "a note that is out of date"
        last_members.setdefault(number, set()).add(pk)
    for number in rows.keys() - set(book_of.values()):
        books = {book_of[pk] for pk in last_members.get(number, ()) if pk in book_of}
        assert not books or leads[number] in books


def assert_alarms_are_correct(isbn_crowd: int, works_at_most: int) -> None:
    """The stored alarms about keys and ISBNs agree with the stored members."""
    rows = [decode_features(packed) for packed in Member.objects.values_list("features", flat=True)]
    suspect = MatchAlarm.objects.filter(kind=MatchAlarm.Kind.SUSPECT_ISBN)
    stored_reasons = {str(number): reason for number, reason in suspect.values_list("number", "reason")}
    expected_reasons = suspect_isbns(rows)
    assert {isbn: stored_reasons.get(isbn, "") for row in rows for isbn in row.isbns} == {
        isbn: expected_reasons.get(isbn, "") for row in rows for isbn in row.isbns
    }
    kinds = MatchAlarm.Kind
    # hashes are never that small
    isbns = {key for key in MatchKey.objects.values_list("key", flat=True) if abs(key) < 10**13}
    assert crowds(kinds.CROWDED_KEY, kinds.CROWDED_ISBN) == crowded(
        MatchKey, lambda key: isbn_crowd if key in isbns else crowd_limit(key)
    )
    assert crowds(kinds.CROWDED_WORK) == crowded(WorkKey, lambda _key: works_at_most)


def crowds(*kinds: MatchAlarm.Kind) -> dict[int, int]:
    return dict(MatchAlarm.objects.filter(kind__in=kinds).values_list("number", "records"))


def crowded(table: type[MatchKey | WorkKey], most: Callable[[int], int]) -> dict[int, int]:
    counts = Counter(table.objects.values_list("key", flat=True))
    return {key: count for key, count in counts.items() if count > most(key)}


def doubtful(title: str, creator: str) -> tuple[BibliographicRecord, BibliographicRecord]:
    """Two descriptions in different groups that have to be reviewed, whatever the weights are; their years differ."""
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
