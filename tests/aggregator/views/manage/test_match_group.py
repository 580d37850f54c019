"""Splitting a group by ticking records: all rulings or none, with a preview."""

import re

import pytest
from django.contrib.auth.models import User
from msgspec import structs

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchRuling, Member
from aggregator.review.rulings import carry_out
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
PAGE = "/manage/matches/group"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def names(client, shelf) -> list[str]:
    """Five records of one group, described in the same way."""
    client.force_login(User.objects.create_superuser("boss"))
    names = [shelf.put("a", f"{n}", record(f"{n}", isbn=ISBN)).public_id for n in range(5)]
    sum(aggregate_pending())
    assert groups() == [5]
    return names


def groups() -> list[int]:
    sum(aggregate_pending())
    sizes: dict[int, int] = {}
    for number in Member.objects.values_list("manifestation", flat=True):
        sizes[number] = sizes.get(number, 0) + 1
    return sorted(sizes.values())


def post(client, names: list[str], *ticked: str, **more: str):
    headers = {"Accept-Language": "en"}
    return client.post(PAGE, {"of": names[0], "ticked": ticked, "reason": "別の版", **more}, headers=headers)


def test_ticked_records_become_a_book_of_their_own(client, names) -> None:
    number = Member.objects.values_list("manifestation", flat=True).distinct().get()
    for text in (names[3], f"http://127.0.0.1:8000/books/M{number}"):
        html = client.get(PAGE, {"of": text}).content.decode()
        assert html.count('type="checkbox"') == 1 + 5  # one for the description, five for its records
    assert post(client, names, names[1], names[4]).status_code == 302
    assert groups() == [2, 3]
    assert (
        len(set(Member.objects.filter(source_record__public_id__in=[names[1], names[4]]).values_list("manifestation")))
        == 1
    )


def test_the_effect_is_previewed_without_changes(client, names) -> None:
    html = post(client, names, names[1], **{"try": "1"}).content.decode()
    assert "Groups afterwards" in html
    assert html.count(" checked") == 1
    assert not MatchRuling.objects.exists()
    assert not SourceRecord.objects.pending().exists()


def test_no_ruling_is_made_if_one_contradicts(client, names) -> None:
    row = MatchRuling(verdict="same", first=names[2], second=names[1], reason="a test")
    row.clean()
    carry_out(row, None)
    assert groups() == [5]
    response = post(client, names, names[1])
    assert response.status_code == 422
    assert f"#{row.pk}" in response.content.decode()
    assert MatchRuling.objects.count() == 1


def test_a_group_can_be_split_again(client, names) -> None:
    post(client, names, names[1], names[4])
    assert groups() == [2, 3]
    assert post(client, names, names[2]).status_code == 302
    assert groups() == [1, 2, 2]


def test_what_remains_of_a_description_stays_apart_when_the_record_that_stood_for_it_leaves(client, names) -> None:
    post(client, names, names[1], names[4])
    assert groups() == [2, 3]
    (row,) = MatchRuling.objects.filter(verdict="not_same")
    (standing,) = row.with_copies
    of = [name for name in names if name not in (names[1], names[4])]
    assert standing in of
    assert post(client, of, standing).status_code == 302
    assert groups() == [1, 2, 2]


@pytest.mark.parametrize("ticked", [[], [0, 1, 2, 3, 4]])
def test_none_or_all_ticked_is_refused(client, names, ticked) -> None:
    assert post(client, names, *(names[place] for place in ticked)).status_code == 422


def test_a_reason_is_needed(client, names) -> None:
    assert post(client, names, names[0], reason=" ").status_code == 422


def test_an_unknown_group_is_reported(client, names) -> None:
    assert "There is no such group" in client.get(f"{PAGE}?of=x", headers={"Accept-Language": "en"}).content.decode()
    assert client.get(PAGE).status_code == 200


@pytest.fixture
def spellings(shelf, names) -> list[str]:
    """Ten further records of the group: two other descriptions with five records each."""
    more = [
        shelf.put("a", f"{pages} {n}", structs.replace(record("1", isbn=ISBN), extents=(f"{pages}p",))).public_id
        for pages in (301, 303)
        for n in range(5)
    ]
    assert groups() == [15]
    return more


def rows(client, of: str) -> list[tuple[str, str]]:
    """The number of each description on the page, and how many records it has."""
    html = client.get(PAGE, {"of": of}, headers={"Accept-Language": "en"}).content.decode()
    return re.findall(r'<li id="d(-?[0-9a-f]+)">.*?<b>([0-9]+) records?</b>', html, re.DOTALL)


def test_a_description_is_one_row_with_its_number_of_records(client, names, spellings) -> None:
    assert [count for _core, count in rows(client, names[0])] == ["5", "5", "5"]


def test_a_ticked_description_leaves_with_all_its_records(client, shelf, names, spellings) -> None:
    core = next(core for core, _count in rows(client, names[0]) if core_of(spellings[0]) == core)
    assert post(client, names, core).status_code == 302
    assert groups() == [5, 10]
    assert {row.verdict for row in MatchRuling.objects.all()} == {"not_same"}
    shelf.put("b", "late", structs.replace(record("1", isbn=ISBN), extents=("301p",)))
    assert groups() == [6, 10]


def core_of(name: str) -> str:
    return f"{Member.objects.get(source_record__public_id=name).kind.core_id:x}"


def test_single_records_of_a_description_can_leave_it(client, names, spellings) -> None:
    assert post(client, names, spellings[0], spellings[9]).status_code == 302
    assert groups() == [2, 13]


def test_the_records_of_a_large_group_are_listed_for_one_description(client, names, spellings, monkeypatch) -> None:
    monkeypatch.setattr("aggregator.review.descriptions.LISTED_AT_ONCE", 5)
    closed = client.get(PAGE, {"of": names[0]}).content.decode()
    assert closed.count('type="checkbox"') == 3
    core = core_of(spellings[0])
    opened = client.get(PAGE, {"of": names[0], "open": core}).content.decode()
    assert opened.count('type="checkbox"') == 3 + 5
    assert post(client, names, spellings[0], open=core).status_code == 302
    assert groups() == [1, 14]


def test_the_page_is_only_for_staff(client, names) -> None:
    client.logout()
    assert client.get(PAGE).status_code == 302
