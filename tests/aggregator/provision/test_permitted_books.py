"""What a provider does not want to be given on is neither found by other services nor shown to them."""

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
    """A book that both describe, the archive with a subject of its own; and one that only the archive has."""
    archive.give_on = False
    archive.save()
    both = shelf.book(shelf.record(archive, SECRET), shelf.record(library), record=SECRET)
    alone = shelf.book(shelf.record(archive, SECRET), record=SECRET)
    return both.pk, alone.pk


def found(query: Query) -> list[int]:
    return [number for number, _score in get_index().search(permitted_books.searchable(query)).hits]


def test_only_what_may_be_given_on_is_found(mixed, library, archive):
    assert found(Query(q="こころ")) == [mixed[0]]
    library.give_on = False
    library.save()
    assert found(Query(q="こころ")) == []


def test_a_book_is_given_as_the_others_describe_it(mixed, library):
    [book] = permitted_books.books(mixed).values()
    assert [each.repository for each in book.descriptions] == [library]
    assert book.record.subjects == ()
    assert permitted_books.as_given(book) == book


def test_where_all_give_nothing_is_asked_twice(shelf, library, django_assert_max_num_queries):
    number = shelf.book(shelf.record(library)).pk
    with django_assert_max_num_queries(4):
        assert list(permitted_books.books([number])) == [number]


def test_no_door_for_programs_gives_it(client, mixed, archive):
    for path in ("/opensearch?q=こころ", "/feeds/search.atom?q=こころ", "/sru?query=こころ"):
        text = client.get(path).text
        assert ("こころ" in text, "secret" in text, archive.number in text) == (True, False, False), path
    own = SourceRecord.objects.filter(repository=archive).order_by("pk").last().public_id
    assert [client.get(f"/books/{own}.{ending}").status_code for ending in ("rdf", "json", "xml", "jsonld")] == [
        403
    ] * 4
    assert client.get(f"/books/{own}.ris").status_code == 200
