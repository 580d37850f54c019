"""No document of a provider makes the parser or a transport open a file or a connection, or hang."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lxml import etree

from core.temporary_files import named
from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.registry.transport import ONE_TRY
from harvesting.transports.registry import TRANSPORTS, live_protocols
from harvesting.types import HarvestRequest, Pushed, Source, TransportError
from metadata.reading import read
from metadata.xml.parsing import XmlError, parse, serialise
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, serving
from tests.hostile.documents import Trap, document, traps
from tests.hostile.watch import Bait, sockets

TRAPS = traps()
SAMPLE = 16  # every sixteenth document runs through every transport every time
LONGEST = 120.0  # seconds; guards against hanging and says nothing about speed
SECRET = "LEAKED-7c1f"
PREFIXES = {"oai-pmh": "oai_dc", "file": "marc21", "rss": "rss", "resourcesync": "oai_dc", "push": "marc21"}
PREFIXES |= dict.fromkeys(live_protocols(), "")


@pytest.fixture(scope="module")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Bait]]:
    folder = tmp_path_factory.mktemp("bait")
    path = folder / "secret.dtd"
    path.write_text(f'<!ENTITY leak "{SECRET}"><!ATTLIST r leak CDATA "{SECRET}">')
    watched = Bait(folder)
    yield path, watched
    watched.close()


@pytest.fixture(scope="module")
def trap_server() -> Iterator[FakeServer]:
    """A server whose URL is in the documents and which must not be requested."""
    with serving() as fake:
        yield fake


@pytest.fixture
def provider() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


class Observed:
    """Runs a reader over a document and checks that it opened no file and no connection."""

    def __init__(self, bait: tuple[Path, Bait], server: FakeServer, note: Callable[[str, object], None]) -> None:
        self.path, self.watch = bait
        self.server, self.note = server, note
        self.asked = len(server.requests)

    def document(self, trap: Trap, protocol: str) -> bytes:
        return document(trap, protocol, str(self.path), self.server.url)

    def run(self, work: Callable[[], str], *allowed: object) -> None:
        self.watch.touched()
        started = time.monotonic()
        with sockets(*allowed) as watched:
            result = work()
        seconds = time.monotonic() - started
        self.note("figure", f"{seconds:.2f} s")
        assert watched.refused == []
        assert self.watch.touched() == 0
        assert len(self.server.requests) == self.asked
        assert SECRET not in result
        assert seconds <= LONGEST


@pytest.fixture
def observed(bait, trap_server: FakeServer, record_property: Callable[[str, object], None]) -> Observed:
    return Observed(bait, trap_server, record_property)


def parsed(data: bytes) -> str:
    try:
        root = parse(data)
    except XmlError as error:
        return error.reason
    assert not list(root.iter(etree.Entity))
    return serialise(root).decode()


def harvested(protocol: str, server: FakeServer, data: bytes) -> str:
    """Return everything that a harvest yields when every response is this document."""
    server.answers(Answer(data, headers={"Content-Type": "text/xml"}))
    policy = FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, deadline=LONGEST)
    found = []
    with Fetcher(policy) as fetcher, named(".xml") as file:
        file.write(data)
        file.flush()
        request = HarvestRequest(metadata_prefix=PREFIXES[protocol], pushed=Pushed(path=file.name))
        source = Source(base_url=f"{server.url}/feed?q={{words}}")
        transport = TRANSPORTS[protocol].make(source, fetcher, ONE_TRY)
        try:
            batches = transport.sampled(request, 50) if TRANSPORTS[protocol].is_live else transport.batches(request)
            for batch in batches:
                found += [record.payload.decode("utf-8", "replace") for record in batch.records]
                found += [repr(read(record.payload, PREFIXES[protocol])) for record in batch.records if record.payload]
                assert len(server.requests) < 200, "it never ends"
        except TransportError as error:
            found.append(error.message)
    return "\n".join(found)


@pytest.mark.parametrize("name", TRAPS)
def test_parse(name: str, observed: Observed) -> None:
    data = observed.document(TRAPS[name], "plain")
    observed.run(lambda: parsed(data))


@pytest.mark.parametrize("protocol", TRANSPORTS)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if number % SAMPLE else []) for number, name in enumerate(TRAPS)],
)
def test_harvest(name: str, protocol: str, observed: Observed, provider: FakeServer) -> None:
    data = observed.document(TRAPS[name], protocol)
    observed.run(lambda: harvested(protocol, provider, data), ("127.0.0.1", provider.port))


def test_the_watch_records_files_that_a_parser_opens(observed: Observed) -> None:
    """Check the watch itself: it records a file that a parser opens. Without this check, "no opened files" in the other
    tests would prove nothing.
    """
    data = observed.document(Trap('<!DOCTYPE r SYSTEM "%FILE%">', "&leak;"), "plain")
    parser = etree.XMLParser(resolve_entities=True, load_dtd=True)
    observed.watch.touched()
    assert SECRET in (etree.fromstring(data, parser).findtext("title") or "")
    assert observed.watch.touched() > 0
