"""Scenarios about ResourceSync documents and what they list (catalogue Q1 to Q6)."""

import re
from collections.abc import Callable
from dataclasses import replace

from sampleprovider.pages import not_found
from sampleprovider.replies import RESOURCESYNC, Asked, Reply
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
    right,
    row,
    status,
)
from sampleprovider.scenarios.edits import URL, Edit, as_deleted, edited, now, one_record, other, target, with_records
from sampleprovider.scenarios.http import MAINTENANCE
from sampleprovider.source import SampleRecord, SampleSource
from sampleprovider.wire import reset_at_once, sent_by

RESOURCE_LIST, CHANGE_LIST = "resourcelist.xml", "changelist.xml"
UPDATED, REMOVED = 4, 7
DUMPS = re.compile(rb"<url><loc>[^<]*/(?:resourcedump|changedump)\.xml</loc>.*?</url>\n")


def on(name: str, change: Change, times: int = 0) -> Fault:
    """The change for one document. times: only for the first so many tries, 0 = always."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        struck = asked.path.endswith(name) and not (times and asked.tries > times)
        return change(asked, reply) if struck else reply

    return fault


def resource(change: Change, times: int = 0) -> Fault:
    """The change for the content of one record."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        struck = asked.path.endswith(f"resources/{target(asked).local_id}.xml")
        return change(asked, reply) if struck and not (times and asked.tries > times) else reply

    return fault


def with_changes(fault: Fault = right) -> Fault:
    """In the second harvest one record has changed and one is deleted."""

    def faulty(asked: Asked) -> Reply:
        if asked.round < 2:
            return fault(asked)
        when = asked.visits.memory.setdefault("changed", now())
        return fault(replace(asked, source=changed(asked.source, when)))

    return faulty


def changed(source: SampleSource, when: str) -> SampleSource:
    """The source after the changes."""

    def change(records: list[SampleRecord]) -> list[SampleRecord]:
        records[REMOVED] = as_deleted(records[REMOVED], when)
        payloads = {name: _retitled(content) for name, content in records[UPDATED].payloads.items()}
        records[UPDATED] = replace(records[UPDATED], datestamp=when, payloads=payloads)
        return records

    return with_records(change)(source)


def _retitled(content: bytes) -> bytes:
    return content.replace(b"<dc:title>", "<dc:title>改訂 ".encode(), 1)


def reordered(document: bytes) -> bytes:
    """The entries the other way round."""
    entries = URL.findall(document)
    return document.replace(b"".join(entries), b"".join(reversed(entries)))


def repeated(asked: Asked) -> Reply:
    """The deleted record was changed just before: two entries for one resource."""
    reply = asked.answer()
    if not asked.path.endswith(CHANGE_LIST) or asked.round < 2:
        return reply
    entries = [each for each in URL.findall(reply.body) if b'change="deleted"' in each]
    before = [re.sub(rb'change="deleted"', b'change="updated"', each) for each in entries]
    return reply.replaced(entries[0], before[0] + entries[0])


def looping(asked: Asked, reply: Reply) -> Reply:
    """An index that lists itself."""
    url = f"{asked.base}/{asked.source.name}/{asked.path}".encode()
    return index_of(reply, url)


def nested(asked: Asked) -> Reply:
    """An index of indexes: the specification knows one level."""
    reply = asked.answer(path=asked.path.replace("-inner", ""))
    if asked.path.endswith(RESOURCE_LIST) and "-inner" not in asked.path:
        inner = f"{asked.base}/{asked.source.name}/{asked.path.removesuffix('.xml')}-inner.xml".encode()
        return index_of(reply, inner)
    return reply


def lists_only(fault: Fault) -> Fault:
    """No dumps are offered, so that the lists must be read."""

    def fewer_offered(asked: Asked) -> Reply:
        reply = fault(asked)
        return replace(reply, body=DUMPS.sub(b"", reply.body)) if b'"capabilitylist"' in reply.body else reply

    return fewer_offered


def index_of(reply: Reply, url: bytes) -> Reply:
    """A Resource List Index with one entry."""
    top, _, _ = re.sub(rb"<urlset|<sitemapindex", b"<sitemapindex", reply.body).partition(b"<url>")
    top = top.partition(b"<sitemap>")[0]
    return replace(reply, body=top + b"<sitemap><loc>" + url + b"</loc></sitemap></sitemapindex>")


def without(*names: str) -> Fault:
    """These documents are not there."""
    return lambda asked: not_found() if asked.path.endswith(names) else asked.answer()


