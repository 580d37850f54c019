"""The cover of a book, and the thumbnails of the face of NDL Search."""

from ipaddress import ip_address

import pytest
from django.core.cache import caches
from lxml import etree
from msgspec.structs import replace

from aggregator.catalogue.books import find_book
from aggregator.covers import pictures
from aggregator.covers.choice import addresses_of
from aggregator.views import image_budget
from core.http.rate_limit import Counts, RateLimit
from metadata.record import File
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

PICTURE = "https://pictures.example.jp/kokoro.jpg"


@pytest.fixture(autouse=True)
def asked(monkeypatch) -> list[str]:
    """The hosts that would be asked."""
    caches[pictures.CACHE].clear()
    hosts: list[str] = []

    class Nobody:
        def submit(self, host: str, _job: object) -> bool:
            hosts.append(host)
            return True

    monkeypatch.setattr(pictures, "POOL", Nobody())
    return hosts


def put(shelf, owner, **fields) -> str:
    described = replace(KOKORO, **fields)
    source = shelf.record(owner, described)
    shelf.book(source, record=described)
    return book_id(source)


def store(jpeg: bytes, address: str = PICTURE) -> None:
    caches[pictures.CACHE].set(pictures._key(pictures._name((address,))), jpeg)


def test_a_book_without_a_picture_has_a_drawn_cover(client, shelf, library, asked):
    answer = client.get(f"/books/{put(shelf, library)}/cover")
    assert answer["Content-Type"] == "image/svg+xml"
    assert "こころ" in etree.fromstring(answer.content).itertext()
    assert "max-age=86400" in answer["Cache-Control"]
    assert not asked


def test_until_its_picture_has_come_a_book_has_a_drawn_cover_for_a_short_time(client, shelf, library, asked):
    address = f"/books/{put(shelf, library, thumbnails=(PICTURE,))}/cover"
    answer = client.get(address)
    assert answer["Content-Type"] == "image/svg+xml"
    assert "max-age=20" in answer["Cache-Control"]
    assert asked == ["pictures.example.jp"]
    store(b"\xff\xd8 picture")
    answer = client.get(address)
    assert (answer["Content-Type"], answer.content) == ("image/jpeg", b"\xff\xd8 picture")


def test_a_network_that_had_many_pictures_fetched_sees_drawn_covers_for_a_while(
    client, shelf, library, asked, monkeypatch
):
    limit = RateLimit(Counts(""), "test-images", 1, 600)
    monkeypatch.setattr(image_budget, "_limit", lambda: limit)
    monkeypatch.setattr("aggregator.middleware.rate_budget.client_of", lambda request: ip_address("8.8.8.8"))
    first, second = (put(shelf, library, thumbnails=(f"https://pictures.example.jp/{name}.jpg",)) for name in "ab")
    answers = [client.get(f"/books/{book}/cover") for book in (first, second)]
    assert [answer["Content-Type"] for answer in answers] == ["image/svg+xml", "image/svg+xml"]
    assert "max-age=60" in answers[1]["Cache-Control"]
    assert len(asked) == 1


def test_a_picture_is_not_shown_if_its_provider_forbids_it(shelf, library, archive):
    manifest = (File(uri="https://iiif.example.jp/1", type="iiif"),)
    own = shelf.record(library, replace(KOKORO, thumbnails=(PICTURE,)))
    other = shelf.record(archive, replace(KOKORO, files=manifest))
    shelf.book(own, other, record=replace(KOKORO, thumbnails=(PICTURE,), files=manifest))
    number = book_id(own)
    assert addresses_of(find_book(number)) == (PICTURE, "https://iiif.example.jp/1")
    library.show_pictures = False
    library.save()
    assert addresses_of(find_book(number)) == ("https://iiif.example.jp/1",)


def test_the_source_of_the_operator_comes_last(shelf, library, settings):
    settings.COVER_SOURCE = "https://covers.example.org/{isbn}.jpg"
    number = put(shelf, library, thumbnails=(PICTURE,))
    assert addresses_of(find_book(number)) == (PICTURE, "https://covers.example.org/9784003101117.jpg")


def test_an_unknown_book_has_no_cover(client, db):
    assert client.get("/books/M999/cover").status_code == 404


def test_a_thumbnail_is_found_by_isbn(client, shelf, library):
    put(shelf, library, thumbnails=(PICTURE,))
    assert client.get("/thumbnail/9784003101117.jpg").status_code == 404
    store(b"\xff\xd8 picture")
    answer = client.get("/thumbnail/9784003101117.jpg")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")


def test_a_thumbnail_of_data_that_may_not_be_redistributed_is_not_given(client, shelf, library):
    put(shelf, library, thumbnails=(PICTURE,))
    store(b"\xff\xd8 picture")
    library.give_on = False
    library.save()
    assert client.get("/thumbnail/9784003101117.jpg").status_code == 404


@pytest.mark.parametrize("code", ["9784003101117", "9999999999100011000A", "4003101111", "x"])
def test_a_drawn_cover_is_no_thumbnail(client, shelf, library, code):
    put(shelf, library)
    assert client.get(f"/thumbnail/{code}.jpg").status_code == 404
