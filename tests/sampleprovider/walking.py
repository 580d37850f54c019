"""Asking a server in this process, without sockets, everything that a harvester would ask."""

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
MOST = 9  # pages of one list


def replies(scenario: Scenario | None, protocol: str, adapt: Scenario | None = None) -> list[tuple]:
    """What is answered in two rounds, as comparable values."""
    source = trial_source(("oai_dc",))
    like = scenario or adapt
    source = like.adapt(source) if like and like.adapt else source
    with SampleServer((LOOPBACK, 0), [source], scenario) as server:
        base = server.base.encode()
        found = []
        for number in (1, 2):
            server.visits.round = number
            found += [plain(each, base) for each in asked(server, source, protocol)]
    return found


def plain(reply: Reply, base: bytes) -> tuple:
    body = re.sub(rb"<responseDate>20[^<]*Z<", b"<", reply.body.replace(base, b"http://base"))
    body = re.sub(rb'(at|completed)="[^"]*"', b"", body)
    headers = tuple(pair for pair in reply.headers if pair[0] not in ("ETag",))
    return reply.status, reply.content_type, re.sub(rb'hash="[^"]*"', b'hash=""', body), headers, reply.wire


def asked(server: SampleServer, source: SampleSource, protocol: str) -> Iterator[Reply]:
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
        for _ in range(MOST):
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
        for found in LOC.findall(reply.body)[:13]:
            yield get(server, f"/library/{found.decode()}")
            yield get(server, f"/library/{found.decode()}")
