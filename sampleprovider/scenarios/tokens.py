"""Scenarios about resumptionTokens and lists (faults.md: T1 to T14)."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import escape, unescape

from sampleprovider import wire
from sampleprovider.replies import Reply, Request
from sampleprovider.scenarios.base import BOTH, COMPLETE, FULL, INCREMENTAL, REPORTED, VISIBLE, Expected, Fault, row
from sampleprovider.scenarios.edits import (
    RECORD,
    TITLE,
    TOKEN,
    answer_token,
    cursor_of,
    list_response,
    now,
    oai_error,
    on_lists,
    one_record,
    replaced,
    token_of,
    with_token,
)
from sampleprovider.source import SampleRecord, SampleSource
from sampleprovider.trial import COUNT, trial_record

RESERVED = "&=+%2F?#;: /日本<\">'"
SIZE = re.compile(rb'completeListSize="\d+"')
MAX_AT_ONCE = 6
YEAR = timedelta(days=366)
BAD_TOKEN = "badResumptionToken"  # noqa: S105  (an error code of the protocol)


def own_token(request: Request) -> Reply:
    """The token of a later page leads to the same page again."""
    reply = request.answer()
    return with_token(reply, request.get("resumptionToken")) if "resumptionToken" in request else reply


def cycle(request: Request) -> Reply:
    """The token of the third page leads back to the second."""
    reply = request.answer()
    if not request.is_list:
        return reply
    if "resumptionToken" not in request:
        request.visits.memory["first"] = token_of(reply.body)
    elif cursor_of(reply.body) == 2 * request.source.page_size:
        return with_token(reply, request.visits.memory["first"])
    return reply


def same_text(request: Request) -> Reply:
    """The token is always the same; the server keeps the position."""
    memory = request.visits.memory
    reply = answer_token(request, memory.get("next", "")) if "resumptionToken" in request else request.answer()
    if request.is_list:
        memory["next"] = token_of(reply.body)
    return with_token(reply, "next") if memory.get("next") else reply


def same_text_lost(request: Request) -> Reply:
    """The token is always the same, and one page is cut off after the server has moved on."""
    reply = same_text(request)
    return replace(reply, wire=wire.cut) if "resumptionToken" in request and request.tries == 2 else reply


def after_the_end(fault: Fault) -> Fault:
    """The last page has a token, which leads to this fault."""

    def wrapped(request: Request) -> Reply:
        if request.get("resumptionToken") == "behind":
            return fault(request)
        reply = request.answer()
        return reply.replaced(b"></resumptionToken>", b">behind</resumptionToken>") if request.is_list else reply

    return wrapped


def expired(times: int) -> Fault:
    """Tokens are refused from the seventh record of the list on. times: how often a token is refused, 0 = always."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        refused = "resumptionToken" in request and cursor_of(reply.body) >= 6
        return oai_error(request, BAD_TOKEN) if refused and not (times and request.tries > times) else reply

    return fault


def single_use(request: Request) -> Reply:
    """A token can be used once only; one page of the first list is lost to a status 500."""
    if "resumptionToken" not in request:
        reply = request.answer()
    else:
        token, _, number = request.get("resumptionToken").rpartition(".")
        if request.tries > 1 or number != str(request.lists):
            return oai_error(request, BAD_TOKEN)
        reply = answer_token(request, token)
        if request.lists == 1 and cursor_of(reply.body) == 2 * request.source.page_size:
            return Reply(b"", 500)
    token = token_of(reply.body)
    return with_token(reply, f"{token}.{request.lists}") if token else reply


