"""Sends a server in this process all requests of a harvester, without sockets."""

import re
from collections.abc import Iterator

from sampleprovider.replies import OAI, RSS, Reply
from sampleprovider.scenarios import Scenario
from sampleprovider.scenarios.edits import TOKEN
from sampleprovider.server import LOOPBACK, SampleServer
from sampleprovider.source import SampleSource
from sampleprovider.trial import trial_source

LISTS = "/library/resourcesync/oai_dc"
LOC = re.compile(rb"<loc>[^<]*/library/([^<?]*)")
HEADERS = {"cookie": ""}
MAX_PAGES = 9  # pages of one list


def replies(scenario: Scenario | None, protocol: str, adapt: Scenario | None = None) -> list[tuple]:
    """The replies of two harvests as comparable values."""
    source = trial_source(("oai_dc",))
    model = scenario or adapt
    source = model.adapt(source) if model and model.adapt else source
    with SampleServer((LOOPBACK, 0), [source], scenario) as server:
        base = server.base.encode()
        result = []
        for number in (1, 2):
            server.visits.round = number
            result += [plain(reply, base) for reply in harvested(server, source, protocol)]
    return result


def plain(reply: Reply, base: bytes) -> tuple:
    body = re.sub(rb"<responseDate>20[^<]*Z<", b"<", reply.body.replace(base, b"http://base"))
    body = re.sub(rb'(at|completed)="[^"]*"', b"", body)
    headers = tuple(pair for pair in reply.headers if pair[0] not in ("ETag",))
    return reply.status, reply.content_type, re.sub(rb'hash="[^"]*"', b'hash=""', body), headers, reply.wire


def harvested(server: SampleServer, source: SampleSource, protocol: str) -> Iterator[Reply]:
    if protocol == OAI:
        yield from oai(server)
    elif protocol == RSS:
        for name in ("rss", "rss-full", "rss2", "rss2-full"):
            for _ in range(2):
                yield get(server, f"/library/{name}")
    else:
        yield from resourcesync(server)


def get(server: SampleServer, path: str, **params: str) -> Reply:
    pairs = [(name.rstrip("_"), value) for name, value in params.items()]
    return server.reply(path, pairs, method="GET", headers=HEADERS)


def oai(server: SampleServer) -> Iterator[Reply]:
    for verb in ("Identify", "ListSets"):
        yield get(server, "/library/oai", verb=verb)
    for prefix, window in (("oai_dc", {}), ("oai_dc", {"from_": "2024-12-15T09:00:00Z"})):
        reply = get(server, "/library/oai", verb="ListRecords", metadataPrefix=prefix, **window)
        yield reply
        for _ in range(MAX_PAGES):
            token = TOKEN.search(reply.body)
            if not token or not token[2].strip():
                break
            for _ in range(3):
                reply = get(server, "/library/oai", verb="ListRecords", resumptionToken=token[2].decode())
                yield reply


def resourcesync(server: SampleServer) -> Iterator[Reply]:
    lists = [f"{LISTS}/{name}.xml" for name in ("capabilitylist", "resourcelist", "changelist", "resourcedump")]
    for path in ("/.well-known/resourcesync", "/robots.txt", *lists, f"{LISTS}/resourcedump.zip"):
        for _ in range(2):
            reply = get(server, path)
            yield reply
        for location in LOC.findall(reply.body)[:13]:
            yield get(server, f"/library/{location.decode()}")
            yield get(server, f"/library/{location.decode()}")
