"""Pictures at other addresses: fetched once, in the background, through the guarded fetch."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO

import pytest
from django.core.cache import caches
from PIL import Image

from aggregator.covers import pictures
from aggregator.covers.pictures import MAX_BYTES, State, look_up
from tests.harvesting.fakeserver import Answer, FakeServer, serving


class Later:
    """Replaces the pool of threads: jobs wait until the test runs them."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], None]] = []

    def submit(self, _host: str, job: Callable[[], None]) -> bool:
        self.jobs.append(job)
        return True

    def run(self) -> None:
        while self.jobs:
            self.jobs.pop()()


def allowed() -> bool:
    return True


def jpeg() -> bytes:
    output = BytesIO()
    Image.new("RGB", (300, 400), "navy").save(output, "JPEG")
    return output.getvalue()


@pytest.fixture(autouse=True)
def pool(monkeypatch) -> Later:
    caches[pictures.CACHE].clear()
    later = Later()
    monkeypatch.setattr(pictures, "POOL", later)
    return later


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        fake.answers(Answer(jpeg(), headers={"Content-Type": "image/jpeg"}))
        yield fake


def test_a_picture_is_fetched_once_and_in_the_background(server, pool):
    addresses = [f"{server.url}/1.jpg"]
    assert look_up(addresses, allowed).state is State.COMING
    assert look_up(addresses, allowed).state is State.COMING
    assert len(pool.jobs) == 1
    assert not server.requests
    pool.run()
    found = look_up(addresses, allowed)
    assert found.state is State.THERE
    assert found.data.startswith(b"\xff\xd8")
    assert len(server.requests) == 1


def test_the_next_address_is_tried_if_the_first_has_no_picture(server, pool):
    server.answers(Answer(status=404), Answer(jpeg()))
    addresses = [f"{server.url}/1.jpg", f"{server.url}/2.jpg"]
    look_up(addresses, allowed)
    pool.run()
    assert look_up(addresses, allowed).state is State.THERE


def test_a_manifest_leads_to_its_first_picture(server, pool):
    manifest = json.dumps({"items": [{"thumbnail": [{"id": f"{server.url}/page1.jpg"}]}]})
    server.answers(Answer(manifest.encode()), Answer(jpeg()))
    look_up([f"{server.url}/manifest"], allowed)
    pool.run()
    assert look_up([f"{server.url}/manifest"], allowed).state is State.THERE
    assert [request.raw_path for request in server.requests] == ["/manifest", "/page1.jpg"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=404),
        Answer(b"<html>"),
        Answer(b"x" * (MAX_BYTES + 1)),
        Answer(b"<svg xmlns='http://www.w3.org/2000/svg'/>", headers={"Content-Type": "image/svg+xml"}),
        Answer(json.dumps({"thumbnail": "http://169.254.169.254/latest/"}).encode()),
        Answer(status=302, headers={"Location": "http://10.0.0.1/"}),
    ],
    ids=["404", "html", "large", "svg", "manifest to a private address", "redirect to a private address"],
)
def test_what_is_no_picture_is_not_asked_for_again_at_once(server, pool, answer):
    server.answers(answer)
    look_up([f"{server.url}/1.jpg"], allowed)
    pool.run()
    assert look_up([f"{server.url}/1.jpg"], allowed).state is State.NONE
    assert not pool.jobs


def test_a_private_address_is_never_asked(pool):
    look_up(["http://192.168.0.1/cover.jpg"], allowed)
    pool.run()
    assert look_up(["http://192.168.0.1/cover.jpg"], allowed).state is State.NONE
