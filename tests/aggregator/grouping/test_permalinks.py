"""Record ids are permalinks: when groups are joined or split, or records deleted or restored, only the book that an id
shows changes.
"""

import re

import pytest

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import Manifestation, MatchRuling, Member
from aggregator.review.rulings import carry_out, undo
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def put(shelf: Shelf, name: str, isbn: str = ISBN, title: str = "見本の本") -> str:
    stored = shelf.put(f"library {name}", name, record(name, isbn=isbn, title=title))
    sum(aggregate_pending())
    return stored.public_id


def delete(shelf: Shelf, name: str) -> None:
    shelf.delete(name)
    sum(aggregate_pending())


def rule(verdict: str, first: str, second: str) -> MatchRuling:
    row = MatchRuling(verdict=verdict, first=first, second=second, reason="a test")
    row.clean()
    carry_out(row, None)
    sum(aggregate_pending())
    return row


def leads_to(client, public_id: str) -> str:
    """The canonical id of the page, or the status code if it shows no book."""
    response = client.get(f"/books/{public_id}")
    found = re.search(r'rel="canonical" href="[^"]*/books/([^"?]+)"', response.content.decode())
    return found[1] if response.status_code == 200 and found else str(response.status_code)


def test_after_a_join_both_ids_lead_to_the_older(client, shelf) -> None:
    older, younger = put(shelf, "1"), put(shelf, "2", title="別の本", isbn="")
    assert (leads_to(client, older), leads_to(client, younger)) == (older, younger)
    rule("same", older, younger)
    assert {leads_to(client, older), leads_to(client, younger)} == {older}
    number = Member.objects.filter(source_record__public_id=younger).values_list("source_record", flat=True).get()
    assert Manifestation.objects.get(pk=number).successor_id == min(Member.objects.values_list("pk", flat=True))


def test_after_a_split_the_oldest_record_keeps_the_id_and_the_other_regains_its_own(client, shelf) -> None:
    older, younger = put(shelf, "1"), put(shelf, "2")
    assert {leads_to(client, older), leads_to(client, younger)} == {older}
    ruling = rule("not_same", older, younger)
    assert (leads_to(client, older), leads_to(client, younger)) == (older, younger)
    undo(ruling, None)
    sum(aggregate_pending())
    assert {leads_to(client, older), leads_to(client, younger)} == {older}


def test_the_id_of_a_group_leads_on_when_its_oldest_record_is_deleted(client, shelf) -> None:
    older, younger, youngest = put(shelf, "1"), put(shelf, "2"), put(shelf, "3")
    delete(shelf, "1")
    assert {leads_to(client, older), leads_to(client, younger), leads_to(client, youngest)} == {younger}
    delete(shelf, "2")
    assert {leads_to(client, older), leads_to(client, younger), leads_to(client, youngest)} == {youngest}
    put(shelf, "1")
    assert {leads_to(client, older), leads_to(client, younger), leads_to(client, youngest)} == {older}


def test_the_id_of_a_group_that_is_gone_is_never_given_to_another(client, shelf) -> None:
    gone = put(shelf, "1")
    number = SourceRecord.objects.get(public_id=gone).pk
    delete(shelf, "1")
    assert leads_to(client, gone) == "410"
    newer = put(shelf, "2")
    assert leads_to(client, newer) == newer
    assert leads_to(client, gone) == "410"
    assert Manifestation.objects.get(pk=number).record == b""
    assert not Member.objects.filter(manifestation=number).exists()
