"""A small catalogue for tests of grouping: source records as a harvest stores them, and the expected result."""

from collections import Counter
from itertools import product

from django.utils import timezone
from msgspec import structs

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.key_counts import pack_ranks
from aggregator.grouping.rows import with_numbers_only
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.matching import JOIN, REVIEW, Rules, compare, decode_features, extract_features, score, suspect_isbns
from aggregator.matching.groups import candidates
from aggregator.matching.groups.doubts import doubt_within, doubts_between, worth
from aggregator.matching.groups.partition import Partition, partition
from aggregator.matching.groups.works import find_works, is_common_title, work_keys
from aggregator.matching.patterns import pattern_of
from aggregator.merging.stage import merge_pending
from aggregator.models import (
    Core,
    FormerMember,
    Kind,
    Manifestation,
    MatchAlarm,
    MatchKey,
    Member,
    ReviewPair,
    WorkKey,
)
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
    """Match and merge everything that waits, as the workers do."""
    sum(aggregate_pending())
    sum(merge_pending())


def match_everything() -> Partition:
    """All live records, matched at once."""
    rulings = rulings_in_force()
    members, named = {}, set(rulings.exact)
    for name, packed in SourceRecord.objects.filter(deleted=False).values_list("public_id", "record"):
        features = with_numbers_only(extract_features(unpack_record(bytes(packed))))
        members[name], ignored = rulings.effective(name, features)
        if ignored:
            named.add(name)
    return partition(members, list(rulings.ruled_pairs(members)), isolated=rulings.isolated, named=named)


type StoredLink = tuple[int, int | None, float, tuple[str, ...]]


def expected_groups(all_at_once: Partition | None = None) -> list[tuple[list[str], list[StoredLink]]]:
    """The groups with their records and each core's link, as matching everything at once gives them."""
    matched = all_at_once or match_everything()
    members: dict[int, list[str]] = {}
    for name, core in matched.core_of.items():
        members.setdefault(core, []).append(name)
    return sorted(
        (
            sorted(name for core in group.cores for name in members[core]),
            [
                (link.core, link.linked_to, link.score, tuple(item.rule for item in link.evidence(matched.comparisons)))
                for link in group.members
            ],
        )
        for group in matched.groups
    )


def stored_groups() -> list[tuple[list[str], list[StoredLink]]]:
    """The stored groups, in the form of `expected_groups`."""
    records: dict[int, list[str]] = {}
    for number, name in Member.objects.values_list("manifestation", "source_record__public_id"):
        records.setdefault(number, []).append(name)
    links: dict[int, list[StoredLink]] = {}
    for number, *link, evidence in Core.objects.values_list("manifestation", "pk", "linked_to", "score", "evidence"):
        links.setdefault(number, []).append((*link, tuple(item["rule"] for item in evidence)))
    assert records.keys() == links.keys()
    return sorted((sorted(records[number]), sorted(links[number])) for number in records)


def groups_of_records() -> list[list[str]]:
    """The stored groups, as the public ids of their records."""
    return [records for records, _links in stored_groups()]


def assert_doubts_are_correct(matched: Partition) -> None:
    """The stored pairs to review equal those of the full match."""
    rules, comparisons = Rules(), matched.comparisons
    groups = [{core: matched.cores[core].kinds for core in group.cores} for group in matched.groups]
    within = [doubt_within(group, comparisons, matched.ruled.within(group).same, rules) for group in groups]
    group_of = {core: group for group in groups for core in group}
    between = doubts_between(sorted(matched.likely), group_of, matched.ruled.different, comparisons, rules)
    columns = ("first_core", "second_core", "score", "chance", "worth", "holdings", "joined", "asked", "pattern")
    rows = ReviewPair.objects.values_list(*columns, "evidence")
    found = [(*columns, tuple(item["rule"] for item in evidence)) for *columns, evidence in rows]
    records = Counter(id(group_of[core]) for core in matched.core_of.values())
    assert sorted(found) == sorted(
        (
            *(doubt.first, doubt.second, doubt.score, doubt.chance),
            *((worth(doubt.chance, *sizes), sum(sizes)) if doubt.asked else (0, 0)),
            *(doubt.joined, doubt.asked, pattern_of(comparisons.evidence(*pair))),
            tuple(item.rule for item in comparisons.evidence(*pair)),
        )
        for doubt in (*within, *between)
        if doubt
        for pair in [(doubt.first, doubt.second)]
        for sizes in [[records[number] for number in dict.fromkeys(id(group_of[core]) for core in pair)]]
    )
    for pair in ReviewPair.objects.select_related("first__member__kind", "second__member__kind"):
        shown = pair.first.member.kind.core_id, pair.second.member.kind.core_id
        assert shown == (pair.first_core_id, pair.second_core_id)


