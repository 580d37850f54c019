"""Scenarios about ResourceSync documents and resources (faults.md: Q1 to Q6)."""

import re
from dataclasses import replace

from sampleprovider.pages import not_found
from sampleprovider.protocols.resourcesync import WELL_KNOWN
from sampleprovider.replies import RESOURCESYNC, Reply, Request
from sampleprovider.scenarios.base import (
    COMPLETE,
    FULL,
    HELD,
    INCREMENTAL,
    REJECTED,
    REPAIRED,
    Change,
    Expected,
    Fault,
    Scenario,
    body,
    fails,
    later,
    no_fault,
    row,
    status,
)
from sampleprovider.scenarios.edits import (
    URL,
    Edit,
    as_deleted,
    edited,
    from_source,
    now,
    one_record,
    target,
    with_records,
)
from sampleprovider.scenarios.http import MAINTENANCE
from sampleprovider.source import SampleRecord, SampleSource
from sampleprovider.wire import reset_at_once, sent_by

RESOURCE_LIST, CHANGE_LIST = "resourcelist.xml", "changelist.xml"
UPDATED, REMOVED = 4, 7
DUMPS = re.compile(rb"<url><loc>[^<]*/(?:resourcedump|changedump)\.xml</loc>.*?</url>\n")


def on(name: str, change: Change, times: int = 0) -> Fault:
    """Apply the change to one document. times: only the first tries, 0 = always."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        applies = request.path.endswith(name) and not (times and request.tries > times)
        return change(request, reply) if applies else reply

    return fault


def resource(change: Change, times: int = 0) -> Fault:
    """Apply the change to the content of one record. times: how many requests are answered so; 0 = all."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        applies = request.path.endswith(f"resources/{target(request).local_id}.xml")
        return change(request, reply) if applies and not (times and request.tries > times) else reply

    return fault


def with_changes(fault: Fault = no_fault) -> Fault:
    """In the second harvest one record is changed and one is deleted."""

    def wrapped(request: Request) -> Reply:
        if request.round < 2:
            return fault(request)
        when = request.visits.memory.setdefault("changed", now())
        return fault(replace(request, source=with_changed_records(request.source, when)))

    return wrapped


def with_changed_records(source: SampleSource, when: str) -> SampleSource:
    """The source after one record was changed and one deleted, at the time `when`."""

    def change(records: list[SampleRecord]) -> list[SampleRecord]:
        records[REMOVED] = as_deleted(records[REMOVED], when)
        payloads = {name: _retitled(content) for name, content in records[UPDATED].payloads.items()}
        records[UPDATED] = replace(records[UPDATED], datestamp=when, payloads=payloads)
        return records

    return with_records(change)(source)


def _retitled(content: bytes) -> bytes:
    return content.replace(b"<dc:title>", "<dc:title>改訂 ".encode(), 1)


def reordered(document: bytes) -> bytes:
    """The entries in reverse order."""
    entries = URL.findall(document)
    return document.replace(b"".join(entries), b"".join(reversed(entries)))


def repeated(request: Request) -> Reply:
    """The deleted record has an earlier change too: two entries for one resource."""
    reply = request.answer()
    if not request.path.endswith(CHANGE_LIST) or request.round < 2:
        return reply
    deletions = [entry for entry in URL.findall(reply.body) if b'change="deleted"' in entry]
    updates = [re.sub(rb'change="deleted"', b'change="updated"', entry) for entry in deletions]
    return reply.replaced(deletions[0], updates[0] + deletions[0])


def looping(request: Request, reply: Reply) -> Reply:
    """An index that lists itself."""
    url = f"{request.base}/{request.source.name}/{request.path}".encode()
    return index_of(reply, url)


def nested(request: Request) -> Reply:
    """An index of indexes: the specification allows only one level."""
    reply = request.answer(path=request.path.replace("-inner", ""))
    if request.path.endswith(RESOURCE_LIST) and "-inner" not in request.path:
        inner = f"{request.base}/{request.source.name}/{request.path.removesuffix('.xml')}-inner.xml".encode()
        return index_of(reply, inner)
    return reply


