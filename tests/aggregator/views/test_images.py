"""The pages with the images of a book."""

from ipaddress import ip_address

import pytest
from django.core.cache import caches
from msgspec.structs import replace

from aggregator.covers import pictures
from aggregator.covers.pictures import _key
from aggregator.viewer.images import _encoder
from aggregator.viewer.manifest import Image, Manifest
from aggregator.views import image_budget
from core.http.rate_limit import Counts, RateLimit
from metadata.record import File, License
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

MANIFEST = "https://iiif.example.jp/manifest.json"
PDM = "https://creativecommons.org/publicdomain/mark/1.0/"
IN_COPYRIGHT = "https://rightsstatements.org/vocab/InC/1.0/"
IMAGES = tuple(Image(label=f"<{place}>丁", address=f"https://iiif.example.jp/{place}.jpg", width=2000, height=1000)
               for place in range(1, 31))  # fmt: skip


@pytest.fixture(autouse=True)
def asked(monkeypatch) -> list[str]:
    """The hosts to which a request would be sent."""
    caches[pictures.CACHE].clear()
    hosts: list[str] = []

    class Nobody:
        def submit(self, host: str, _job: object) -> bool:
            hosts.append(host)
            return True

    monkeypatch.setattr(pictures, "POOL", Nobody())
    return hosts


@pytest.fixture
def page(shelf, library) -> str:
    return put(shelf, library, PDM)


def put(shelf, owner, licence: str) -> str:
    licences = (License(uri=licence),) if licence else ()
    described = replace(KOKORO, files=(File(uri=MANIFEST, type="iiif"),), licenses=licences, rights=())
    source = shelf.record(owner, described)
    shelf.book(source, record=described)
    return f"/books/{book_id(source)}"


def store(**fields: object) -> None:
    manifest = Manifest(**{"images": IMAGES, **fields})
    caches[pictures.CACHE].set(_key(f"manifest {MANIFEST}"), _encoder.encode(manifest))


def test_all_images_are_shown_in_order_with_their_labels(client, page):
    store(credit="例大学図書館", rights=(PDM,))
    first, second = (client.get(f"{page}/images", {"page": number}).content.decode() for number in (1, 2))
    assert "画像30件" in first
    assert first.index("&lt;1&gt;丁") < first.index("&lt;2&gt;丁") < first.index("&lt;24&gt;丁")
    assert "&lt;25&gt;丁" in second
    assert "&lt;24&gt;丁" not in second
    assert "例大学図書館" in first
    assert PDM in first
    assert "https://iiif.example.jp/1.jpg" not in first  # the reader's browser asks this site only


def test_one_image_has_links_to_its_neighbours_and_to_larger_ones(client, page):
    store()
    shown = client.get(f"{page}/images/2", {"zoom": 2}).content.decode()
    for link in (f"{page}/images/1?zoom=2", f"{page}/images/3?zoom=2", f"{page}/images/2?zoom=3", f"{page}/images"):
        assert f'href="{link}"' in shown
    assert f'src="{page}/images/2-1800.jpg" width="1800" height="900"' in shown


def test_an_image_is_empty_until_it_has_come(client, page, asked):
    store()
    coming = client.get(f"{page}/images/1-900.jpg")
    assert (coming["Content-Type"], coming["Cache-Control"]) == ("image/svg+xml", "no-store")
    assert b'width="900" height="450"' in coming.content  # in its shape, so that nothing moves when it comes
    assert asked == ["iiif.example.jp"]
    caches[pictures.CACHE].set(_key(f"image 900 {IMAGES[0].address}"), b"\xff\xd8 picture")
    there = client.get(f"{page}/images/1-900.jpg")
    assert (there["Content-Type"], there.content) == ("image/jpeg", b"\xff\xd8 picture")
    caches[pictures.CACHE].set(_key(f"image 900 {IMAGES[1].address}"), pictures._NONE)
    assert client.get(f"{page}/images/2-900.jpg").status_code == 404


def test_until_the_manifest_has_come_the_page_says_so(client, page):
    assert "取り寄せています" in client.get(f"{page}/images").content.decode()
    assert client.get(f"{page}/images/1")["Location"] == f"{page}/images"


def test_a_network_can_have_so_many_images_fetched_and_sees_the_others_without_limit(client, page, asked, monkeypatch):
    store()
    limit = RateLimit(Counts(""), "test-images", 2, 600)
    monkeypatch.setattr(image_budget, "_limit", lambda: limit)
    monkeypatch.setattr("aggregator.middleware.rate_budget.client_of", lambda request: ip_address("8.8.8.8"))
    caches[pictures.CACHE].set(_key(f"image 900 {IMAGES[3].address}"), b"\xff\xd8 picture")
    answers = [client.get(f"{page}/images/{place}-900.jpg") for place in (1, 1, 2, 3, 4, 1)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 200, 200]
    assert answers[3]["Retry-After"]
    assert len(asked) == 2


@pytest.mark.parametrize("address", ["images/31", "images/31-900.jpg", "images/1-901.jpg", "images/1-9999.jpg"])
def test_there_are_only_the_images_and_widths_of_the_page(client, page, address, asked):
    store()
    assert client.get(f"{page}/{address}").status_code == 404
    assert not asked


def test_images_whose_licence_forbids_it_are_not_shown(client, page, asked):
    store(rights=(IN_COPYRIGHT,))
    assert "ライセンスにより" in client.get(f"{page}/images").content.decode()
    assert client.get(f"{page}/images/1-900.jpg").status_code == 404
    assert not asked


@pytest.mark.parametrize("licence", ["", IN_COPYRIGHT])
def test_without_an_open_licence_the_book_leads_to_the_provider_only(client, shelf, library, licence):
    page = put(shelf, library, licence)
    assert f"{page}/images" not in client.get(page).content.decode()
    assert client.get(f"{page}/images").status_code == 404


def test_the_page_of_a_book_leads_to_its_images(client, page, library):
    assert f'href="{page}/images"' in client.get(page).content.decode()
    library.show_pictures = False
    library.save()
    assert client.get(f"{page}/images").status_code == 404
