"""From waiting source records to groups, merged records and the index."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from aggregator.grouping.aggregate import Batch
from aggregator.grouping.claim import Claim
from aggregator.grouping.kinds import KindChanges
from aggregator.grouping.region import Beginning, Region
from aggregator.grouping.writing import Books
from aggregator.indexing.build import index_pending
from aggregator.models import Core, Manifestation, MatchKey, MatchRuling, Member
from aggregator.search import get_index
from aggregator.search.base import Query
from harvesting.harvest.store import public_id
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record
from harvesting.registry.registration import register
from tests.aggregator.shelves import match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def add() -> Callable[..., SourceRecord]:
    """Store a record of a provider ("a", "b", …) as a harvest would, and aggregate."""
    repositories: dict[str, Repository] = {}

    def store(provider: str, name: str, **fields: str) -> SourceRecord:
        repository = repositories.get(provider)
        if repository is None:
            repository = repositories[provider] = register(Repository(name=provider), [])
        stored, _created = SourceRecord.objects.update_or_create(
            repository=repository,
            identifier=name,
            defaults={
                "public_id": public_id(repository.number, name),
                "metadata_prefix": "dcndl",
                "deleted": False,
                "record": pack_record(record(name, **fields)),
                "payload_hash": b"x",
                "changed_at": timezone.now(),
                "aggregated_at": None,
            },
        )
        aggregate()
        return stored

    return store


def aggregate() -> None:
    match_and_merge()
    sum(index_pending())


def groups() -> list[set[str]]:
    """The groups as sets of provider identifiers, oldest group first."""
    names_by_group: dict[int, set[str]] = {}
    for number, name in Member.objects.order_by("pk").values_list("manifestation", "source_record__identifier"):
        names_by_group.setdefault(number, set()).add(name)
    return list(names_by_group.values())


def delete(stored: SourceRecord) -> None:
    SourceRecord.objects.filter(pk=stored.pk).update(deleted=True, aggregated_at=None)
    aggregate()


def test_the_same_book_of_two_providers_becomes_one_with_evidence(add):
    first = add("a", "a1", isbn=ISBN)
    add("b", "b1", isbn=ISBN, issued="1999")
    assert groups() == [{"a1", "b1"}]
    one, other = Core.objects.order_by("example")
    assert one.example == first
    assert (one.linked_to, other.linked_to) == (other.pk, one.pk)
    assert any(item["rule"] == "isbn" for item in one.evidence)


def test_an_isbn_alone_joins_nothing(add):
    add("a", "a1", isbn=ISBN, title="日本の歴史", creator="甲野, 一郎")
    add("b", "b1", isbn=ISBN, title="料理入門", creator="乙山, 花子")
    assert groups() == [{"a1"}, {"b1"}]


def test_volumes_of_one_title_stay_apart(add):
    add("a", "a1", volume="上")
    add("b", "b1", volume="下")
    add("b", "b2", volume="上")
    assert groups() == [{"a1", "b2"}, {"b1"}]


def test_a_changed_record_leaves_its_group_again(add):
    add("a", "a1", isbn=ISBN)
    add("b", "b1", isbn=ISBN)
    add("b", "b1", title="まったく別の本", isbn="", creator="丙川, 三郎", issued="1975")
    assert groups() == [{"a1"}, {"b1"}]
    assert get_index().search(Query(q="まったく別の本")).total == 1


def test_a_deleted_record_leaves_its_group_and_the_index(add):
    first = add("a", "a1", isbn=ISBN)
    add("b", "b1", isbn=ISBN)
    delete(first)
    assert groups() == [{"b1"}]
    assert get_index().search(Query(q="見本の本")).total == 1
    assert Manifestation.objects.get() == Member.objects.get().manifestation


def test_deleting_the_last_record_removes_the_group(add):
    delete(add("a", "a1"))
    assert groups() == []
    assert get_index().search(Query(q="見本の本")).total == 0
    assert not MatchKey.objects.exists()


def test_a_record_that_returns_joins_again_under_the_old_number(add):
    first = add("a", "a1", isbn=ISBN)
    number = Member.objects.get().manifestation_id
    add("b", "b1", isbn=ISBN)
    delete(first)
    add("a", "a1", isbn=ISBN)
    assert groups() == [{"a1", "b1"}]
    assert Member.objects.values_list("manifestation", flat=True).distinct().get() == number


def test_the_copies_of_all_are_holdings_and_not_in_the_merged_record(add):
    add("a", "a1", isbn=ISBN)
    add("b", "b1", isbn=ISBN)
    book = Manifestation.objects.exclude(record=b"").get()
    assert unpack_record(book.record).items == ()
    assert book.holdings.get().copies == 1  # the records describe it in the same words


def test_staff_can_keep_two_records_apart_and_join_two_others(add):
    first, second = add("a", "a1", isbn=ISBN), add("b", "b1", isbn=ISBN)
    other = add("b", "b2", title="ちがう題の同じ本", creator="丁田, 四郎")
    rule(first, second, "not_same")
    rule(first, other, "same")
    assert groups() == [{"a1", "b2"}, {"b1"}]


def test_a_ruling_holds_when_only_one_of_the_two_changes(add):
    first = add("a", "a1", isbn=ISBN)
    other = add("b", "b2", title="ちがう題の同じ本", creator="丁田, 四郎")
    rule(first, other, "same")
    add("b", "b2", title="さらにちがう題", creator="丁田, 四郎")
    assert groups() == [{"a1", "b2"}]


def test_a_ruling_about_a_deleted_record_waits_for_its_return(add):
    first = add("a", "a1", isbn=ISBN)
    other = add("b", "b2", title="ちがう題の同じ本", creator="丁田, 四郎")
    rule(first, other, "same")
    delete(other)
    add("a", "a1", isbn=ISBN, title="見本の本 改題")
    assert groups() == [{"a1"}]
    add("b", "b2", title="ちがう題の同じ本", creator="丁田, 四郎")
    assert groups() == [{"a1", "b2"}]


def rule(first: SourceRecord, second: SourceRecord, verdict: str) -> None:
    names = sorted([first.public_id, second.public_id])
    MatchRuling.objects.create(first=names[0], second=names[1], verdict=verdict)
    SourceRecord.objects.filter(pk__in=[first.pk, second.pk]).update(aggregated_at=None)
    aggregate()


def test_the_order_of_arrival_does_not_matter(add):
    books = [
        ("a", "a1", {"isbn": ISBN}),
        ("b", "b1", {"isbn": ISBN}),
        ("c", "c1", {"isbn": ""}),
        ("a", "a2", {"volume": "上"}),
        ("b", "b2", {"volume": "下"}),
    ]
    for provider, name, fields in books:
        add(provider, name, **fields)
    one_by_one = sorted(map(sorted, groups()))
    SourceRecord.objects.update(aggregated_at=None)
    Member.objects.all().delete()
    MatchKey.objects.all().delete()
    aggregate()
    assert sorted(map(sorted, groups())) == one_by_one


def test_the_number_of_queries_does_not_grow_with_the_batch(add, django_assert_max_num_queries):
    for number in range(30):
        add("a", f"a{number}", title=f"題名その{number}", isbn="")
    SourceRecord.objects.update(aggregated_at=None)
    with django_assert_max_num_queries(40):
        match_and_merge()


@pytest.mark.parametrize("stage", [Claim, KindChanges, Beginning, Region, Books, Batch])
def test_what_one_stage_hands_to_the_next_cannot_be_changed(stage):
    assert stage.__dataclass_params__.frozen
