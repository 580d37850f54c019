"""The images of a book in a real browser: an ordered sheet, one image that comes while the page waits, keys."""

from functools import partial
from io import BytesIO
from time import sleep

import pytest
from django.core.cache import caches
from msgspec.structs import replace
from PIL import Image as Picture
from playwright.sync_api import expect

from aggregator.covers import pictures
from aggregator.covers.pictures import _key
from aggregator.viewer.images import WIDTHS, _encoder
from aggregator.viewer.manifest import Image, Manifest
from metadata.record import File, License
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import VIEWS
from tests.browser.test_results import check

pytestmark = pytest.mark.browser
MANIFEST = "https://iiif.example.jp/manifest.json"
PDM = "https://creativecommons.org/publicdomain/mark/1.0/"
IMAGES = tuple(
    Image(label=f"{place}丁", address=f"https://iiif.example.jp/{place}.jpg", width=4000, height=5600)
    for place in range(1, 31)
)


def jpeg(colour: str) -> bytes:
    output = BytesIO()
    Picture.new("RGB", (300, 420), colour).save(output, "JPEG")
    return output.getvalue()


@pytest.fixture
def images(shelf, library, monkeypatch) -> str:
    """The page with the images of a book. All have been fetched but the second in its usual size, which comes later."""
    cache = caches[pictures.CACHE]
    cache.clear()

    class Slow:
        def submit(self, _host: str, job: partial) -> bool:
            sleep(0.1)
            return bool(job)

    monkeypatch.setattr(pictures, "POOL", Slow())
    licences = (License(uri=PDM),)
    described = replace(KOKORO, files=(File(uri=MANIFEST, type="iiif"),), licenses=licences)
    source = shelf.record(library, described)
    shelf.book(source, record=described)
    manifest = Manifest(label="こころ", credit="例大学図書館所蔵", rights=(PDM,), images=IMAGES)
    cache.set(_key(f"manifest {MANIFEST}"), _encoder.encode(manifest))
    for place, image in enumerate(IMAGES):
        for width in WIDTHS:
            if (place, width) != (1, 900):
                cache.set(_key(f"image {width} {image.address}"), jpeg(("navy", "teal", "maroon")[place % 3]))
    yield f"/books/{book_id(source)}/images"
    cache.clear()


@VIEWS
def test_images_are_turned_and_enlarged_by_keys(visit, images, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(images, locale=locale, width=width, scheme=scheme)
    expect(page.locator(".sheet-of-images img")).to_have_count(24)
    check(axe, page, "sheet")
    page.locator(".sheet-of-images a").first.click()
    check(axe, page, "image")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/images/2")
    before = page.locator(".canvas img").bounding_box()
    expect(page.locator("[data-image-status]")).to_have_text(
        "The image is being fetched from the provider." if locale == "en" else "画像を提供元から取り寄せています。"
    )
    caches[pictures.CACHE].set(_key(f"image 900 {IMAGES[1].address}"), jpeg("teal"))
    expect(page.locator(".canvas img")).to_have_js_property("naturalWidth", 300)
    assert page.locator(".canvas img").bounding_box() == before  # nothing moves, though the image is smaller
    page.keyboard.press("+")
    page.wait_for_url("**/images/2?zoom=2")
    assert page.evaluate("document.querySelector('.canvas').scrollWidth") >= 1800
    check(axe, page, "enlarged")
    page.keyboard.press("-")
    page.wait_for_url("**/images/2")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/images/1")
    assert page.problems == []
