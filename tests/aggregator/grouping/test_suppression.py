"""What staff withhold leaves its group, the search, and all that is given on; taking it back brings everything back."""

import pytest
from django.test import Client

from aggregator.grouping.aggregate import aggregate_batch, aggregate_pending
from aggregator.indexing.build import index_pending
from aggregator.models import Manifestation, Member
from harvesting.models import SourceRecord
from harvesting.records.suppression import release, suppress
from tests.aggregator.shelves import Shelf, assert_numbers_lead_on, assert_works_are_true, stored
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


def settle() -> None:
    sum(aggregate_pending())
    for _each in index_pending():
        pass


@pytest.fixture
def pair() -> list[SourceRecord]:
    """One book of two providers."""
    shelf = Shelf()
    found = [shelf.put(name, name, record(name, title="坊っちゃん", isbn=ISBN)) for name in ("one", "two")]
    settle()
    assert Manifestation.objects.exclude(record=b"").count() == 1
    return found


def hits(client: Client, **query: str) -> int:
    return client.get("/api/search", query).json()["total"]


def test_a_withheld_record_leaves_its_group_and_the_others_stay(client, pair):
    suppress(pair[0], "個人情報", "hanako")
    settle()
    assert [each for group in stored() for each, *_rest in group] == [pair[1].public_id]
    assert_numbers_lead_on()
    assert_works_are_true()
    assert hits(client, isbn=ISBN) == 1
    page = client.get(f"/books/{pair[0].public_id}")
    assert page.status_code == 410
    assert "坊っちゃん" not in page.text
    assert client.get(f"/books/{pair[1].public_id}").status_code == 200


def test_nothing_of_it_is_found_or_given_on(client, pair):
    for each in pair:
        suppress(each, "個人情報", "hanako")
    settle()
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


def test_what_is_taken_back_is_as_it_was(client, pair):
    before = stored()
    suppress(pair[0], "x", "hanako")
    settle()
    release(pair[0])
    settle()
    assert stored() == before
    assert client.get(f"/books/{pair[0].public_id}").status_code == 200
    assert hits(client, isbn=ISBN) == 1


def test_one_by_one_gives_what_the_whole_gives():
    shelf = Shelf()
    found = [shelf.put(f"p{n % 3}", str(n), record(str(n), title=f"題{n // 3}", isbn="")) for n in range(12)]
    settle()
    for each in found[::2]:
        suppress(each, "x", "hanako")
        while aggregate_batch(1):
            pass
    step_by_step = stored()
    Member.objects.all().delete()
    SourceRecord.objects.update(aggregated_at=None)
    sum(aggregate_pending())
    assert stored() == step_by_step
    assert len(step_by_step) and not {each.public_id for each in found[::2]} & {
        name for group in step_by_step for name, *_rest in group
    }