def odd_names(asked: Asked) -> Reply:
    """No file is called as in the examples of the specification."""
    path = asked.path.replace("show/one", "capabilitylist.xml").replace("show/two", RESOURCE_LIST)
    reply = asked.answer(path=path.replace("show/three", CHANGE_LIST))
    pairs = ((b"capabilitylist.xml", b"show/one?f=x&amp;p=1"), (b"resourcelist.xml", b"show/two?f=x"))
    for old, new in (*pairs, (b"changelist.xml", b"show/three")):
        reply = reply.replaced(old, new)
    return reply


def elsewhere(entry: bytes) -> bytes:
    """The resource lies on another host."""
    return re.sub(rb"<loc>http://[^/]*", b"<loc>http://elsewhere.example", entry)


def entity(asked: Asked, reply: Reply) -> Reply:
    """An entity that is to be fetched."""
    declared = f'<!DOCTYPE urlset [<!ENTITY a SYSTEM "{asked.base}/forbidden">]>\n<urlset'.encode()
    return reply.replaced(b"<urlset", declared, 1).replaced(b"<loc>", b"<loc>&a;", 1)


def on_entry(edit: Edit) -> Fault:
    """One entry of the lists is edited."""
    return one_record(edit)


def sub(pattern: bytes, new: bytes) -> Change:
    """Other bytes where the pattern is found."""
    return edited(lambda document: re.sub(pattern, new, document))


def lists_of(size: int) -> Callable[[SampleSource], SampleSource]:
    """The source with short lists, so that there is an index above them."""
    return lambda source: replace(source, records=source.holdings, list_size=size)


def fewer(count: int) -> Fault:
    """In the second harvest only so many records are left."""
    return later(other(with_records(lambda all_: all_[:count])))


BAD_LIST = fails("rs.", "resourcesync.", "xml.", "http.", "run.", requests=60)
LOOPS = Expected(states=("failed", "succeeded"), codes=("rs.", "resourcesync."), live="any", told=True, requests=60)
NEWS = Expected(gone=(REMOVED,))
KEPT = Expected(states=("paused", "succeeded", "failed"), live="all", told=True)
FRESH = {"runs": (FULL, INCREMENTAL)}
TWO = {"runs": (FULL, FULL)}
AT_LIST = {"feed": {"base_url": "{base}/{name}/resourcesync/oai_dc/resourcelist.xml"}}
AT_CAPABILITIES = {"feed": {"base_url": "{base}/{name}/resourcesync/oai_dc/capabilitylist.xml"}}


def _row(number: str, name: str, fault: Fault, expected: Expected, texts: tuple[str, str], **more: object) -> Scenario:
    return row(number, f"rs-{name}", lists_only(fault), expected, texts, protocol=RESOURCESYNC, **more)