def lists_only(fault: Fault) -> Fault:
    """Offer no dumps, so that the lists must be read."""

    def without_dumps(request: Request) -> Reply:
        reply = fault(request)
        return replace(reply, body=DUMPS.sub(b"", reply.body)) if b'"capabilitylist"' in reply.body else reply

    return without_dumps


def index_of(reply: Reply, url: bytes) -> Reply:
    """A Resource List Index with one entry."""
    top, _, _ = re.sub(rb"<urlset|<sitemapindex", b"<sitemapindex", reply.body).partition(b"<url>")
    top = top.partition(b"<sitemap>")[0]
    return replace(reply, body=top + b"<sitemap><loc>" + url + b"</loc></sitemap></sitemapindex>")


def without(*names: str) -> Fault:
    """These documents do not exist."""
    return lambda request: not_found() if request.path.endswith(names) else request.answer()


def at_first(fault: Fault) -> Fault:
    """Apply the fault in the first harvest only."""
    return lambda request: fault(request) if request.round == 1 else request.answer()


def odd_names(request: Request) -> Reply:
    """No file has a name as in the examples of the specification."""
    path = request.path.replace("show/one", "capabilitylist.xml").replace("show/two", RESOURCE_LIST)
    reply = request.answer(path=path.replace("show/three", CHANGE_LIST))
    pairs = ((b"capabilitylist.xml", b"show/one?f=x&amp;p=1"), (b"resourcelist.xml", b"show/two?f=x"))
    for old, new in (*pairs, (b"changelist.xml", b"show/three")):
        reply = reply.replaced(old, new)
    return reply


def elsewhere(entry: bytes) -> bytes:
    """The resource is on another host."""
    return re.sub(rb"<loc>http://[^/]*", b"<loc>http://elsewhere.example", entry)


def entity(request: Request, reply: Reply) -> Reply:
    """An external entity that the parser would have to fetch."""
    declared = f'<!DOCTYPE urlset [<!ENTITY a SYSTEM "{request.base}/forbidden">]>\n<urlset'.encode()
    return reply.replaced(b"<urlset", declared, 1).replaced(b"<loc>", b"<loc>&a;", 1)


def on_entry(edit: Edit) -> Fault:
    """Edit one entry of the lists."""
    return one_record(edit)


def sub(pattern: bytes, new: bytes) -> Change:
    """Replace the matches of a pattern."""
    return edited(lambda document: re.sub(pattern, new, document))


def with_short_lists(source: SampleSource) -> SampleSource:
    """Return the source with lists that are so short that there is an index of them."""
    return replace(source, records=source.holdings, list_size=5)


def fewer(count: int) -> Fault:
    """In the second harvest only the first `count` records are left."""
    return later(from_source(with_records(lambda records: records[:count])))


BAD_LIST = fails("rs.", "resourcesync.", "xml.", "http.", "run.", requests=60)
LOOPS = Expected(states=("failed", "succeeded"), codes=("rs.", "resourcesync."), live="any", reported=True, requests=60)
NEWS = Expected(gone=(REMOVED,))
KEPT = Expected(states=("paused", "succeeded", "failed"), live="all", reported=True)
WITH_UPDATE = {"runs": (FULL, INCREMENTAL)}
TWICE = {"runs": (FULL, FULL)}
AT_LIST = {"feed": {"base_url": "{base}/{name}/resourcesync/oai_dc/resourcelist.xml"}}
AT_CAPABILITIES = {"feed": {"base_url": "{base}/{name}/resourcesync/oai_dc/capabilitylist.xml"}}


def _row(number: str, name: str, fault: Fault, expected: Expected, **more: object) -> Scenario:
    return row(number, f"rs-{name}", lists_only(fault), expected, protocol=RESOURCESYNC, **more)