def longer_token(tail: str) -> Fault:
    """All tokens end with `tail`, and must be sent back unchanged."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        if "resumptionToken" in request:
            if not request.get("resumptionToken").endswith(tail):
                return oai_error(request, BAD_TOKEN)
            reply = answer_token(request, request.get("resumptionToken").removesuffix(tail))
        token = unescape(token_of(reply.body))
        return with_token(reply, escape(token + tail)) if token else reply

    return fault


def attributed(pattern: bytes, attributes: bytes) -> Fault:
    """Replace attributes of the token."""
    return on_lists(lambda body: re.sub(pattern, attributes, body))


def overlapping(request: Request) -> Reply:
    """All pages begin with the last record of the previous page."""
    reply, memory = request.answer(), request.visits.memory
    records = RECORD.findall(reply.body)
    if request.is_list and records:
        if "resumptionToken" in request and "last" in memory:
            first = b"<ListRecords>\n"
            reply = reply.replaced(first, first + memory["last"].encode(), 1)
        memory["last"] = records[-1].decode()
    return reply


def skipping(request: Request) -> Reply:
    """One record is never listed, another one twice: the sort order has changed between two pages."""
    records = [trial_record(4), trial_record(5)]
    names = [f":{record.local_id}<".encode() for record in records]
    reply = request.answer()
    elements = {name: element for element in RECORD.findall(reply.body) for name in names if name in element}
    if len(elements) < len(names):
        return reply
    return reply.replaced(elements[names[1]], elements[names[0]])


def growing(request: Request) -> Reply:
    """A record is created while the first list is read; it is in the later lists."""
    memory = request.visits.memory
    if request.round > 1:
        new_record = replace(trial_record(COUNT), datestamp=memory.get("made", now()))
        return request.answer(source=_with(request.source, new_record))
    if "resumptionToken" in request:
        memory["made"] = now()
    return request.answer()


def _with(source: SampleSource, record: SampleRecord) -> SampleSource:
    return replace(source, records=[*source.holdings.listing(source.prefixes[0], ""), record])


def empty_page(request: Request) -> Reply:
    """There is a page without records between the first and the second."""
    token = request.get("resumptionToken")
    if token.startswith("gap."):
        return list_response(request, f"<resumptionToken>{token.removeprefix('gap.')}</resumptionToken>".encode())
    reply = request.answer()
    if request.is_list and not token and token_of(reply.body):
        return with_token(reply, f"gap.{token_of(reply.body)}")
    return reply


def empty_for_ever(request: Request) -> Reply:
    """After the first page there are only pages without records, always with a new token."""
    if "resumptionToken" not in request:
        return request.answer()
    return list_response(request, f"<resumptionToken>more.{request.visits.total}</resumptionToken>".encode())


def at_most_one_year(request: Request) -> Reply:
    """Lists of more than a year are refused."""
    if not request.is_list or "resumptionToken" in request:
        return request.answer()
    from_, until = request.get("from"), request.get("until")
    end = _datetime(until) if until else datetime.now(UTC)
    if not from_ or end - _datetime(from_) > YEAR:
        return oai_error(request, "badArgument")
    return request.answer()


def _datetime(value: str) -> datetime:
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


def too_many(request: Request) -> Reply:
    """Status 413 for lists of more than a few records."""
    reply = request.answer()
    size = re.search(rb'completeListSize="(\d+)"', reply.body)
    if request.is_list and size and int(size[1]) > MAX_AT_ONCE:
        return Reply(b"Request Entity Too Large", 413, "text/plain")
    return reply


def ends_early(request: Request) -> Reply:
    """The second page has no token, although the list continues."""
    reply = request.answer()
    if "resumptionToken" in request and cursor_of(reply.body) == request.source.page_size:
        return replace(reply, body=TOKEN.sub(b"", reply.body))
    return reply


def sizeless(request: Request, reply: Reply) -> Reply:
    """Remove completeListSize and cursor."""
    pattern = rb'<resumptionToken completeListSize="\d+" cursor="\d+"'
    return replace(reply, body=re.sub(pattern, b"<resumptionToken", reply.body))


def ends_early_sizeless(request: Request) -> Reply:
    """In the second harvest the list ends with its first page, without any indication of its size."""
    reply = sizeless(request, request.answer())
    is_short = request.round > 1 and request.is_list
    return replace(reply, body=TOKEN.sub(b"", reply.body)) if is_short else reply


def twice(record: bytes) -> bytes:
    """Two different records with the same identifier and datestamp."""
    return record + TITLE.sub(lambda match: match[0] + "別の本 ".encode(), record, count=1)


def one_page(source: SampleSource) -> SampleSource:
    """500 records on one page."""
    return replace(source, records=[trial_record(number) for number in range(500)], page_size=1000)


LOOPS = Expected(states=("failed", "succeeded"), codes=("oai.", "run."), live="any", reported=True, requests=300)
BY_WINDOWS = Expected(requests=400)

TOKENS = (
    row("T1", "token-blank", on_lists(replaced(b"></resumptionToken>", b"> \n\t </resumptionToken>")), COMPLETE),
    row(
        "T1",
        "token-none",
        on_lists(lambda body: re.sub(rb"<resumptionToken[^>]*></resumptionToken>", b"", body)),
        COMPLETE,
    ),
    row(
        "T1",
        "token-bare",
        on_lists(lambda body: re.sub(rb"<resumptionToken[^>]*></resumptionToken>", b"<resumptionToken/>", body)),
        COMPLETE,
    ),
    row("T2", "token-own", own_token, LOOPS),
    row("T2", "token-cycle", cycle, LOOPS),
    row("T3", "token-same-text", same_text, COMPLETE),
    row("T3", "token-same-text-lost", same_text_lost, VISIBLE),
    row("T4", "token-behind-empty", after_the_end(lambda request: list_response(request, b"")), COMPLETE),
    row("T4", "token-behind-no-records", after_the_end(lambda request: oai_error(request, "noRecordsMatch")), COMPLETE),
    row("T4", "token-behind-refused", after_the_end(lambda request: oai_error(request, BAD_TOKEN)), COMPLETE),
    row("T5", "token-expires", expired(1), COMPLETE),
    row("T5", "token-once", single_use, COMPLETE),
    row("T5 T11", "token-expires-always", expired(0), BY_WINDOWS),
    row(
        "T5",
        "token-expired-said",
        attributed(rb"<resumptionToken ", b'<resumptionToken expirationDate="2020-01-01T00:00:00Z" '),
        COMPLETE,
    ),
    row("T6", "token-reserved", longer_token(RESERVED), COMPLETE),
    row("T6", "token-long", longer_token("x" * 4000), COMPLETE),
    row("T7", "size-too-small", attributed(rb'completeListSize="\d+"', b'completeListSize="1"'), REPORTED),
    row("T7", "size-too-large", attributed(rb'completeListSize="\d+"', b'completeListSize="9999"'), REPORTED),
    row("T7", "size-nonsense", attributed(rb'completeListSize="\d+"', b'completeListSize="many"'), COMPLETE),
    row("T7", "cursor-untrue", attributed(rb'cursor="\d+"', b'cursor="7"'), COMPLETE),
    row("T8", "pages-overlap", overlapping, COMPLETE),
    row("T8", "unstable-sort", skipping, VISIBLE),
    row("T9", "list-grows", growing, Expected(extra=(COUNT,)), runs=(FULL, INCREMENTAL)),
    row("T10", "empty-page", empty_page, COMPLETE),
    row("T10", "empty-for-ever", empty_for_ever, LOOPS),
    row("T11", "window-one-year", at_most_one_year, BY_WINDOWS),
    row("T11", "window-too-large", too_many, BY_WINDOWS),
    row("T12", "token-missing", ends_early, VISIBLE),
    row(
        "T12",
        "token-missing-later",
        ends_early_sizeless,
        Expected(states=("succeeded", "paused", "failed"), live="all", reported=True),
        runs=(FULL, FULL),
    ),
    row("T13", "two-under-one", one_record(twice), REPORTED, places=BOTH),
    row("T14", "huge-page", lambda request: request.answer(), COMPLETE, adapt=one_page),
)
