"""Why stored records are in one group or not, by the stored groups, rulings and suspect ISBNs."""

import pytest

from aggregator.catalogue.books import find_book
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.inspection.reasons import explain_group, explain_pair
from aggregator.models import Core, MatchRuling
from aggregator.review.rulings import carry_out
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


def test_a_group_is_explained_by_the_stored_evidence() -> None:
    shelf = Shelf()
    first, second = (shelf.put("a", name, record(name, isbn=ISBN, issued=f"199{name}")) for name in ("1", "2"))
    sum(aggregate_pending())
    found = explain_group(find_book(second.public_id), second.public_id)
    assert found.start.public_id == second.public_id
    (way,) = found.others
    stored = Core.objects.get(example=first)
    assert (way.to, way.direct.score) == (first.public_id, stored.score)
    assert [(item.rule, item.outcome) for item in way.direct.evidence] == [
        (stored_item["rule"], stored_item["outcome"]) for stored_item in stored.evidence
    ]


def test_a_suspect_isbn_is_explained_as_suspect() -> None:
    shelf = Shelf()
    first, second = (
        shelf.put("a", name, record(name, isbn=ISBN, volume="1", issued=f"199{name}")) for name in ("1", "2")
    )
    shelf.put("a", "3", record("3", isbn=ISBN, volume="2"))
    sum(aggregate_pending())
    found = explain_pair(first.public_id, second.public_id)
    assert found and found.step
    assert ("isbn", "suspect") in [(item.rule, item.outcome) for item in found.step.evidence]


def test_rulings_of_staff_appear_in_the_explanation() -> None:
    shelf = Shelf()
    first = shelf.put("a", "1", record("1", isbn=ISBN))
    second = shelf.put("a", "2", record("2", title="全く別の本", isbn=OTHER))
    third = shelf.put("a", "3", record("3", isbn=ISBN))
    sum(aggregate_pending())
    rule("same", first, second)
    joined = explain_pair(first.public_id, second.public_id)
    assert joined and joined.way
    assert [item.rule for item in joined.way.direct.evidence] == ["staff"]
    rule("not_same", second, third)
    parted = explain_pair(third.public_id, first.public_id)
    assert parted and parted.apart
    assert [ruling.verdict for ruling in parted.rulings] == ["not_same", "same"]


def test_a_veto_explains_why_two_records_are_not_grouped() -> None:
    shelf = Shelf()
    first, second = (shelf.put("a", name, record(name, volume=name)) for name in ("1", "2"))
    sum(aggregate_pending())
    found = explain_pair(first.public_id, second.public_id)
    assert found and found.apart and not found.rulings
    assert [item.rule for item in found.apart.step.vetoes] == ["volume"]


def test_records_in_no_group_have_no_explanation() -> None:
    waiting = Shelf().put("a", "1", record("1"))
    assert explain_pair(waiting.public_id, waiting.public_id) is None
    assert explain_pair(waiting.public_id, "R000000001-Inobody") is None


def test_explaining_a_group_takes_a_fixed_number_of_queries(django_assert_max_num_queries) -> None:
    shelf = Shelf()
    records = [shelf.put("a", f"{n}", record(f"{n}", isbn=ISBN, issued=f"199{n}")) for n in range(8)]
    sum(aggregate_pending())
    book = find_book(records[0].public_id)
    with django_assert_max_num_queries(9):
        assert len(explain_group(book, records[0].public_id).others) == 7
