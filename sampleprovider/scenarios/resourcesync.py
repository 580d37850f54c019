"""Scenarios about ResourceSync documents and resources (faults.md: Q1 to Q6)."""

import re
from collections.abc import Callable
from dataclasses import replace

from sampleprovider.pages import not_found
from sampleprovider.replies import RESOURCESYNC, Reply, Request
from sampleprovider.resourcesync import WELL_KNOWN
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
    """Apply the change to the content of one record. times: only the first tries, 0 = always."""

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


def lists_of(size: int) -> Callable[[SampleSource], SampleSource]:
    """A source with short lists, so that there is an index of them."""
    return lambda source: replace(source, records=source.holdings, list_size=size)


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


def _row(number: str, name: str, fault: Fault, expected: Expected, texts: tuple[str, str], **more: object) -> Scenario:
    return row(number, f"rs-{name}", lists_only(fault), expected, texts, protocol=RESOURCESYNC, **more)


LISTS = (
    _row("Q1", "hash-untrue", resource(edited(lambda content: content + b"<!-- changed -->")), REJECTED,
         ("A resource does not match its listed hash.", "資源の1つがハッシュと合いません。")),
    _row("Q1", "hash-untrue-once", resource(edited(lambda content: content + b"<!-- changed -->"), 1), COMPLETE,
         ("A resource does not match its listed hash at the first try.",
          "1回目だけ、資源の1つがハッシュと合いません。")),
    _row("Q1", "length-untrue", on_entry(lambda entry: re.sub(rb'length="\d+"', b'length="7"', entry)), REPAIRED,
         ("The listed length of a resource is wrong, but its hash is right.",
          "長さが違いますが、ハッシュは合っています。")),
    _row("Q1", "hash-none", on(RESOURCE_LIST, sub(rb' (?:hash|length)="[^"]*"', b"")), COMPLETE,
         ("The lists contain neither hashes nor lengths.", "ハッシュも長さも示しません。")),
    _row("Q1", "hash-unknown", on(RESOURCE_LIST, sub(b'hash="sha-256:', b'hash="whirlpool:')), COMPLETE,
         ("Hashes of an unknown kind.", "知られていない種類のハッシュを示します。")),
    _row("Q2", "resource-404", resource(status(404)), REJECTED,
         ("A listed resource does not exist (404).", "一覧にある資源の1つがありません。")),
    _row("Q2", "resource-500", resource(status(500), 1), COMPLETE,
         ("Status 500 for one resource, once.", "1回だけ、資源の1つがステータス500を返します。")),
    _row("Q2", "resource-500-for-ever", resource(status(500)),
         Expected(states=("succeeded", "failed", "paused"), live="any", reported=True),
         ("Status 500 for one resource, at every try.", "何度要求しても、資源の1つがステータス500を返します。")),
    _row("Q3", "list-index", no_fault, COMPLETE,
         ("The Resource List is split, with an index: no fault.",
          "資源一覧が索引に分かれています（障害なし）。"), adapt=lists_of(5)),
    _row("Q3", "list-part-missing", without("resourcelist-1.xml"), fails("run.gaps"),
         ("One part of the Resource List does not exist.", "資源一覧の1つがありません。"), adapt=lists_of(5), **TWICE),
    _row("Q3", "list-part-missing-at-first", at_first(without("resourcelist-1.xml")), COMPLETE,
         ("In the first harvest, one part of the Resource List does not exist.",
          "1回目だけ、資源一覧の1つがありません。"), adapt=lists_of(5), **WITH_UPDATE),
    _row("Q3", "change-index", with_changes(), NEWS,
         ("The Change List is split, with an index: no fault.", "変更一覧が索引に分かれています（障害なし）。"),
         adapt=lists_of(5), **WITH_UPDATE),
    _row("Q3", "changes", with_changes(), NEWS,
         ("There is a Change List: no fault.", "変更一覧があります（障害なし）。"), **WITH_UPDATE),
    _row("Q4", "lastmod-only", with_changes(on(CHANGE_LIST, sub(rb' datetime="[^"]*"', b""))), NEWS,
         ("Changes without datetime, as in version 1.0.", "変更にdatetimeがありません（1.0形式）。"), **WITH_UPDATE),
    _row("Q4", "unordered", with_changes(on(CHANGE_LIST, edited(reordered))), NEWS,
         ("The Change List begins with the newest changes.", "新しい変更から先に並びます。"), **WITH_UPDATE),
    _row("Q4", "repeated", with_changes(repeated), NEWS,
         ("The Change List contains a change and then the deletion of the same record.",
          "同じ資源の変更と削除が続けて載ります。"), **WITH_UPDATE),
    row("Q5", "rs-well-known", no_fault, COMPLETE,
        ("All kinds of documents are offered: no fault.", "すべて正しく動き、すべての文書を提供します。"),
        protocol=RESOURCESYNC),
    _row("Q5", "description-reset", on(WELL_KNOWN, sent_by(reset_at_once), 1), COMPLETE,
         ("The connection is reset during the request for the Source Description, once.",
          "1回だけ、情報源の説明を求めたときに接続がリセットされます。")),
    _row("Q5", "well-known-none", without(WELL_KNOWN), COMPLETE,
         ("There is nothing at the well-known address, but robots.txt names the Resource List.",
          "既定のアドレスに何もなく、robots.txtだけが示します。")),
    _row("Q5", "at-list", without(WELL_KNOWN, "robots.txt"), COMPLETE,
         ("The feed is registered with the address of the Resource List.",
          "資源一覧のアドレスで登録した場合です。"), **AT_LIST),
    _row("Q5", "at-capabilities", without(WELL_KNOWN, "robots.txt"), COMPLETE,
         ("The feed is registered with the address of the Capability List.", "機能一覧のアドレスで登録した場合です。"),
         **AT_CAPABILITIES),
    _row("Q5", "odd-names", odd_names, COMPLETE,
         ("No file has the name that the specification uses in its examples.", "ファイル名が仕様書の例と違います。")),
    _row("Q6", "index-loop", on(RESOURCE_LIST, looping), LOOPS,
         ("An index that lists itself.", "索引が自分自身を載せています。")),
    _row("Q6", "index-nested", nested, Expected(states=("failed", "succeeded"), live="any", requests=60),
         ("An index of indexes.", "索引の中に索引があります。")),
    _row("Q6", "other-host", on_entry(elsewhere), REJECTED,
         ("A resource on another host.", "資源の1つが別のホストを指します。")),
    _row("Q6", "html", on(RESOURCE_LIST, body(MAINTENANCE)), BAD_LIST,
         ("An HTML page instead of the Resource List.", "資源一覧の代わりにHTMLのページを返します。")),
    _row("Q6", "html-once", on(RESOURCE_LIST, body(MAINTENANCE), 1), COMPLETE,
         ("An HTML page instead of the Resource List, once.", "1回だけ、資源一覧の代わりにHTMLのページを返します。")),
    _row("Q6", "list-cut", on(RESOURCE_LIST, edited(lambda document: document[: len(document) // 2])), BAD_LIST,
         ("The Resource List ends in the middle.", "資源一覧が途中で切れています。")),
    _row("Q6", "list-cut-once", on(RESOURCE_LIST, edited(lambda document: document[: len(document) // 2]), 1), COMPLETE,
         ("The Resource List ends in the middle, once.", "1回だけ、資源一覧が途中で切れています。")),
    _row("Q6", "xxe", on(RESOURCE_LIST, entity), BAD_LIST,
         ("An external entity that makes a parser send a request.",
          "外部から取得させる実体があります。"), forbidden="/forbidden"),
    _row("Q6 R5", "list-empty", fewer(0), KEPT,
         ("In the second harvest, the Resource List is empty.", "2回目の資源一覧が空です。"), **TWICE),
    _row("Q6 R5", "list-halved", fewer(6), replace(HELD, live="all"),
         ("In the second harvest, the Resource List has only half of the records.",
          "2回目の資源一覧が半分になります。"), **TWICE),
    _row("Q6 R4", "one-gone",
         later(from_source(with_records(
             lambda records: [record for at, record in enumerate(records) if at != REMOVED]))), NEWS,
         ("In the second harvest, one record is missing from the Resource List.",
          "2回目の資源一覧から1件がなくなります。"), **TWICE),
)  # fmt: skip
