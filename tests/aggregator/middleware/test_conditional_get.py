"""Conditional requests: an unchanged page is answered with 304, a changed one is sent."""

import pytest

from aggregator.models import Manifestation
from harvesting.records.compression import pack_record
from metadata.record import BibliographicRecord, Title


@pytest.fixture
def book(shelf, library):
    source = shelf.record(library)
    shelf.book(source)
    return f"/books/{source.public_id}"


def again(client, path: str, **headers):
    """Make a request twice, the second time with the ETag of the first response; return the second response."""
    first = client.get(path, headers=headers)
    assert first.status_code == 200
    return client.get(path, headers={"If-None-Match": first["ETag"], **headers})


@pytest.mark.parametrize("ending", ["", ".json", ".rdf", ".xml", ".ris", ".bib", ".jsonld"])
def test_a_book_that_did_not_change_is_not_sent_again(client, book, ending):
    client.get(book)  # to have the cookies, as readers do
    answer = again(client, book + ending)
    assert (answer.status_code, answer.content) == (304, b"")
    assert "ETag" in answer


@pytest.mark.parametrize(
    "path",
    ["/repositories/", "/repositories/R900000001", "/repositories.json", "/robots.txt", "/feeds/search.atom?q=こころ"],
)
def test_other_public_pages_are_not_sent_again(client, book, path):
    client.get(path)
    assert again(client, path).status_code == 304


def test_a_changed_book_is_sent(client, book):
    tag = client.get(f"{book}.json")["ETag"]
    Manifestation.objects.update(record=pack_record(BibliographicRecord(titles=(Title(value="別の本"),))))
    answer = client.get(f"{book}.json", headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert "別の本" in answer.text


def test_each_language_has_its_own_tag(client, book):
    tags = {client.get(book, headers={"Accept-Language": language})["ETag"] for language in ("ja", "en")}
    assert len(tags) == 2


def test_pages_are_cached_by_the_browser_only_and_data_formats_by_any_cache(client, book):
    assert client.get(book)["Cache-Control"] == "private, no-cache"
    assert "public" in client.get(f"{book}.json")["Cache-Control"]
    assert "Cookie" in client.get(book)["Vary"]


@pytest.mark.parametrize("path", ["/search?q=x", "/admin/login/"])
def test_searches_and_staff_pages_have_no_etag(client, shelf, path):
    assert "ETag" not in client.get(path)


def test_error_pages_have_no_etag(client, book):
    assert "ETag" not in client.get(f"{book}?x=1")
    assert "ETag" not in client.get("/books/R900000001-Inone")
