"""Manifests and images come through this site: fetched in the background, once, through the guarded fetch."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO

import pytest
from django.core.cache import caches
from PIL import Image as Picture

from aggregator.covers import pictures
from aggregator.covers.pictures import State
from aggregator.viewer.images import find_image, find_manifest, levels
from aggregator.viewer.manifest import Image, Manifest
from tests.harvesting.fakeserver import Answer, FakeServer, serving


@pytest.fixture(autouse=True)
def jobs(monkeypatch) -> list[Callable[[], None]]:
    """The jobs that would be run by the threads of the pool."""
    caches[pictures.CACHE].clear()
    waiting: list[Callable[[], None]] = []

    class Later:
        def submit(self, _host: str, job: Callable[[], None]) -> bool:
            waiting.append(job)
            return True

    monkeypatch.setattr(pictures, "POOL", Later())
    return waiting


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def allowed() -> bool:
    return True


def jpeg(width: int, height: int) -> bytes:
    output = BytesIO()
    Picture.new("RGB", (width, height), "navy").save(output, "JPEG")
    return output.getvalue()


def test_a_manifest_is_fetched_once(server, jobs):
    photo = "https://iiif.example.jp/1.jpg"
    server.answers(Answer(json.dumps({"items": [{"items": [{"items": [{"body": {"id": photo}}]}]}]}).encode()))
    assert find_manifest(f"{server.url}/m", allowed) == (State.COMING, Manifest())
    assert find_manifest(f"{server.url}/m", allowed) == (State.COMING, Manifest())
    jobs.pop()()
    assert not jobs
    assert find_manifest(f"{server.url}/m", allowed) == (State.THERE, Manifest(images=(Image(address=photo),)))
    assert len(server.requests) == 1


def test_an_image_is_asked_for_in_the_size_of_its_service_and_made_smaller(server, jobs):
    image = Image(address=f"{server.url}/1.jpg", service=f"{server.url}/1")
    server.answers(Answer(json.dumps({"profile": "level2", "width": 3000}).encode()), Answer(jpeg(1000, 1400)))
    assert find_image(image, 900, allowed).state is State.COMING
    jobs.pop()()
    found = find_image(image, 900, allowed)
    assert [request.raw_path for request in server.requests] == ["/1/info.json", "/1/full/900,/0/default.jpg"]
    with Picture.open(BytesIO(found.data)) as shown:
        assert shown.size == (900, 1260)


def test_a_service_that_says_nothing_does_not_hide_the_image(server, jobs):
    image = Image(address=f"{server.url}/1.jpg", service=f"{server.url}/1")
    server.answers(Answer(status=404), Answer(jpeg(300, 400)))
    find_image(image, 900, allowed)
    jobs.pop()()
    assert find_image(image, 900, allowed).state is State.THERE


@pytest.mark.parametrize("address", ["http://169.254.169.254/latest", "http://10.0.0.1/1.jpg"])
def test_private_addresses_are_never_asked(address, jobs):
    find_image(Image(address=address), 900, allowed)
    jobs.pop()()
    assert find_image(Image(address=address), 900, allowed).state is State.NONE


def test_what_lists_no_image_is_no_manifest(server, jobs):
    server.answers(Answer(b"{}"))
    find_manifest(f"{server.url}/m", allowed)
    jobs.pop()()
    assert find_manifest(f"{server.url}/m", allowed)[0] is State.NONE


@pytest.mark.parametrize(("width", "last"), [(0, 3), (300, 1), (901, 2), (4000, 3)])
def test_an_image_is_not_magnified_beyond_its_pixels(width, last):
    assert levels(Image(width=width))[-1] == last
