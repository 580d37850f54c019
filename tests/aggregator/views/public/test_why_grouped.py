"""The page that explains why records are grouped."""

import pytest

from aggregator.grouping.aggregate import aggregate_pending
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


def page(client, public_id: str, language: str = "en") -> tuple[int, str]:
    response = client.get(f"/books/{public_id}/why", headers={"Accept-Language": language})
    return response.status_code, response.content.decode()


def test_each_record_of_a_book_is_shown_with_its_evidence(client) -> None:
    shelf = Shelf()
    first, second = (shelf.put(f"library {name}", name, record(name, isbn=ISBN)) for name in "12")
    sum(aggregate_pending())
    status, html = page(client, second.public_id)
    assert status == 200
    assert "library 1" in html and first.public_id in html
    assert "The ISBN agrees" in html and "Total" in html
    assert "ISBNが一致" in page(client, second.public_id, "ja")[1]


def test_a_record_that_is_alone_is_shown_as_alone(client) -> None:
    only = Shelf().put("a", "1", record("1"))
    sum(aggregate_pending())
    assert "is not grouped with others" in page(client, only.public_id)[1]


def test_a_record_that_waits_for_matching_has_a_page(client) -> None:
    waiting = Shelf().put("a", "1", record("1"))
    assert page(client, waiting.public_id)[0] == 200


def test_unknown_records_are_not_found_and_deleted_ones_are_gone(client) -> None:
    shelf = Shelf()
    deleted = shelf.put("a", "1", record("1"))
    sum(aggregate_pending())
    SourceRecord.objects.update(deleted=True, aggregated_at=None)
    sum(aggregate_pending())
    assert page(client, deleted.public_id)[0] == 410
    assert page(client, "R000000001-Inobody")[0] == 404


def test_markup_of_providers_is_escaped(client) -> None:
    shelf = Shelf()
    hostile = record("1", title="<script>alert(1)</script>", isbn=ISBN)
    first = shelf.put("<b>a</b>", "1", hostile)
    shelf.put("b", "2", hostile)
    sum(aggregate_pending())
    html = page(client, first.public_id)[1]
    assert "<script>alert" not in html and "<b>a</b>" not in html