LISTS = (
    _row("Q1", "hash-untrue", resource(edited(lambda content: content + b"<!-- changed -->")), REJECTED,
         ("A resource is not what its hash says.", "資源の1つがハッシュと合いません。")),
    _row("Q1", "hash-untrue-once", resource(edited(lambda content: content + b"<!-- changed -->"), 1), COMPLETE,
         ("The same, at the first try only.", "1回目だけ、資源の1つがハッシュと合いません。")),
    _row("Q1", "length-untrue", on_entry(lambda entry: re.sub(rb'length="\d+"', b'length="7"', entry)), REPAIRED,
         ("A length is wrong, the hash is right.", "長さが違いますが、ハッシュは合っています。")),
    _row("Q1", "hash-none", on(RESOURCE_LIST, sub(rb' (?:hash|length)="[^"]*"', b"")), COMPLETE,
         ("Neither hashes nor lengths.", "ハッシュも長さも示しません。")),
    _row("Q1", "hash-unknown", on(RESOURCE_LIST, sub(b'hash="sha-256:', b'hash="whirlpool:')), COMPLETE,
         ("Hashes of a kind that nobody knows.", "知られていない種類のハッシュを示します。")),
    _row("Q2", "resource-404", resource(status(404)), REJECTED,
         ("A listed resource is not there.", "一覧にある資源の1つがありません。")),
    _row("Q2", "resource-500", resource(status(500), 1), COMPLETE,
         ("Status 500 for one resource, once.", "1回だけ、資源の1つが状態500を返します。")),
    _row("Q2", "resource-500-for-ever", resource(status(500)),
         Expected(states=("succeeded", "failed", "paused"), live="any", told=True),
         ("Status 500 for one resource, at every try.", "何度聞いても、資源の1つが状態500を返します。")),
    _row("Q3", "list-index", right, COMPLETE,
         ("A Resource List Index: no fault.", "資源一覧が索引に分かれています（障害なし）。"), adapt=lists_of(5)),
    _row("Q3", "change-index", with_changes(), NEWS,
         ("A Change List Index: no fault.", "変更一覧が索引に分かれています（障害なし）。"),
         adapt=lists_of(5), **FRESH),
    _row("Q3", "changes", with_changes(), NEWS,
         ("A Change List: no fault.", "変更一覧があります（障害なし）。"), **FRESH),
    _row("Q4", "lastmod-only", with_changes(on(CHANGE_LIST, sub(rb' datetime="[^"]*"', b""))), NEWS,
         ("Changes without datetime, as in version 1.0.", "変更にdatetimeがありません（1.0形式）。"), **FRESH),
    _row("Q4", "unordered", with_changes(on(CHANGE_LIST, edited(reordered))), NEWS,
         ("The newest changes come first.", "新しい変更から先に並びます。"), **FRESH),
    _row("Q4", "repeated", with_changes(repeated), NEWS,
         ("A record is changed and then deleted.", "同じ資源の変更と削除が続けて載ります。"), **FRESH),
    row("Q5", "rs-well-known", right, COMPLETE,
        ("Everything is in order, and everything is offered.", "すべて正しく動き、すべての文書を提供します。"),
        protocol=RESOURCESYNC),
    _row("Q5", "description-reset", on(WELL_KNOWN, sent_by(reset_at_once), 1), COMPLETE,
         ("The connection is reset once when the Source Description is asked for.",
          "1回だけ、情報源の説明を求めたときに接続がリセットされます。")),
    _row("Q5", "well-known-none", without(WELL_KNOWN), COMPLETE,
         ("Nothing at the well-known address; robots.txt leads on.",
          "既定のアドレスに何もなく、robots.txtだけが示します。")),
    _row("Q5", "at-list", without(WELL_KNOWN, "robots.txt"), COMPLETE,
         ("Registered with the address of its Resource List.", "資源一覧のアドレスで登録した場合です。"), **AT_LIST),
    _row("Q5", "at-capabilities", without(WELL_KNOWN, "robots.txt"), COMPLETE,
         ("Registered with the address of its Capability List.", "機能一覧のアドレスで登録した場合です。"),
         **AT_CAPABILITIES),
    _row("Q5", "odd-names", odd_names, COMPLETE,
         ("No file is called as in the specification's examples.", "ファイル名が仕様書の例と違います。")),
    _row("Q6", "index-loop", on(RESOURCE_LIST, looping), LOOPS,
         ("An index that lists itself.", "索引が自分自身を載せています。")),
    _row("Q6", "index-nested", nested, Expected(states=("failed", "succeeded"), live="any", requests=60),
         ("An index of indexes.", "索引の中に索引があります。")),
    _row("Q6", "other-host", on_entry(elsewhere), REJECTED,
         ("A resource on another host.", "資源の1つが別のホストを指します。")),
    _row("Q6", "html", on(RESOURCE_LIST, body(MAINTENANCE)), BAD_LIST,
         ("A page for people instead of the Resource List.", "資源一覧の代わりに人が読むページを返します。")),
    _row("Q6", "html-once", on(RESOURCE_LIST, body(MAINTENANCE), 1), COMPLETE,
         ("The same, once.", "1回だけ、資源一覧の代わりに人が読むページを返します。")),
    _row("Q6", "list-cut", on(RESOURCE_LIST, edited(lambda document: document[: len(document) // 2])), BAD_LIST,
         ("The Resource List breaks off.", "資源一覧が途中で切れています。")),
    _row("Q6", "list-cut-once", on(RESOURCE_LIST, edited(lambda document: document[: len(document) // 2]), 1), COMPLETE,
         ("The same, once.", "1回だけ、資源一覧が途中で切れています。")),
    _row("Q6", "xxe", on(RESOURCE_LIST, entity), BAD_LIST,
         ("An entity that is to be fetched.", "外部から取得させる実体があります。"), forbidden="/forbidden"),
    _row("Q6 R5", "list-empty", fewer(0), KEPT,
         ("The second Resource List is empty.", "2回目の資源一覧が空です。"), **TWO),
    _row("Q6 R5", "list-halved", fewer(6), replace(HELD, live="all"),
         ("The second Resource List has half the records.", "2回目の資源一覧が半分になります。"), **TWO),
    _row("Q6 R4", "one-gone",
         later(other(with_records(lambda all_: [each for at, each in enumerate(all_) if at != REMOVED]))), NEWS,
         ("One record is not in the second Resource List.", "2回目の資源一覧から1件がなくなります。"), **TWO),
)  # fmt: skip