def assert_kinds_are_correct(matched: Partition) -> None:
    """The stored cores, kinds and their counts are those of the records."""
    core_of = dict(Member.objects.values_list("source_record__public_id", "kind__core"))
    assert core_of == matched.core_of
    stored = {core.pk: (decode_features(bytes(core.features)), core.kinds, core.records) for core in Core.objects.all()}
    assert stored == {number: (core.features, core.kinds, core.records) for number, core in matched.cores.items()}
    counted = Counter(Member.objects.values_list("kind", flat=True))
    assert dict(Kind.objects.values_list("pk", "records")) == dict(counted)
    for core in Core.objects.select_related("example__member__kind"):
        assert core.example.member.kind.core_id == core.pk


def assert_works_are_correct() -> None:
    """The stored works, each under the smallest number of its books, and their keys equal those of the groups."""
    groups: dict[int, list[str]] = {}
    rows = {}
    for number, core, packed in Core.objects.values_list("manifestation", "pk", "features"):
        groups.setdefault(number, []).append(str(core))
        rows[str(core)] = decode_features(bytes(packed))
    numbers = sorted(groups)
    works = find_works([groups[number] for number in numbers], rows)
    expected_works = {numbers[place]: numbers[entry[0]] for entry in works if len(entry) > 1 for place in entry}
    assert dict(Manifestation.objects.exclude(work=None).values_list("pk", "work")) == expected_works
    own = {number: work_keys([rows[name] for name in groups[number]]) for number in numbers}
    expected_keys = {(key, number, keys.form) for number, keys in own.items() for key in keys.keys}
    assert set(WorkKey.objects.values_list("key", "manifestation", "form")) == expected_keys


def assert_numbers_lead_to_groups() -> None:
    """Exactly the numbers with members are in use. Any other number leads to a book with one of the number's last
    members, if any of them is in a book. No number leads back to itself.
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


def assert_alarms_are_correct() -> None:
    """The stored alarms about keys and ISBNs agree with the stored cores."""
    cores = list(Core.objects.order_by("pk"))
    rows = [decode_features(bytes(core.features)) for core in cores]
    suspect = MatchAlarm.objects.filter(kind__in=[MatchAlarm.Kind.SUSPECT_ISBN, MatchAlarm.Kind.MISTAKEN_ISBN])
    stored_reasons = {str(number): reason for number, reason in suspect.values_list("number", "reason")}
    expected_reasons = suspect_isbns(rows, [core.records for core in cores], [core.pk for core in cores])
    assert {isbn: stored_reasons.get(isbn, "") for row in rows for isbn in row.isbns} == {
        isbn: expected_reasons.get(isbn, "") for row in rows for isbn in row.isbns
    }
    kinds = MatchAlarm.Kind
    holders: dict[int, list[int]] = {}
    for key, core in MatchKey.objects.values_list("key", "core"):
        holders.setdefault(key, []).append(core)
    isbns = {key for key in holders if abs(key) < 10**13}  # the keys of ISBNs; hashes are never that small
    ranks = {core.pk: -core.fullness for core in cores}
    crowded = {key: found for key, found in holders.items() if key not in isbns and len(found) > candidates.CROWD}
    expected = {
        key: (len(found), pack_ranks(candidates.fullest(key, [(ranks[core], core) for core in found], len(found))))
        for key, found in crowded.items()
    }
    alarms = MatchAlarm.objects.filter(kind=kinds.CROWDED_KEY).values_list("number", "records", "fullest")
    assert {number: (records, bytes(packed)) for number, records, packed in alarms} == expected
    forms: dict[int, dict[int, int]] = {}
    for key, number, form in WorkKey.objects.values_list("key", "manifestation", "form"):
        forms.setdefault(key, {})[number] = form
    common = {key: len(books) for key, books in forms.items() if is_common_title(books)}
    assert dict(MatchAlarm.objects.filter(kind=kinds.CROWDED_WORK).values_list("number", "records")) == common


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
