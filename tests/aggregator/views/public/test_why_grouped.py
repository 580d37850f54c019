"""The page that explains why records are grouped."""

import re

import pytest
from django.utils import timezone

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchRuling
from aggregator.review.rulings import carry_out
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf, doubtful
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


def page(client, public_id: str, language: str = "en") -> tuple[int, str]:
    response = client.get(f"/books/{public_id}/why", headers={"Accept-Language": language})
    return response.status_code, response.content.decode()


def rule(verdict: str, first: SourceRecord, second: SourceRecord) -> None:
    row = MatchRuling(verdict=verdict, first=first.public_id, second=second.public_id, reason="a test")
    row.clean()
    carry_out(row, None)
    sum(aggregate_pending())


def test_each_record_of_a_book_is_shown_with_its_evidence(client) -> None:
    shelf = Shelf()
    first, second = (shelf.put(f"library {name}", name, record(name, isbn=ISBN)) for name in "12")
    sum(aggregate_pending())
    status, html = page(client, second.public_id)
    assert status == 200
    assert "library 1" in html and first.public_id in html
    assert "The ISBN agrees" in html and "likely to be the same book" in html
    japanese = page(client, second.public_id, "ja")[1]
    assert "ISBNが一致" in japanese and "強い手がかり" in japanese and "同じ本である確率" in japanese


def test_readers_see_no_points(client) -> None:
    shelf = Shelf()
    first, _second = (shelf.put(f"library {name}", name, record(name, isbn=ISBN)) for name in "12")
    sum(aggregate_pending())
    html = page(client, first.public_id)[1].partition("<article")[2].partition("</article>")[0]
    assert re.search(r">\s*[+−-]\d+\.\d", html) is None
    assert "Total" not in html and "points" not in html


def test_similar_records_that_were_kept_apart_are_shown_with_what_differs(client) -> None:
    shelf = Shelf()
    pair = [
        shelf.put(f"library {place}", str(place), it) for place, it in enumerate(doubtful("料理入門", "乙山, 花子"))
    ]
    sum(aggregate_pending())
    for own, other in (pair, reversed(pair)):
        html = page(client, own.public_id)[1].partition("Similar records that were kept apart")[2]
        assert other.public_id in html and own.public_id not in html.partition("<form")[0]
        assert "years" in html.lower()


def test_a_similar_record_that_staff_keep_apart_is_shown_with_their_ruling(client) -> None:
    shelf = Shelf()
    own, other = (shelf.put(str(place), str(place), it) for place, it in enumerate(doubtful("料理入門", "乙山, 花子")))
    sum(aggregate_pending())
    rule("not_same", own, other)
    html = page(client, own.public_id)[1].partition("Similar records that were kept apart")[2]
    assert "Decided by staff" in html and "Staff decided that they are not the same" in html
    assert "likely" not in html


def test_a_similar_record_that_is_withheld_is_not_shown(client) -> None:
    shelf = Shelf()
    own, other = (shelf.put(str(place), str(place), it) for place, it in enumerate(doubtful("料理入門", "乙山, 花子")))
    sum(aggregate_pending())
    SourceRecord.objects.filter(pk=other.pk).update(suppressed_at=timezone.now())
    assert other.public_id not in page(client, own.public_id)[1]


def test_a_record_connected_through_another_is_shown_with_the_links_between_them(client) -> None:
    shelf = Shelf()
    first, third = (shelf.put("a", name, record(name, isbn=ISBN)) for name in "13")
    second = shelf.put("b", "2", record("2", title="全く別の本", isbn="9784101010014"))
    for other in (second, third):
        rule("same", first, other)
    html = page(client, second.public_id)[1]
    assert "They are grouped through other records" in html
    assert "the weakest link" not in html  # staff decided on every link, so none is weaker than another
    assert "Decided by staff" in html and ">decisive<" in html
    assert third.public_id in html


def test_a_withheld_record_of_the_group_is_left_out_before_the_group_is_formed_again(client) -> None:
    shelf = Shelf()
    first, second = (shelf.put(f"library {name}", name, record(name, isbn=ISBN)) for name in "12")
    sum(aggregate_pending())
    SourceRecord.objects.filter(pk=second.pk).update(suppressed_at=timezone.now())
    status, html = page(client, first.public_id)
    assert status == 200 and second.public_id not in html


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


def test_the_address_of_a_book_has_the_page_too(client) -> None:
    shelf = Shelf()
    first, _second = (shelf.put(f"library {name}", name, record(name, isbn=ISBN)) for name in "12")
    sum(aggregate_pending())
    number = SourceRecord.objects.get(pk=first.pk).member.manifestation_id
    status, html = page(client, f"M{number}")
    assert (status, html.count("library 1") > 0, html.count("library 2") > 0) == (200, True, True)
