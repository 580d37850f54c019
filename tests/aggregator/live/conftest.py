"""Fake catalogues that speak SRU, honest and hostile, and providers that are registered with them."""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

import pytest
from django.core.cache import caches
from django.http import HttpResponse
from django.test import RequestFactory

from aggregator.live import asking
from aggregator.middleware.reader_cookie import set_reader_cookie
from harvesting.models import Feed, Repository
from tests.aggregator.availability.conftest import AtOnce
from tests.harvesting.fakeserver import Answer, FakeServer, serving

SRW = "http://www.loc.gov/zing/srw/"
DC = "http://purl.org/dc/elements/1.1/"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"


def record(title: str, **fields: str) -> str:
    """A record in Dublin Core. fields: name of the element -> text."""
    inner = "".join(f"<dc:{name}>{escape(text)}</dc:{name}>" for name, text in {"title": title, **fields}.items())
    return f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}">{inner}</oai_dc:dc>'


def found(records: Iterable[str], total: object = None, links: Iterable[str] = ()) -> Answer:
    """An answer of SRU 1.1."""
    listed, addresses = list(records), list(links)
    inner = "".join(
        f"<record><recordSchema>info:srw/schema/1/dc-v1.1</recordSchema><recordData>{one}</recordData>"
        f"<recordIdentifier>{escape(addresses[place]) if place < len(addresses) else ''}</recordIdentifier></record>"
        for place, one in enumerate(listed)
    )
    number = len(listed) if total is None else total
    body = (
        f'<searchRetrieveResponse xmlns="{SRW}"><version>1.1</version><numberOfRecords>{number}</numberOfRecords>'
        f"<records>{inner}</records></searchRetrieveResponse>"
    )
    return Answer(body.encode(), headers={"Content-Type": "application/xml"})


def registered(server: FakeServer, number: str = "R900000101", protocol: str = "live-sru", **options) -> Repository:
    """Register a provider that is a live source, whose catalogue is the fake server."""
    made = Repository.objects.create(
        number=number, name=f"外国図書館{number[-2:]}", name_en=f"Foreign Library {number[-2:]}", state="live"
    )
    Feed.objects.create(
        repository=made, protocol=protocol, base_url=f"{server.url}/sru", live_options={"rate": 5.0, **options}
    )
    return made


@pytest.fixture(autouse=True)
def _no_answers() -> Iterator[None]:
    for name in (asking.CACHE, "default"):
        caches[name].clear()
    yield
    for name in (asking.CACHE, "default"):
        caches[name].clear()


@pytest.fixture
def pool(monkeypatch) -> AtOnce:
    at_once = AtOnce()
    monkeypatch.setattr(asking, "POOL", at_once)
    return at_once


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        fake.answers(found([record("こころ", creator="夏目漱石", date="1914")], total=7))
        yield fake


@pytest.fixture
def source(db, server) -> Repository:
    return registered(server)


@pytest.fixture
def reader(client):
    """A client with the cookie of a reader who has seen a page of results."""
    answer = HttpResponse()
    set_reader_cookie(RequestFactory().get("/"), answer)
    client.cookies["reader"] = answer.cookies["reader"].value
    return client
