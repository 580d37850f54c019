"""Pages are sent compressed, but not to people with a session, and data is not."""

import gzip

import pytest
from django.http import HttpResponse
from django.middleware.csrf import get_token

from aggregator.middleware.compression import SHORT, CompressionMiddleware
from aggregator.middleware.refusals import busy

GZIP = {"accept-encoding": "gzip"}


@pytest.fixture
def book(shelf, library) -> str:
    source = shelf.record(library)
    shelf.book(source)
    return f"/books/{source.public_id}"


def test_pages_are_compressed_for_browsers_that_can_read_it(client, book):
    plain, packed = client.get(book), client.get(book, headers=GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in plain["Vary"] and "Accept-Encoding" in packed["Vary"]
    assert "こころ" in gzip.decompress(packed.content).decode()
    assert len(packed.content) < len(plain.content) / 3


def test_a_compressed_page_is_not_sent_again_if_it_did_not_change(client, book):
    client.get(book)
    tag = client.get(book, headers=GZIP)["ETag"]
    assert client.get(book, headers={**GZIP, "if-none-match": tag}).status_code == 304


def test_short_pages_such_as_refusals_are_not_compressed(rf):
    request = rf.get("/search?q=a", headers=GZIP)
    for length, encoding in ((SHORT - 1, None), (SHORT, "gzip")):
        answer = CompressionMiddleware(lambda _request, page="a" * length: HttpResponse(page))(request)
        assert answer.get("Content-Encoding") == encoding
    assert len(busy(request).content) < SHORT


def test_nothing_is_compressed_for_people_who_are_logged_in(client, book, django_user_model):
    client.force_login(django_user_model.objects.create_user("taro"))
    assert "Content-Encoding" not in client.get(book, headers=GZIP)


@pytest.mark.parametrize("ending", [".json", ".rdf", "/cover"])
def test_data_and_covers_are_left_to_a_web_server_in_front(client, book, ending):
    assert "Content-Encoding" not in client.get(book + ending, headers=GZIP)


def test_lengths_say_nothing_about_the_csrf_token(rf):
    """Django masks it with new random bytes in every response."""
    request = rf.get("/login")
    assert len({get_token(request) for _ in range(20)}) == 20