LISTS = (
    _row("Q1", "hash-untrue", resource(edited(lambda content: content + b"<!-- changed -->")), REJECTED),
    _row("Q1", "hash-untrue-once", resource(edited(lambda content: content + b"<!-- changed -->"), 1), COMPLETE),
    _row("Q1", "length-untrue", on_entry(lambda entry: re.sub(rb'length="\d+"', b'length="7"', entry)), REPAIRED),
    _row("Q1", "hash-none", on(RESOURCE_LIST, sub(rb' (?:hash|length)="[^"]*"', b"")), COMPLETE),
    _row("Q1", "hash-unknown", on(RESOURCE_LIST, sub(b'hash="sha-256:', b'hash="whirlpool:')), COMPLETE),
    _row("Q2", "resource-404", resource(status(404)), REJECTED),
    _row("Q2", "resource-500", resource(status(500), 1), COMPLETE),
    _row(
        "Q2",
        "resource-500-for-ever",
        resource(status(500)),
        Expected(states=("succeeded", "failed", "paused"), live="any", reported=True),
    ),
    _row("Q3", "list-index", no_fault, COMPLETE, adapt=with_short_lists),
    _row("Q3", "list-part-missing", without("resourcelist-1.xml"), fails("run.gaps"), adapt=with_short_lists, **TWICE),
    _row(
        "Q3",
        "list-part-missing-at-first",
        at_first(without("resourcelist-1.xml")),
        COMPLETE,
        adapt=with_short_lists,
        **WITH_UPDATE,
    ),
    _row("Q3", "change-index", with_changes(), NEWS, adapt=with_short_lists, **WITH_UPDATE),
    _row("Q3", "changes", with_changes(), NEWS, **WITH_UPDATE),
    _row("Q4", "lastmod-only", with_changes(on(CHANGE_LIST, sub(rb' datetime="[^"]*"', b""))), NEWS, **WITH_UPDATE),
    _row("Q4", "unordered", with_changes(on(CHANGE_LIST, edited(reordered))), NEWS, **WITH_UPDATE),
    _row("Q4", "repeated", with_changes(repeated), NEWS, **WITH_UPDATE),
    row("Q5", "rs-well-known", no_fault, COMPLETE, protocol=RESOURCESYNC),
    _row("Q5", "description-reset", on(WELL_KNOWN, sent_by(reset_at_once), 1), COMPLETE),
    _row("Q5", "well-known-none", without(WELL_KNOWN), COMPLETE),
    _row("Q5", "at-list", without(WELL_KNOWN, "robots.txt"), COMPLETE, **AT_LIST),
    _row("Q5", "at-capabilities", without(WELL_KNOWN, "robots.txt"), COMPLETE, **AT_CAPABILITIES),
    _row("Q5", "odd-names", odd_names, COMPLETE),
    _row("Q6", "index-loop", on(RESOURCE_LIST, looping), LOOPS),
    _row("Q6", "index-nested", nested, Expected(states=("failed", "succeeded"), live="any", requests=60)),
    _row("Q6", "other-host", on_entry(elsewhere), REJECTED),
    _row("Q6", "html", on(RESOURCE_LIST, body(MAINTENANCE)), BAD_LIST),
    _row("Q6", "html-once", on(RESOURCE_LIST, body(MAINTENANCE), 1), COMPLETE),
    _row("Q6", "list-cut", on(RESOURCE_LIST, edited(lambda document: document[: len(document) // 2])), BAD_LIST),
    _row(
        "Q6", "list-cut-once", on(RESOURCE_LIST, edited(lambda document: document[: len(document) // 2]), 1), COMPLETE
    ),
    _row("Q6", "xxe", on(RESOURCE_LIST, entity), BAD_LIST, forbidden="/forbidden"),
    _row("Q6 R5", "list-empty", fewer(0), KEPT, **TWICE),
    _row("Q6 R5", "list-halved", fewer(6), replace(HELD, live="all"), **TWICE),
    _row(
        "Q6 R4",
        "one-gone",
        later(
            from_source(with_records(lambda records: [record for at, record in enumerate(records) if at != REMOVED]))
        ),
        NEWS,
        **TWICE,
    ),
)
