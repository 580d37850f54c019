"""A partly filled index is not taken for the whole catalogue: every interface says so, and lost books come back."""

import pytest
from django.utils import timezone

from aggregator.indexing import ledger
from aggregator.indexing.build import index_pending
from aggregator.indexing.ledger import count_missing
from aggregator.indexing.searching import search
from aggregator.indexing.state import index_state, rebuild_is_due
from aggregator.jobs import REBUILDING
from aggregator.models import IndexLedger, Manifestation
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query
from harvesting.records.compression import pack_record
from metadata.record import BibliographicRecord, Title

pytestmark = pytest.mark.django_db
NOTICE = "Not all books can be found yet"


def put(*numbers: int) -> None:
    for number in numbers:
        record = pack_record(BibliographicRecord(titles=(Title(value=f"馬 {number}"),)))
        values = {"record": record, "index_pending": True, "changed_at": timezone.now()}
        Manifestation.objects.update_or_create(pk=number, defaults=values)


@pytest.fixture
def shelf(monkeypatch) -> None:
    """Six books in the index; a backlog of two is usual."""
    monkeypatch.setattr(ledger, "BACKLOG", 2)
    put(*range(1, 7))
    list(index_pending())


def lose(*numbers: int) -> None:
    """Remove books from the index only, as a disk, a deleted segment or an old copy of the folder does."""
    get_index().delete(numbers)


def test_a_whole_index_is_not_called_partial(shelf):
    assert count_missing() == 0
    assert not search(Query(q="馬"), ()).partial


def test_a_usual_backlog_is_not_called_partial(shelf):
    put(7, 8)
    assert count_missing() == 0
    assert not rebuild_is_due()


def test_a_large_backlog_is_told_until_it_is_indexed_and_causes_no_rebuild(shelf):
    put(7, 8, 9)
    assert count_missing() == 3
    assert search(Query(q="馬"), ()).partial
    assert not rebuild_is_due()
    list(index_pending())
    assert not search(Query(q="馬"), ()).partial


def test_lost_books_are_noticed_and_the_index_is_built_anew(shelf):
    lose(1, 2, 3)
    assert count_missing() == 3
    assert index_state().incomplete
    assert rebuild_is_due()
    assert REBUILDING.do_waiting() == 6
    assert not search(Query(q="馬"), ()).partial
    assert IndexLedger.objects.get().missing == 0


def test_nothing_found_in_a_partial_index_is_no_answer(shelf):
    lose(1, 2, 3)
    count_missing()
    with pytest.raises(IndexUnavailable, match="rebuilding"):
        search(Query(q="鯨"), ())


@pytest.fixture
def partial(shelf) -> None:
    lose(1, 2, 3)
    count_missing()


def test_the_results_page_says_that_books_are_missing(client, partial):
    for path in ("/en/search?q=馬", "/en/search/values/language?q=馬"):
        answer = client.get(path)
        assert (answer.status_code, NOTICE in answer.text) == (200, True), path


def test_the_json_answer_says_that_books_are_missing(client, partial):
    assert client.get("/api/search?q=馬").json()["incomplete"] is True
    REBUILDING.do_waiting()
    assert client.get("/api/search?q=馬").json()["incomplete"] is False


def test_sru_says_that_books_are_missing(client, partial):
    assert "info:srw/diagnostic/1/60" in client.get("/sru?operation=searchRetrieve&version=1.2&query=馬").text


@pytest.mark.parametrize("path", ["/feeds/search.atom?q=馬", "/opensearch?q=馬&format=rss", "/api/opensearch?any=馬"])
def test_answers_that_cannot_say_it_are_503(client, partial, path):
    answer = client.get(path)
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")


def test_healthz_says_that_books_are_missing(client, partial):
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert (answer.json()["index"], answer.json()["books_not_indexed"]) == ("failed", 3)
