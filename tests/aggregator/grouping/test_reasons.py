"""Why stored records stand together or apart: rulings, suspect ISBNs and groups are what the tables hold."""

import pytest

from aggregator.catalogue.books import find_book
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.reasons import asked, together
from aggregator.models import MatchRuling, Member
from aggregator.review.decisions import carry_out
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN, OTHER = "9784003101018", "9784101010014"


def rule(verdict: str, first: SourceRecord, second: SourceRecord) -> None:
    row = MatchRuling(verdict=verdict, first=first.public_id, second=second.public_id, reason="a test")
    row.clean()
    carry_out(row, None)
    sum(aggregate_pending())


def test_what_is_told_of_a_group_is_what_joined_it() -> None:
    shelf = Shelf()
    first, second = (shelf.put("a", name, record(name, isbn=ISBN)) for name in ("1", "2"))
    sum(aggregate_pending())
    found = together(find_book(second.public_id), second.public_id)
    assert found.start.public_id == second.public_id
    (way,) = found.others
    stored = Member.objects.get(pk=first.pk)
    assert (way.to, way.direct.score) == (first.public_id, stored.score)
    assert [(each.rule, each.outcome) for each in way.direct.evidence] == [
        (each["rule"], each["outcome"]) for each in stored.evidence
    ]


def test_a_suspect_isbn_is_told_as_such() -> None:
    shelf = Shelf()
    first, second = (shelf.put("a", name, record(name, isbn=ISBN, volume="1")) for name in ("1", "2"))
    shelf.put("a", "3", record("3", isbn=ISBN, volume="2"))
    sum(aggregate_pending())
    found = asked(first.public_id, second.public_id)
    assert found and found.step
    assert ("isbn", "suspect") in [(each.rule, each.outcome) for each in found.step.evidence]


def test_what_staff_joined_and_what_they_parted_is_told() -> None:
    shelf = Shelf()
    first = shelf.put("a", "1", record("1", isbn=ISBN))
    second = shelf.put("a", "2", record("2", title="全く別の本", isbn=OTHER))
    third = shelf.put("a", "3", record("3", isbn=ISBN))
    sum(aggregate_pending())
    rule("same", first, second)
    joined = asked(first.public_id, second.public_id)
    assert joined and joined.way
    assert [each.rule for each in joined.way.direct.evidence] == ["staff"]
    rule("not_same", second, third)
    parted = asked(third.public_id, first.public_id)
    assert parted and parted.apart
    assert [each.verdict for each in parted.rulings] == ["not_same", "same"]


def test_records_of_two_groups_are_told_apart_with_the_veto() -> None:
    shelf = Shelf()
    first, second = (shelf.put("a", each, record(each, volume=each)) for each in ("1", "2"))
    sum(aggregate_pending())
    found = asked(first.public_id, second.public_id)
    assert found and found.apart and not found.rulings
    assert [each.rule for each in found.apart.step.vetoes] == ["volume"]


def test_nobody_can_ask_about_what_is_in_no_group() -> None:
    waiting = Shelf().put("a", "1", record("1"))
    assert asked(waiting.public_id, waiting.public_id) is None
    assert asked(waiting.public_id, "R000000001-Inobody") is None


def test_a_group_is_told_with_the_same_queries_whatever_its_size(django_assert_max_num_queries) -> None:
    shelf = Shelf()
    records = [shelf.put("a", f"{n}", record(f"{n}", isbn=ISBN)) for n in range(8)]
    sum(aggregate_pending())
    book = find_book(records[0].public_id)
    with django_assert_max_num_queries(5):
        assert len(together(book, records[0].public_id).others) == 7
