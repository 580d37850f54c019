"""Data of a provider that forbids redistribution is neither found by other services nor shown to them."""

import pytest
from msgspec import structs

from aggregator.provision import permitted_books
from aggregator.search import get_index
from aggregator.search.base import Query
from harvesting.models import SourceRecord
from metadata.record import Subject
from tests.aggregator.views.shelf import KOKORO

SECRET = structs.replace(KOKORO, subjects=(Subject(value="secret"),))


@pytest.fixture
def mixed(shelf, library, archive):
    """A book of both providers, with a subject from the archive only; and a book of the archive only.

    The archive forbids redistribution.
    """
    archive.give_on = False
    archive.save()
    both_books = shelf.book(shelf.record(archive, SECRET), shelf.record(library), record=SECRET)
    only_archive = shelf.book(shelf.record(archive, SECRET), record=SECRET)
    return both_books.pk, only_archive.pk


def hits(query: Query) -> list[int]:
    return [number for number, _score in get_index().search(permitted_books.restrict_to_permitted(query)).hits]


def test_only_permitted_books_are_found(mixed, library, archive):
    assert hits(Query(q="こころ")) == [mixed[0]]
    library.give_on = False
    library.save()
    assert hits(Query(q="こころ")) == []


def test_a_book_is_merged_from_the_permitted_records_only(mixed, library):
    [book] = permitted_books.books(mixed).values()
    assert [member.repository for member in book.members] == [library]
    assert [shelf.repositories for shelf in book.shelves] == [(library,)]
    assert book.record.subjects == ()
    assert permitted_books.as_permitted(book) == book


def test_books_that_are_permitted_as_they_are_need_no_second_query(shelf, library, django_assert_max_num_queries):
    number = shelf.book(shelf.record(library)).pk
    with django_assert_max_num_queries(8):
        assert list(permitted_books.books([number])) == [number]


def test_no_interface_serves_forbidden_data(client, mixed, archive):
    for path in ("/opensearch?q=こころ", "/feeds/search.atom?q=こころ", "/sru?query=こころ"):
        text = client.get(path).text
        assert ("こころ" in text, "secret" in text, archive.number in text) == (True, False, False), path
    public_id = SourceRecord.objects.filter(repository=archive).order_by("pk").last().public_id
    assert [client.get(f"/books/{public_id}.{ending}").status_code for ending in ("rdf", "json", "xml", "jsonld")] == [
        403
    ] * 4
    assert client.get(f"/books/{public_id}.ris").status_code == 200
