"""Which protocol a path belongs to, and the right reply to it. Pure; knows no socket and no fault."""

from datetime import datetime
from typing import Any

from sampleprovider import pages
from sampleprovider.oai import answer
from sampleprovider.replies import OAI, RESOURCESYNC, RSS, Asked, Params, Reply, Visits
from sampleprovider.resourcesync import WELL_KNOWN, resourcesync, robots
from sampleprovider.rss import feed
from sampleprovider.source import DEFAULT_BASE, SampleSource

FEEDS = frozenset({"rss", "rss-full", "rss2", "rss2-full"})
# oai2 is the same interface at another address: where redirects lead.
INTERFACES = frozenset({"oai", "oai2"})
# What is understood at the root of a server with one source
SINGLE = INTERFACES | FEEDS | {WELL_KNOWN, "robots.txt"}


def route(
    source: SampleSource, path: str, params: Params, *, base: str, now: datetime, visits: Visits, **how: Any
) -> Asked | None:
    """The request as a scenario sees it, counted; None where no protocol is spoken at this path."""
    protocol = protocol_of(path)
    if not protocol:
        return None
    request = (path, *(f"{name}={value}" for name, value in sorted(params)))
    visits.tries[request] += 1
    arguments = dict(params)
    begins = protocol != OAI or (arguments.get("verb") == "ListRecords" and "resumptionToken" not in arguments)
    # The list of an interface: whatever window of it is asked for
    visits.lists["oai" if protocol == OAI else path] += begins
    return Asked(
        protocol=protocol,
        path=path,
        source=source,
        base=base,
        answering=lambda asked: right_reply(asked, now),
        params=params,
        visits=visits,
        tries=visits.tries[request],
        lists=visits.lists["oai" if protocol == OAI else path],
        **how,
    )


def protocol_of(path: str) -> str:
    """The protocol spoken at a path below a source, "" for none."""
    if path in INTERFACES:
        return OAI
    if path in FEEDS:
        return RSS
    if path in (WELL_KNOWN, "robots.txt") or path.partition("/")[0] == "resourcesync":
        return RESOURCESYNC
    return ""


def right_reply(asked: Asked, now: datetime) -> Reply:
    """What a provider without fault answers. Links written for the default address lead to the server's own."""
    source, base = asked.source, asked.base
    if asked.protocol == OAI:
        url = f"{base}/{source.name}/{asked.path}"
        found: Reply | None = Reply(answer(source, asked.params, base_url=url, now=now))
    elif asked.protocol == RSS:
        found = feed(source, asked.path, base, asked.headers)
    elif asked.path == "robots.txt":
        found = Reply(f"User-agent: *\n{robots(source, base)}".encode(), content_type="text/plain; charset=UTF-8")
    else:
        found = resourcesync(source, asked.path, base, now)
    found = found or pages.not_found()
    return found.moved(DEFAULT_BASE, base) if base != DEFAULT_BASE else found
