"""Scenarios about records, deletions, dates, Identify, errors and sets (faults.md: R, D, I, E, S)."""

import re
from dataclasses import replace

from sampleprovider import wire
from sampleprovider.replies import Reply, Request
from sampleprovider.scenarios.base import (
    BOTH,
    COMPLETE,
    FULL,
    HELD,
    INCREMENTAL,
    REJECTED,
    REPAIRED,
    REPORTED,
    Change,
    Expected,
    Fault,
    fails,
    later,
    no_fault,
    row,
    status,
)
from sampleprovider.scenarios.edits import (
    RECORD,
    as_deleted,
    edit_target,
    every_record,
    from_source,
    in_metadata,
    now,
    oai_error,
    on_lists,
    one_record,
    replaced,
    sub,
    with_facts,
    with_one_changed,
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
TWICE = (FULL, FULL)
WITH_UPDATE = (FULL, INCREMENTAL)


def deletion(edit: bytes, *edits: bytes) -> Fault:
    """In the second harvest one record is deleted, and edited. edits: pattern, replacement, …"""

    def fault(request: Request) -> Reply:
        reply = request.answer(source=with_one_changed(GONE, as_deleted)(request.source))
        replacements = zip((edit, *edits)[::2], (edit, *edits)[1::2], strict=True)
        for pattern, new in replacements:
            reply = edit_target(request, reply, sub(pattern, new))
        return reply

    return later(fault)


def forty_records(source: SampleSource) -> SampleSource:
    """More records than may be deleted at once without the decision of a person."""
    return replace(source, records=[trial_record(number) for number in range(40)], page_size=20)


def without(*positions: int) -> Fault:
    """In the second harvest these records no longer exist."""
    remaining = with_records(lambda records: [record for at, record in enumerate(records) if at not in positions])
    return later(from_source(remaining))


def deletions_not_kept(fault: Fault, policy: str = "no") -> Fault:
    """Identify says that deletions are not kept, or only for a while (policy: "transient")."""
    declared = f"<deletedRecord>{policy}</deletedRecord>".encode()
    return lambda request: fault(request).replaced(b"<deletedRecord>persistent</deletedRecord>", declared)


def with_new_identifiers(records: list[SampleRecord]) -> list[SampleRecord]:
    """All records with new identifiers."""
    return [replace(record, identifier=record.identifier.replace("example:", "example:new:")) for record in records]


def with_new_datestamps(records: list[SampleRecord]) -> list[SampleRecord]:
    """All records with the current time as datestamp."""
    return [replace(record, datestamp=now()) for record in records]


def other_format(record: SampleRecord) -> SampleRecord:
    """Give the DC-NDL payload in every format."""
    return replace(record, payloads=dict.fromkeys(record.payloads, record.payloads["dcndl"]))


def identify(pattern: bytes, new: bytes) -> Fault:
    """Replace the matches of a pattern in Identify."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        return replace(reply, body=re.sub(pattern, new, reply.body)) if request.get("verb") == "Identify" else reply

    return fault


def on_identify(change: Change) -> Fault:
    """Apply the change to the first Identify."""
    return lambda request: (
        change(request, request.answer())
        if request.get("verb") == "Identify" and request.tries == 1
        else request.answer()
    )


def list_records_only(fault: Fault) -> Fault:
    """Only ListRecords works; other verbs get the fault."""
    return lambda request: request.answer() if request.is_list else fault(request)


def with_new_record(fault: Fault) -> Fault:
    """From the second harvest on there is an additional record."""

    def wrapped(request: Request) -> Reply:
        memory = request.visits.memory
        if request.round > 1:
            new_record = replace(trial_record(COUNT), datestamp=memory.setdefault("fresh", now()))
            records = [*request.source.holdings.listing(request.source.prefixes[0], ""), new_record]
            return fault(replace(request, source=replace(request.source, records=records)))
        return fault(request)

    return wrapped


def days_only(request: Request) -> Reply:
    """The granularity is seconds, but dates with seconds are refused."""
    dates = request.get("from") + request.get("until")
    return oai_error(request, "badArgument") if "T" in dates else request.answer()


def no_dates(request: Request) -> Reply:
    """All dates are refused."""
    return oai_error(request, "badArgument") if "from" in request or "until" in request else request.answer()


def dates_ignored(request: Request) -> Reply:
    """Dates are accepted but ignored."""
    return request.answer(params=[pair for pair in request.params if pair[0] not in ("from", "until")])


def from_exclusive(request: Request) -> Reply:
    """Records with exactly the datestamp `from` are left out."""
    reply = request.answer()
    if not request.get("from"):
        return reply
    exact = b"<datestamp>" + request.get("from").encode() + b"</datestamp>"
    return replace(reply, body=RECORD.sub(lambda match: b"" if exact in match[0] else match[0], reply.body))


def dates_in_jst(request: Request) -> Reply:
    """Dates are read as Japanese time, so lists begin later than requested."""
    shifted = [(name, value.replace("T0", "T1", 1) if name == "from" else value) for name, value in request.params]
    return request.answer(params=shifted)


def beside_records(request: Request) -> Reply:
    """An error in addition to the records."""
    reply = request.answer()
    return reply.replaced(b"<ListRecords>", b'<error code="internal">a part failed</error>\n<ListRecords>', 1)


def error(code: str, times: int = 0) -> Fault:
    """An error instead of later pages. times: only the first tries, 0 = always."""

    def fault(request: Request) -> Reply:
        applies = "resumptionToken" in request and not (times and request.tries > times)
        return oai_error(request, code) if applies else request.answer()

    return fault


def list_error(code: str) -> Fault:
    """An error instead of any list."""
    return lambda request: oai_error(request, code) if request.is_list else request.answer()


def sets_twice(request: Request) -> Reply:
    """ListSets lists a set twice."""
    return request.answer().replaced(b"</ListSets>", b"<set><setSpec>a</setSpec><setName>x</setName></set></ListSets>")


def leaves_set(record: SampleRecord) -> SampleRecord:
    """The record has moved to the other set."""
    return replace(record, sets=("b",), datestamp=now())


def reversed_pages(request: Request) -> Reply:
    """The newest records come first."""
    source = request.source
    mirrored = {record.identifier: other.datestamp for record, other in _paired_with_reversed(source)}
    reverse = with_records(
        lambda records: [replace(record, datestamp=mirrored[record.identifier]) for record in records]
    )
    reply = request.answer(source=reverse(source))
    for record in source.holdings.listing(source.prefixes[0], ""):
        name = f"<identifier>{record.identifier}</identifier><datestamp>".encode()
        reply = replace(reply, body=re.sub(re.escape(name) + rb"[^<]*", name + record.datestamp.encode(), reply.body))
    return reply


def _paired_with_reversed(source: SampleSource) -> list[tuple[SampleRecord, SampleRecord]]:
    records = list(source.holdings.listing(source.prefixes[0], ""))
    return list(zip(records, reversed(records), strict=True))


DELETED = Expected(gone=(GONE,))
KEPT = Expected(states=("succeeded", "paused", "failed"), live="all", reported=True)
IN_SET = {"set_spec": "a"}

RECORDS = (
    row("R1", "metadata-empty", one_record(in_metadata(b"<metadata></metadata>")), REJECTED, places=BOTH),
    row("R1", "metadata-none", one_record(in_metadata(b"")), REJECTED, places=BOTH),
    row(
        "R1", "two-roots", one_record(replaced(b"</metadata>", b'<x xmlns="urn:x"/></metadata>')), REJECTED, places=BOTH
    ),
    row(
        "R1",
        "metadata-empty-later",
        later(one_record(in_metadata(b"<metadata></metadata>"))),
        Expected(live="all", reported=True),
        runs=TWICE,
    ),
    row("R2", "deleted-undated", deletion(DATE, b""), DELETED, runs=TWICE),
    row("R2", "deleted-date-empty", deletion(DATE, rb"\1\3"), DELETED, runs=TWICE),
    row("R2", "timestamp", every_record(sub(DATE, rb"<timestamp>\2</timestamp>")), REPORTED),
    row(
        "R3",
        "deleted-with-metadata",
        deletion(b"</header>", b'</header><metadata><x xmlns="urn:x"/></metadata>'),
        DELETED,
        runs=TWICE,
    ),
    row("R3", "status-case", deletion(b'status="deleted"', b'status=" Deleted "'), DELETED, runs=TWICE),
    row("R4", "deletions-none", deletions_not_kept(without(GONE)), DELETED, runs=TWICE),
    row("R4", "deletions-transient", deletions_not_kept(without(GONE), "transient"), DELETED, runs=TWICE),
    row(
        "R5",
        "mass-deletion",
        later(from_source(with_records(lambda records: map(as_deleted, records)))),
        replace(HELD, live="all"),
        runs=TWICE,
        adapt=forty_records,
    ),
    row("R5", "list-empty", deletions_not_kept(later(list_error("noRecordsMatch"))), KEPT, runs=TWICE),
    row("R5", "list-halved", deletions_not_kept(without(*range(6))), replace(HELD, live="all"), runs=TWICE),
    row(
        "R6",
        "identifiers-new",
        deletions_not_kept(later(from_source(with_records(with_new_identifiers)))),
        Expected(states=("paused", "succeeded"), live="any", reported=True),
        runs=TWICE,
    ),
    row(
        "R6",
        "identifier-padded",
        every_record(sub(rb"<identifier>([^<]*)</identifier>", rb"<identifier>\n  \1 </identifier>")),
        COMPLETE,
    ),
    row(
        "R7",
        "redated",
        later(from_source(with_records(with_new_datestamps))),
        Expected(unchanged=True),
        runs=WITH_UPDATE,
    ),
    row("R8", "other-format", from_source(with_one_changed(4, other_format)), REPAIRED),
    row("R8", "format-all-other", from_source(with_records(lambda records: map(other_format, records))), REPORTED),
    row("R8", "junii2-old", one_record(in_metadata(JUNII2)), Expected(damaged="either"), places=BOTH),
    row("D1", "date-local", every_record(sub(DATE, rb"<datestamp>2024-01-15T18:00:00+09:00</datestamp>")), REPORTED),
    row("D1", "date-fraction", every_record(sub(rb"Z</datestamp>", b".637366Z</datestamp>")), REPORTED),
    row("D1", "date-blank", every_record(sub(DATE, rb"\1 \2\n \3")), COMPLETE),
    row("D1", "date-nonsense", one_record(sub(DATE, rb"\1yesterday\3")), REPAIRED, places=BOTH),
    row(
        "D1",
        "date-future",
        one_record(sub(DATE, rb"<datestamp>2999-01-01T00:00:00Z</datestamp>")),
        REPAIRED,
        places=BOTH,
    ),
    row("D1", "date-none", one_record(sub(DATE, b"")), REPAIRED, places=BOTH),
    row(
        "D1",
        "response-local",
        on_lists(sub(RESPONSE, b"<responseDate>2026-01-21T16:39:17.637366-06:00</responseDate>")),
        COMPLETE,
    ),
    row("D1", "response-nonsense", on_lists(sub(RESPONSE, b"<responseDate>now</responseDate>")), REPORTED),
    row(
        "D1", "response-future", on_lists(sub(RESPONSE, b"<responseDate>2999-01-01T00:00:00Z</responseDate>")), COMPLETE
    ),
    row("D2", "granularity-untrue", with_new_record(days_only), Expected(extra=(COUNT,)), runs=WITH_UPDATE),
    row(
        "D2",
        "granularity-case",
        with_new_record(identify(b"YYYY-MM-DDThh:mm:ssZ", b"yyyy-MM-DDTHH:MM:SSz")),
        Expected(extra=(COUNT,)),
        runs=WITH_UPDATE,
    ),
    row(
        "D2",
        "granularity-day",
        with_new_record(from_source(with_facts(granularity="YYYY-MM-DD"))),
        Expected(extra=(COUNT,)),
        runs=WITH_UPDATE,
    ),
    row(
        "D2",
        "granularity-mixed",
        with_new_record(one_record(sub(rb"T\d\d:\d\d:\d\dZ</datestamp>", b"</datestamp>"))),
        Expected(extra=(COUNT,)),
        runs=WITH_UPDATE,
    ),
    row("D3", "from-exclusive", with_new_record(from_exclusive), Expected(extra=(COUNT,)), runs=WITH_UPDATE),
    row("D3", "from-ignored", with_new_record(dates_ignored), Expected(extra=(COUNT,)), runs=WITH_UPDATE),
    row("D3", "from-refused", with_new_record(no_dates), Expected(extra=(COUNT,), reported=True), runs=WITH_UPDATE),
    row("D3", "from-later", with_new_record(dates_in_jst), Expected(extra=(), live="any"), runs=WITH_UPDATE),
    row("D4", "earliest-late", identify(rb"(<earliestDatestamp>)[^<]*", rb"\g<1>2030-01-01T00:00:00Z"), REPORTED),
    row("D4", "earliest-nonsense", identify(rb"(<earliestDatestamp>)[^<]*", rb"\g<1>0000-00-00"), REPORTED),
    row("D5", "out-of-order", reversed_pages, COMPLETE),
    row("I1", "identify-missing", list_records_only(lambda request: oai_error(request, "badVerb")), COMPLETE),
    row("I1", "identify-404", list_records_only(lambda request: Reply(b"", 404)), COMPLETE),
    row("I1", "identify-500", list_records_only(lambda request: Reply(b"", 500)), COMPLETE),
    row("I1 H4", "identify-reset", on_identify(wire.sent_by(wire.reset_at_once)), COMPLETE),
    row("I1 H2", "identify-503", on_identify(status(503)), COMPLETE),
    row("I1 H7", "identify-hangs", on_identify(wire.sent_by(wire.hang)), COMPLETE),
    row("I2", "base-url-other", identify(rb"<baseURL>[^<]*", b"<baseURL>http://127.0.0.1:9/forbidden"), REPORTED),
    row("E1", "no-records", list_error("noRecordsMatch"), Expected(live="none", reported=True)),
    row("E1", "no-news", later(list_error("noRecordsMatch")), Expected(live="all", unchanged=True), runs=WITH_UPDATE),
    row("E2", "error-unknown", error("InternalException", 1), COMPLETE),
    row("E2", "error-unknown-for-ever", error("InternalException"), fails("oai.", "run.")),
    row("E2", "error-empty", error("", 1), COMPLETE),
    row("E2", "error-beside-records", beside_records, REPORTED),
    row("S1", "set-removed", later(list_error("noRecordsMatch")), KEPT, runs=TWICE, feed=IN_SET),
    row("S1", "set-renamed", later(list_error("badArgument")), KEPT, runs=TWICE, feed=IN_SET),
    row(
        "S2",
        "set-left",
        deletions_not_kept(later(from_source(with_one_changed(GONE, leaves_set)))),
        DELETED,
        runs=TWICE,
        feed=IN_SET,
    ),
    row("S2", "set-deletes", deletion(rb"x^", b""), DELETED, runs=TWICE, feed=IN_SET),
    row("S3", "set-unsaid", every_record(sub(rb"<setSpec>[^<]*</setSpec>", b"")), COMPLETE, feed=IN_SET),
    row("S3", "sets-twice", sets_twice, COMPLETE, feed=IN_SET),
    row(
        "S3",
        "sets-none",
        list_records_only(
            lambda request: (
                oai_error(request, "noSetHierarchy") if request.get("verb") == "ListSets" else no_fault(request)
            )
        ),
        COMPLETE,
        feed=IN_SET,
    ),
)
