"""A withheld record leaves its group, the search and redistribution; releasing it restores everything."""

import pytest
from django.test import Client

from aggregator.grouping.aggregate import aggregate_batch
from aggregator.indexing.build import index_pending
from aggregator.models import Manifestation, Member
from harvesting.models import SourceRecord
from harvesting.records.suppression import release, suppress
from tests.aggregator.shelves import (
    Shelf,
    assert_numbers_lead_to_groups,
    assert_works_are_correct,
    groups_of_records,
    match_and_merge,
)
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


def aggregate_and_index() -> None:
    match_and_merge()
    for _count in index_pending():
        pass


@pytest.fixture
def pair() -> list[SourceRecord]:
    """One book of two providers."""
    shelf = Shelf()
    sources = [shelf.put(name, name, record(name, title="坊っちゃん", isbn=ISBN)) for name in ("one", "two")]
    aggregate_and_index()
    assert Manifestation.objects.exclude(record=b"").count() == 1
    return sources


def hits(client: Client, **query: str) -> int:
    return client.get("/api/search", query).json()["total"]


def test_a_withheld_record_leaves_its_group_and_the_others_stay(client, pair):
    suppress(pair[0], "個人情報", "hanako")
    aggregate_and_index()
    assert [name for group in groups_of_records() for name in group] == [pair[1].public_id]
    assert_numbers_lead_to_groups()
    assert_works_are_correct()
    assert hits(client, isbn=ISBN) == 1
    page = client.get(f"/books/{pair[0].public_id}")
    assert page.status_code == 410
    assert "坊っちゃん" not in page.text
    assert client.get(f"/books/{pair[1].public_id}").status_code == 200


def test_a_withheld_book_is_neither_found_nor_redistributed(client, pair):
    for source in pair:
        suppress(source, "個人情報", "hanako")
    aggregate_and_index()
    name = pair[0].public_id
    assert hits(client, isbn=ISBN) == hits(client, q="坊っちゃん") == 0
    for path in (f"/books/{name}", f"/books/{name}?source=1", f"/books/{name}.json", f"/books/{name}.rdf"):
        answer = client.get(path)
        assert answer.status_code == 410, path
        assert "坊っちゃん" not in answer.text, path
    assert client.get(f"/books/{name}/why").status_code == 410
    assert client.get(f"/books/{name}/report").status_code == 410
    assert name not in client.get("/openurl", {"rft.isbn": ISBN}).text
    assert not client.get("/openurl", {"rft.isbn": ISBN}).headers.get("Location", "").startswith("/books/")
    assert "坊っちゃん" not in client.post("/list/records", {"id": name}).text
    assert name not in client.get("/sitemaps/books-1.xml").text


def test_releasing_a_record_restores_everything(client, pair):
    before = groups_of_records()
    suppress(pair[0], "x", "hanako")
    aggregate_and_index()
    release(pair[0])
    aggregate_and_index()
    assert groups_of_records() == before
    assert client.get(f"/books/{pair[0].public_id}").status_code == 200
    assert hits(client, isbn=ISBN) == 1


def test_withholding_one_by_one_gives_the_same_groups_as_all_at_once():
    shelf = Shelf()
    sources = [shelf.put(f"p{n % 3}", str(n), record(str(n), title=f"題{n // 3}", isbn="")) for n in range(12)]
    aggregate_and_index()
    for source in sources[::2]:
        suppress(source, "x", "hanako")
        while aggregate_batch(1):
            pass
    step_by_step = groups_of_records()
    Member.objects.all().delete()
    SourceRecord.objects.update(aggregated_at=None)
    match_and_merge()
    assert groups_of_records() == step_by_step
    assert len(step_by_step) and not {source.public_id for source in sources[::2]} & {
        name for group in step_by_step for name, *_rest in group
    }
