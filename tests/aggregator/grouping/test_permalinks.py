"""Ids of records and numbers of books are permalinks through joins, splits, deletions, returns and rematches."""

import re

import pytest
from django.core.management import call_command

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.merging.stage import merge_pending
from aggregator.models import MatchRuling, Member
from aggregator.provision.stamping import stamp_pending
from aggregator.review.descriptions import Part
from aggregator.review.rulings import carry_out, undo
from aggregator.review.splitting import split
from harvesting.models import SourceRecord
from harvesting.records.suppression import release, suppress
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
    """The canonical id of the page that an id or number leads to, or the status code if it shows no book."""
    response = client.get(f"/books/{public_id}", follow=True)
    found = re.search(r'rel="canonical" href="[^"]*/books/([^"?]+)"', response.content.decode())
    return found[1] if response.status_code == 200 and found else str(response.status_code)


def number_of(public_id: str) -> str:
    return f"M{Member.objects.get(source_record__public_id=public_id).manifestation_id}"


def identifiers(client) -> set[str]:
    """The identifiers of the books that /oai lists as existing."""
    sum(merge_pending())
    sum(stamp_pending())
    text = client.get("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&set=merged").text
    return set(re.findall(r"<header><identifier>[^<]*:(M[0-9]+)</identifier>", text))


def test_a_book_has_one_address_under_which_all_its_records_lead(client, shelf) -> None:
    older, younger = put(shelf, "1"), put(shelf, "2")
    number = number_of(older)
    assert {leads_to(client, name) for name in (older, younger, number)} == {number}
    assert client.get(f"/books/{number}").status_code == 200
    assert identifiers(client) == {number}


def test_numbers_begin_above_all_records_that_exist(shelf) -> None:
    for name in ("1", "2"):
        shelf.put("a library", name, record(name, isbn=ISBN, title="見本の本"))
    number = int(number_of(put(shelf, "3"))[1:])
    assert number > SourceRecord.objects.order_by("-pk").values_list("pk", flat=True)[0]


def test_after_a_join_the_older_number_stays_and_the_younger_redirects(client, shelf) -> None:
    older, younger = put(shelf, "1"), put(shelf, "2", title="別の本", isbn="")
    first, second = number_of(older), number_of(younger)
    assert (leads_to(client, older), leads_to(client, younger)) == (first, second)
    rule("same", older, younger)
    assert {leads_to(client, name) for name in (older, younger, first, second)} == {first}
    assert client.get(f"/books/{second}").headers["Location"] == f"/books/{first}"
    assert client.get(f"/books/{second}.xml?format=oai_dc").headers["Location"] == f"/books/{first}.xml?format=oai_dc"
    assert identifiers(client) == {first}


def test_after_a_chain_of_joins_all_numbers_lead_to_the_oldest(client, shelf) -> None:
    names = [put(shelf, f"{number}", title=f"{number}冊目", isbn="") for number in range(4)]
    numbers = [number_of(name) for name in names]
    for place in (2, 1, 0):
        rule("same", names[place], names[place + 1])
    assert {leads_to(client, number) for number in numbers} == {numbers[0]}


def test_a_split_leaves_the_number_with_most_of_the_members(client, shelf) -> None:
    names = [put(shelf, f"{number}") for number in range(3)]
    number = number_of(names[0])
    split([Part(names[0])], [Part(name) for name in names[1:]], "a test", None)
    sum(aggregate_pending())
    assert number_of(names[0]) != number
    assert {leads_to(client, name) for name in (*names[1:], number)} == {number}
    assert identifiers(client) == {number, number_of(names[0])}


def test_of_equal_parts_the_one_with_the_oldest_record_keeps_the_number(client, shelf) -> None:
    older, younger = put(shelf, "1"), put(shelf, "2")
    number = number_of(older)
    ruling = rule("not_same", older, younger)
    assert number_of(older) == number
    fresh = number_of(younger)
    undo(ruling, None)
    sum(aggregate_pending())
    assert {leads_to(client, name) for name in (older, younger, number, fresh)} == {number}


def test_books_that_were_joined_by_mistake_get_their_own_numbers_back(client, shelf) -> None:
    older, younger = put(shelf, "1"), put(shelf, "2", title="別の本", isbn="")
    numbers = number_of(older), number_of(younger)
    undo(rule("same", older, younger), None)
    sum(aggregate_pending())
    assert (number_of(older), number_of(younger)) == numbers
    assert tuple(leads_to(client, number) for number in numbers) == numbers


def test_deleting_the_oldest_record_does_not_change_the_number(client, shelf) -> None:
    older, younger, youngest = put(shelf, "1"), put(shelf, "2"), put(shelf, "3")
    number = number_of(older)
    for name in ("1", "2"):
        delete(shelf, name)
        assert {leads_to(client, one) for one in (older, younger, youngest, number)} == {number}
    put(shelf, "1")
    assert {leads_to(client, one) for one in (older, younger, youngest, number)} == {number}


def test_the_number_of_a_book_that_is_gone_is_never_given_to_another(client, shelf) -> None:
    gone = put(shelf, "1")
    number = number_of(gone)
    delete(shelf, "1")
    assert {leads_to(client, gone), leads_to(client, number)} == {"410"}
    newer = put(shelf, "2")
    assert number_of(newer) != number
    assert {leads_to(client, gone), leads_to(client, number)} == {"410"}
    assert leads_to(client, "M999999") == "404"


def test_a_book_whose_record_returns_gets_its_number_back(client, shelf) -> None:
    gone = put(shelf, "1", isbn="")
    number = number_of(gone)
    delete(shelf, "1")
    put(shelf, "2", title="別の本", isbn="")
    put(shelf, "1", isbn="")
    assert {number_of(gone), leads_to(client, gone), leads_to(client, number)} == {number}


def test_a_book_whose_record_is_released_gets_its_number_back(client, shelf) -> None:
    secret = put(shelf, "1")
    number = number_of(secret)
    source = SourceRecord.objects.get(public_id=secret)
    suppress(source, "a request", "a person")
    sum(aggregate_pending())
    assert {leads_to(client, secret), leads_to(client, number)} == {"410"}
    assert "見本の本" not in client.get(f"/books/{number}").text
    release(source)
    sum(aggregate_pending())
    assert {number_of(secret), leads_to(client, number)} == {number}


def test_a_rematch_changes_no_number(client, shelf) -> None:
    names = [put(shelf, f"{number}", isbn=ISBN if number < 2 else "") for number in range(3)]
    delete(shelf, "0")
    before = dict(Member.objects.values_list("pk", "manifestation"))
    call_command("rematch")
    assert dict(Member.objects.values_list("pk", "manifestation")) == before
    assert leads_to(client, names[0]) == number_of(names[1])
