"""Scenarios about records, deletions, dates, Identify, errors and sets (catalogue R, D, I, E, S)."""

import re
from dataclasses import replace

from sampleprovider import wire
from sampleprovider.replies import Asked, Reply
from sampleprovider.scenarios.base import (
    BOTH,
    COMPLETE,
    FULL,
    HELD,
    INCREMENTAL,
    REJECTED,
    REPAIRED,
    TOLD,
    Change,
    Expected,
    Fault,
    fails,
    later,
    right,
    row,
    status,
)
from sampleprovider.scenarios.edits import (
    RECORD,
    as_deleted,
    changing,
    damaged,
    each_record,
    in_metadata,
    matched,
    now,
    oai_error,
    on_lists,
    one_record,
    other,
    swapped,
    with_facts,
    with_records,
)
from sampleprovider.source import SampleRecord, SampleSource
from sampleprovider.trial import COUNT, trial_record

DATE = rb"(<datestamp>)([^<]*)(</datestamp>)"
RESPONSE = rb"<responseDate>[^<]*</responseDate>"
GONE = 4
JUNII2 = (
    '<metadata><junii2 xmlns="http://ju.nii.ac.jp/junii2"><title>古い形式の本</title></junii2></metadata>'
).encode()
TWO = (FULL, FULL)
FRESH = (FULL, INCREMENTAL)


def deletion(edit: bytes, *edits: bytes) -> Fault:
    """In the second harvest one record is deleted; its header is then edited: pattern, replacement, …"""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer(source=changing(GONE, as_deleted)(asked.source))
        pairs = zip((edit, *edits)[::2], (edit, *edits)[1::2], strict=True)
        for pattern, new in pairs:
            reply = damaged(asked, reply, matched(pattern, new))
        return reply

    return later(fault)


def forty(source: SampleSource) -> SampleSource:
    """More records than may be deleted at once without a person."""
    return replace(source, records=[trial_record(number) for number in range(40)], page_size=20)


def without(*positions: int) -> Fault:
    """In the second harvest these records are not there any more."""
    kept = with_records(lambda all_: [each for at, each in enumerate(all_) if at not in positions])
    return later(other(kept))


def keeps_none(fault: Fault, kept: str = "no") -> Fault:
    """Identify says that deletions are not kept (or only for a while)."""
    told = f"<deletedRecord>{kept}</deletedRecord>".encode()
    return lambda asked: fault(asked).replaced(b"<deletedRecord>persistent</deletedRecord>", told)


def renamed(records: list[SampleRecord]) -> list[SampleRecord]:
    """Every record under a new identifier."""
    return [replace(each, identifier=each.identifier.replace("example:", "example:new:")) for each in records]


def redated(records: list[SampleRecord]) -> list[SampleRecord]:
    """Every record with the datestamp of this moment."""
    return [replace(each, datestamp=now()) for each in records]


def other_format(record: SampleRecord) -> SampleRecord:
    """DC-NDL where oai_dc is asked for."""
    return replace(record, payloads=dict.fromkeys(record.payloads, record.payloads["dcndl"]))


