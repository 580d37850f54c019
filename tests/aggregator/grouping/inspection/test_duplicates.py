"""Duplicates and shared ISBNs among one provider's records."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from aggregator.grouping.aggregate import aggregate_pending
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN, OTHER = "9784003101018", "9784101010014"


@pytest.fixture
def shelf() -> Shelf:
    """Provider a: one book twice, three books with one ISBN. Provider b: the first book once."""
    shelf = Shelf()
    for name in ("a1", "a2"):
        shelf.put("a", name, record(name, isbn=ISBN))
    shelf.put("b", "b1", record("b1", isbn=ISBN))
    for name, title in (("a3", "料理入門"), ("a4", "日本の鉄道"), ("a5", "庭の草花")):
        shelf.put("a", name, record(name, title=title, creator=f"{title[:2]}, 花子", isbn=OTHER))
    sum(aggregate_pending())
    return shelf


def duplicates(shelf: Shelf, provider: str, capsys: pytest.CaptureFixture) -> list[dict]:
    call_command("duplicates", shelf.repository(provider).number, "--json")
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_same_book_twice_and_an_isbn_on_three_titles_are_listed(shelf, capsys):
    twice, shared = duplicates(shelf, "a", capsys)
    assert (twice["finding"], [row["identifier"] for row in twice["records"]]) == ("duplicate", ["a1", "a2"])
    assert (shared["finding"], shared["isbn"]) == ("shared_isbn", OTHER)
    assert [row["title"] for row in shared["records"]] == ["料理入門", "日本の鉄道", "庭の草花"]


def test_another_providers_record_is_not_a_duplicate(shelf, capsys):
    assert duplicates(shelf, "b", capsys) == []


def test_an_unknown_repository_is_refused():
    with pytest.raises(CommandError):
        call_command("duplicates", "R999999999")


def test_the_page_of_the_provider_leads_to_its_duplicates(shelf, admin_client):
    repository = shelf.repository("a")
    page = admin_client.get(reverse("admin:harvesting_repository_change", args=[repository.pk])).text
    address = reverse("admin:aggregator_duplicates", args=[repository.number])
    assert address in page
    assert "日本の鉄道" in admin_client.get(address).text
