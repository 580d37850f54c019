"""Finds the protocol of a path and the correct reply to a request. Pure; no sockets, no faults."""

from datetime import datetime
from typing import Any

from sampleprovider import pages
from sampleprovider.protocols import live, marc_file
from sampleprovider.protocols.oai import answer
from sampleprovider.protocols.resourcesync import WELL_KNOWN, resourcesync, robots
from sampleprovider.protocols.rss import feed
from sampleprovider.replies import FILE, LIVE, OAI, RESOURCESYNC, RSS, Params, Reply, Request, Visits
from sampleprovider.source import DEFAULT_BASE, SampleSource

FEEDS = frozenset({"rss", "rss-full", "rss2", "rss2-full"})
# oai2 is the same interface at another address, the target of redirects.
INTERFACES = frozenset({"oai", "oai2"})
# Paths that are understood at the root of a server with a single source
SINGLE = INTERFACES | FEEDS | {WELL_KNOWN, "robots.txt"}


def route(
    source: SampleSource, path: str, params: Params, *, base: str, now: datetime, visits: Visits, **http: Any
) -> Request | None:
    """Return the request for a scenario, and count it; None if the path belongs to no protocol."""
    protocol = protocol_of(path)
    if not protocol:
        return None
    signature = (path, *(f"{name}={value}" for name, value in sorted(params)))
    visits.tries[signature] += 1
    arguments = dict(params)
    starts_list = protocol != OAI or (arguments.get("verb") == "ListRecords" and "resumptionToken" not in arguments)
    # An OAI-PMH interface has one list, whichever date window is requested.
    visits.lists["oai" if protocol == OAI else path] += starts_list
    return Request(
        protocol=protocol,
        path=path,
        source=source,
        base=base,
        responder=lambda request: correct_reply(request, now),
        params=params,
        visits=visits,
        tries=visits.tries[signature],
        lists=visits.lists["oai" if protocol == OAI else path],
        **http,
    )


def protocol_of(path: str) -> str:
    """Return the protocol of a path below a source, "" if there is none."""
    if path in INTERFACES:
        return OAI
    if path in FEEDS:
        return RSS
    if path == marc_file.NAME:
        return FILE
    if path in live.NAMES:
        return LIVE
    if path in (WELL_KNOWN, "robots.txt") or path.partition("/")[0] == "resourcesync":
        return RESOURCESYNC
    return ""


def correct_reply(request: Request, now: datetime) -> Reply:
    """Return the reply of a provider without faults. Links to the default address are changed to the server's own."""
    source, base = request.source, request.base
    if request.protocol == OAI:
        url = f"{base}/{source.name}/{request.path}"
        reply: Reply | None = Reply(answer(source, request.params, base_url=url, now=now))
    elif request.protocol == RSS:
        reply = feed(source, request.path, base, request.headers)
    elif request.protocol == FILE:
        reply = marc_file.marc_file(source, base)
    elif request.protocol == LIVE:
        reply = live.live(source, request.path, request.params, base)
    elif request.path == "robots.txt":
        reply = Reply(f"User-agent: *\n{robots(source, base)}".encode(), content_type="text/plain; charset=UTF-8")
    else:
        reply = resourcesync(source, request.path, base, now)
    reply = reply or pages.not_found()
    return reply.moved(DEFAULT_BASE, base) if base != DEFAULT_BASE else reply