def identify(pattern: bytes, new: bytes) -> Fault:
    """Identify says something else."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        return replace(reply, body=re.sub(pattern, new, reply.body)) if asked.get("verb") == "Identify" else reply

    return fault


def on_identify(change: Change) -> Fault:
    """The change for the first Identify."""
    return lambda asked: (
        change(asked, asked.answer()) if asked.get("verb") == "Identify" and asked.tries == 1 else asked.answer()
    )


def no_identify(answered: Fault) -> Fault:
    """Only ListRecords is understood."""
    return lambda asked: asked.answer() if asked.is_list else answered(asked)


def with_news(fault: Fault) -> Fault:
    """From the second harvest on there is one record more."""

    def faulty(asked: Asked) -> Reply:
        memory = asked.visits.memory
        if asked.round > 1:
            fresh = replace(trial_record(COUNT), datestamp=memory.setdefault("fresh", now()))
            records = [*asked.source.holdings.listing(asked.source.prefixes[0], ""), fresh]
            return fault(replace(asked, source=replace(asked.source, records=records)))
        return fault(asked)

    return faulty


def days_only(asked: Asked) -> Reply:
    """Seconds are promised, and refused."""
    dates = asked.get("from") + asked.get("until")
    return oai_error(asked, "badArgument") if "T" in dates else asked.answer()


def no_dates(asked: Asked) -> Reply:
    """Every date is refused."""
    return oai_error(asked, "badArgument") if "from" in asked or "until" in asked else asked.answer()


def dates_ignored(asked: Asked) -> Reply:
    """Dates are taken and not looked at."""
    return asked.answer(params=[pair for pair in asked.params if pair[0] not in ("from", "until")])


def from_exclusive(asked: Asked) -> Reply:
    """`from` itself is left out."""
    reply = asked.answer()
    if not asked.get("from"):
        return reply
    exact = b"<datestamp>" + asked.get("from").encode() + b"</datestamp>"
    return replace(reply, body=RECORD.sub(lambda found: b"" if exact in found[0] else found[0], reply.body))


def dates_in_jst(asked: Asked) -> Reply:
    """Dates are read as Japanese time: what is asked for begins nine hours later than meant."""
    shifted = [(name, value.replace("T0", "T1", 1) if name == "from" else value) for name, value in asked.params]
    return asked.answer(params=shifted)


def beside_records(asked: Asked) -> Reply:
    """An error stands beside the records."""
    reply = asked.answer()
    return reply.replaced(b"<ListRecords>", b'<error code="internal">a part failed</error>\n<ListRecords>', 1)


def error(code: str, times: int = 0) -> Fault:
    """An error instead of a later page."""

    def fault(asked: Asked) -> Reply:
        struck = "resumptionToken" in asked and not (times and asked.tries > times)
        return oai_error(asked, code) if struck else asked.answer()

    return fault


def list_error(code: str) -> Fault:
    """An error instead of every list."""
    return lambda asked: oai_error(asked, code) if asked.is_list else asked.answer()


def sets_twice(asked: Asked) -> Reply:
    """ListSets lists every set twice."""
    return asked.answer().replaced(b"</ListSets>", b"<set><setSpec>a</setSpec><setName>x</setName></set></ListSets>")


def leaves_set(record: SampleRecord) -> SampleRecord:
    """The record stands in the other set now."""
    return replace(record, sets=("b",), datestamp=now())


def reversed_pages(asked: Asked) -> Reply:
    """The newest records come first."""
    source = asked.source
    mirrored = {each.identifier: other_.datestamp for each, other_ in _mirrored(source)}
    turned = with_records(lambda all_: [replace(each, datestamp=mirrored[each.identifier]) for each in all_])
    reply = asked.answer(source=turned(source))
    for record in source.holdings.listing(source.prefixes[0], ""):
        name = f"<identifier>{record.identifier}</identifier><datestamp>".encode()
        reply = replace(reply, body=re.sub(re.escape(name) + rb"[^<]*", name + record.datestamp.encode(), reply.body))
    return reply


def _mirrored(source: SampleSource) -> list[tuple[SampleRecord, SampleRecord]]:
    records = list(source.holdings.listing(source.prefixes[0], ""))
    return list(zip(records, reversed(records), strict=True))


DELETED = Expected(gone=(GONE,))
KEPT = Expected(states=("succeeded", "paused", "failed"), live="all", told=True)
IN_SET = {"set_spec": "a"}

RECORDS = (
    row("R1", "metadata-empty", one_record(in_metadata(b"<metadata></metadata>")), REJECTED,
        ("A live record with empty metadata.", "metadataが空のレコードがあります。"), places=BOTH),
    row("R1", "metadata-none", one_record(in_metadata(b"")), REJECTED,
        ("A live record without metadata.", "metadataのないレコードがあります。"), places=BOTH),
    row("R1", "two-roots", one_record(swapped(b"</metadata>", b'<x xmlns="urn:x"/></metadata>')), REJECTED,
        ("Two elements in one metadata.", "1つのmetadataに要素が2つあります。"), places=BOTH),
    row("R1", "metadata-empty-later",
        later(one_record(in_metadata(b"<metadata></metadata>"))), Expected(live="all", told=True),
        ("A record that was in order loses its metadata.", "正しかったレコードのmetadataが空になります。"), runs=TWO),
    row("R2", "deleted-undated", deletion(DATE, b""), DELETED,
        ("A deletion without datestamp.", "削除レコードに日付がありません。"), runs=TWO),
    row("R2", "deleted-date-empty", deletion(DATE, rb"\1\3"), DELETED,
        ("A deletion with an empty datestamp.", "削除レコードの日付が空です。"), runs=TWO),
    row("R2", "timestamp", each_record(matched(DATE, rb"<timestamp>\2</timestamp>")), TOLD,
        ("<timestamp> instead of <datestamp>.", "datestampの代わりにtimestampと書かれています。")),
    row("R3", "deleted-with-metadata",
        deletion(b"</header>", b'</header><metadata><x xmlns="urn:x"/></metadata>'), DELETED,
        ("A deletion with metadata.", "削除レコードにmetadataがあります。"), runs=TWO),
    row("R3", "status-case", deletion(b'status="deleted"', b'status=" Deleted "'), DELETED,
        ("The status in other letters, with blanks.", "statusの大文字小文字や空白が違います。"), runs=TWO),
    row("R4", "deletions-none", keeps_none(without(GONE)), DELETED,
        ("Deletions are not kept; one record vanishes.", "削除を記録しない提供元で、1件が消えます。"), runs=TWO),
    row("R4", "deletions-transient", keeps_none(without(GONE), "transient"), DELETED,
        ("Deletions are kept for a while; one record vanishes.", "削除を一時的に記録する提供元で、1件が消えます。"),
        runs=TWO),
    row("R5", "mass-deletion",
        later(other(with_records(lambda all_: map(as_deleted, all_)))), replace(HELD, live="all"),
        ("In the second harvest every record is deleted.", "2回目のハーベストで全件が削除になります。"),
        runs=TWO, adapt=forty),
    row("R5", "list-empty", keeps_none(later(list_error("noRecordsMatch"))), KEPT,
        ("In the second harvest there are no records.", "2回目のハーベストでレコードがなくなります。"), runs=TWO),
    row("R5", "list-halved", keeps_none(without(*range(6))), replace(HELD, live="all"),
        ("In the second harvest half of the records are missing.", "2回目のハーベストで半分のレコードがなくなります。"),
        runs=TWO),
    row("R6", "identifiers-new", keeps_none(later(other(with_records(renamed)))),
        Expected(states=("paused", "succeeded"), live="any", told=True),
        ("Every record has a new identifier.", "全件の識別子が変わります。"), runs=TWO),
    row("R6", "identifier-padded",
        each_record(matched(rb"<identifier>([^<]*)</identifier>", rb"<identifier>\n  \1 </identifier>")), COMPLETE,
        ("Blanks around the identifiers.", "識別子の前後に空白があります。")),
    row("R7", "redated", later(other(with_records(redated))), Expected(unchanged=True),
        ("All datestamps are new, nothing else.", "全件の日付だけが新しくなります。"), runs=FRESH),
    row("R8", "other-format", other(changing(4, other_format)), REPAIRED,
        ("One record in another format than asked for.", "1件だけ、求めた形式と違います。")),
    row("R8", "format-all-other", other(with_records(lambda all_: map(other_format, all_))), TOLD,
        ("All records in another format than asked for.", "全件が求めた形式と違います。")),
    row("R8", "junii2-old", one_record(in_metadata(JUNII2)), Expected(damaged="either"),
        ("One record in the old junii2.", "1件だけ古いjunii2形式です。"), places=BOTH),
    row("D1", "date-local", each_record(matched(DATE, rb"<datestamp>2024-01-15T18:00:00+09:00</datestamp>")), TOLD,
        ("Datestamps with an offset.", "日付に時差が付いています。")),
    row("D1", "date-fraction", each_record(matched(rb"Z</datestamp>", b".637366Z</datestamp>")), TOLD,
        ("Datestamps with fractions of seconds.", "日付に秒の小数があります。")),
    row("D1", "date-blank", each_record(matched(DATE, rb"\1 \2\n \3")), COMPLETE,
        ("Blanks around datestamps.", "日付の前後に空白があります。")),
    row("D1", "date-nonsense", one_record(matched(DATE, rb"\1yesterday\3")), REPAIRED,
        ("A datestamp that is none.", "日付でない日付があります。"), places=BOTH),
    row("D1", "date-future", one_record(matched(DATE, rb"<datestamp>2999-01-01T00:00:00Z</datestamp>")), REPAIRED,
        ("A datestamp in the future.", "未来の日付があります。"), places=BOTH),
    row("D1", "date-none", one_record(matched(DATE, b"")), REPAIRED,
        ("A live record without datestamp.", "日付のないレコードがあります。"), places=BOTH),
    row("D1", "response-local",
        on_lists(matched(RESPONSE, b"<responseDate>2026-01-21T16:39:17.637366-06:00</responseDate>")), COMPLETE,
        ("responseDate with an offset and fractions.", "responseDateに時差と小数があります。")),
    row("D1", "response-nonsense", on_lists(matched(RESPONSE, b"<responseDate>now</responseDate>")), COMPLETE,
        ("responseDate is no date.", "responseDateが日付ではありません。")),
    row("D1", "response-future",
        on_lists(matched(RESPONSE, b"<responseDate>2999-01-01T00:00:00Z</responseDate>")), COMPLETE,
        ("responseDate lies in the future.", "responseDateが未来の日時です。")),
    row("D2", "granularity-untrue", with_news(days_only), Expected(extra=(COUNT,)),
        ("Seconds are promised and refused.", "秒単位と示しながら、秒を拒みます。"), runs=FRESH),
    row("D2", "granularity-case",
        with_news(identify(b"YYYY-MM-DDThh:mm:ssZ", b"yyyy-MM-DDTHH:MM:SSz")), Expected(extra=(COUNT,)),
        ("The granularity in other letters.", "granularityの大文字小文字が違います。"), runs=FRESH),
    row("D2", "granularity-day", with_news(other(with_facts(granularity="YYYY-MM-DD"))), Expected(extra=(COUNT,)),
        ("Days only: no fault.", "日単位の提供元です（障害なし）。"), runs=FRESH),
    row("D2", "granularity-mixed",
        with_news(one_record(matched(rb"T\d\d:\d\d:\d\dZ</datestamp>", b"</datestamp>"))), Expected(extra=(COUNT,)),
        ("One datestamp is a day only.", "1件だけ日付が日単位です。"), runs=FRESH),
    row("D3", "from-exclusive", with_news(from_exclusive), Expected(extra=(COUNT,)),
        ("from itself is left out.", "fromの時刻ちょうどが含まれません。"), runs=FRESH),
    row("D3", "from-ignored", with_news(dates_ignored), Expected(extra=(COUNT,)),
        ("Dates are ignored.", "期間の指定が無視されます。"), runs=FRESH),
    row("D3", "from-refused", with_news(no_dates), Expected(extra=(COUNT,), told=True),
        ("Dates are refused.", "期間の指定が拒まれます。"), runs=FRESH),
    row("D3", "from-later", with_news(dates_in_jst), Expected(extra=(), live="any"),
        ("Dates are read as local time.", "期間が地方時として読まれます。"), runs=FRESH),
    row("D4", "earliest-late", identify(rb"(<earliestDatestamp>)[^<]*", rb"\g<1>2030-01-01T00:00:00Z"), COMPLETE,
        ("earliestDatestamp is later than all records.", "earliestDatestampがどのレコードより後です。")),
    row("D4", "earliest-nonsense", identify(rb"(<earliestDatestamp>)[^<]*", rb"\g<1>0000-00-00"), COMPLETE,
        ("earliestDatestamp is no date.", "earliestDatestampが日付ではありません。")),
    row("D5", "out-of-order", reversed_pages, COMPLETE,
        ("The newest records come first.", "新しいレコードから先に並びます。")),
    row("I1", "identify-missing", no_identify(lambda asked: oai_error(asked, "badVerb")), COMPLETE,
        ("Only ListRecords is understood; the rest is badVerb.", "ListRecordsだけに答え、ほかはbadVerbです。")),
    row("I1", "identify-404", no_identify(lambda asked: Reply(b"", 404)), COMPLETE,
        ("Only ListRecords is understood; the rest is status 404.", "ListRecordsだけに答え、ほかは状態404です。")),
    row("I1", "identify-500", no_identify(lambda asked: Reply(b"", 500)), COMPLETE,
        ("Only ListRecords is understood; the rest is status 500.", "ListRecordsだけに答え、ほかは状態500です。")),
    row("I1 H4", "identify-reset", on_identify(wire.sent_by(wire.reset_at_once)), COMPLETE,
        ("The connection is reset once when Identify is asked for.",
         "1回だけ、Identifyの途中で接続がリセットされます。")),
    row("I1 H2", "identify-503", on_identify(status(503)), COMPLETE,
        ("Status 503 once when Identify is asked for.", "1回だけ、Identifyに状態503を返します。")),
    row("I1 H7", "identify-hangs", on_identify(wire.sent_by(wire.hang)), COMPLETE,
        ("Identify is not answered, once.", "1回だけ、Identifyに何も返しません。")),
    row("I2", "base-url-other", identify(rb"<baseURL>[^<]*", b"<baseURL>http://127.0.0.1:9/forbidden"), COMPLETE,
        ("Identify names another base URL.", "Identifyが別のベースURLを示します。")),
    row("E1", "no-records", list_error("noRecordsMatch"), Expected(live="none"),
        ("noRecordsMatch at the first harvest.", "最初のハーベストでnoRecordsMatchを返します。")),
    row("E1", "no-news", later(list_error("noRecordsMatch")), Expected(live="all", unchanged=True),
        ("noRecordsMatch when asked for news.", "差分のハーベストでnoRecordsMatchを返します。"), runs=FRESH),
    row("E2", "error-unknown", error("InternalException", 1), COMPLETE,
        ("An error code that nobody knows, once.", "1回だけ、知られていないエラーコードを返します。")),
    row("E2", "error-unknown-for-ever", error("InternalException"), fails("oai.", "run."),
        ("An error code that nobody knows, at every try.", "何度聞いても、知られていないエラーコードを返します。")),
    row("E2", "error-empty", error("", 1), COMPLETE,
        ("An error without code, once.", "1回だけ、コードのないエラーを返します。")),
    row("E2", "error-beside-records", beside_records, TOLD,
        ("An error beside the records.", "レコードと一緒にエラーを返します。")),
    row("S1", "set-removed", later(list_error("noRecordsMatch")), KEPT,
        ("The set is gone: noRecordsMatch.", "セットがなくなり、noRecordsMatchを返します。"), runs=TWO, feed=IN_SET),
    row("S1", "set-renamed", later(list_error("badArgument")), KEPT,
        ("The set is gone: badArgument.", "セットがなくなり、badArgumentを返します。"), runs=TWO, feed=IN_SET),
    row("S2", "set-left", keeps_none(later(other(changing(GONE, leaves_set)))), DELETED,
        ("A record leaves the set.", "レコードがセットから外れます。"), runs=TWO, feed=IN_SET),
    row("S2", "set-deletes", deletion(rb"x^", b""), DELETED,
        ("A record is deleted from the set.", "レコードがセットから削除されます。"), runs=TWO, feed=IN_SET),
    row("S3", "set-unsaid", each_record(matched(rb"<setSpec>[^<]*</setSpec>", b"")), COMPLETE,
        ("Headers without setSpec.", "ヘッダーにsetSpecがありません。"), feed=IN_SET),
    row("S3", "sets-twice", sets_twice, COMPLETE,
        ("ListSets names sets twice.", "ListSetsが同じセットを2回示します。"), feed=IN_SET),
    row("S3", "sets-none",
        no_identify(lambda asked: oai_error(asked,
        "noSetHierarchy") if asked.get("verb") == "ListSets" else right(asked)), COMPLETE,
        ("ListSets says that there are none; asking for one works.",
         "ListSetsはセットがないと示しますが、指定すると使えます。"), feed=IN_SET),
)  # fmt: skip
