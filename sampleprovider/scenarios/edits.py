"""Makes faulty replies: damages a record, a resumption token or a whole document, or puts wrong records in. Pure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from sampleprovider.replies import FIRST, LAST, OAI, RESOURCESYNC, Reply, Request
from sampleprovider.scenarios.base import Change, Fault
from sampleprovider.source import SampleRecord, SampleSource

RECORD = re.compile(rb"<record>.*?</record>\n?", re.DOTALL)
ITEM = re.compile(rb"<item\b[^>]*>.*?</item>\n?", re.DOTALL)
URL = re.compile(rb"<url>.*?</url>\n?", re.DOTALL)
TITLE = re.compile(rb"<(?:\w+:)?title[^>]*>")
METADATA = re.compile(rb"<metadata>.*?</metadata>", re.DOTALL)
TOKEN = re.compile(rb"<resumptionToken([^>]*)>([^<]*)</resumptionToken>\n?")
CURSOR = re.compile(rb' cursor="(\d+)"')

# Position in the whole list of the damaged record, by place: on the first page, on the last, in the middle
POSITIONS = {FIRST: 1, LAST: -2, "": 4}

type Edit = Callable[[bytes], bytes]


def listing(source: SampleSource) -> list[SampleRecord]:
    """All records in the order of the lists."""
    return list(source.holdings.listing(source.prefixes[0], ""))


def target(request: Request) -> SampleRecord:
    """The record that a fault of one record damages."""
    records = listing(request.source)
    return records[min(POSITIONS[request.place], len(records) - 1)]


def edit_target(request: Request, reply: Reply, edit: Edit) -> Reply:
    """Edit the record, item or entry of the target, if it is in the reply."""
    record = target(request)
    if request.protocol == OAI:
        pattern, key = RECORD, f"<identifier>{record.identifier}</identifier>"
    else:
        pattern, key = (
            (URL, f"/{record.local_id}.xml<") if request.protocol == RESOURCESYNC else (ITEM, record.local_id)
        )

    def edit_match(match: re.Match[bytes]) -> bytes:
        return edit(match[0]) if key.encode() in match[0] else match[0]

    return replace(reply, body=pattern.sub(edit_match, reply.body))


def one_record(edit: Edit) -> Fault:
    """Edit one record wherever it is listed."""
    return lambda request: edit_target(request, request.answer(), edit)


def every_record(edit: Edit) -> Fault:
    """Edit all records."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        return replace(reply, body=RECORD.sub(lambda match: edit(match[0]), reply.body))

    return fault


def in_title(text: bytes) -> Edit:
    """Insert bytes at the start of the title."""
    return lambda record: TITLE.sub(lambda match: match[0] + text, record, count=1)


def in_metadata(content: bytes) -> Edit:
    """Replace the metadata element."""
    return lambda record: METADATA.sub(lambda _match: content, record)


def replaced(old: bytes, new: bytes, count: int = -1) -> Edit:
    """Replace bytes."""
    return lambda record: record.replace(old, new, count)


def sub(pattern: bytes, new: bytes) -> Edit:
    """Replace the matches of a pattern."""
    return lambda record: re.sub(pattern, new, record, flags=re.DOTALL)


def on_lists(edit: Edit) -> Fault:
    """Edit the whole documents that list records."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        return replace(reply, body=edit(reply.body)) if request.is_list else reply

    return fault


def edited(edit: Edit) -> Change:
    """Return a change that edits the whole body."""
    return lambda request, reply: replace(reply, body=edit(reply.body))


def token_of(body: bytes) -> str:
    """Return the resumptionToken of a page, "" if it has none."""
    match = TOKEN.search(body)
    return match[2].decode() if match else ""


def with_token(reply: Reply, token: str) -> Reply:
    """Return the page with another token, which is not escaped."""
    return replace(reply, body=TOKEN.sub(lambda match: _token_element(match[1], token), reply.body))


def _token_element(attributes: bytes, token: str) -> bytes:
    return b"<resumptionToken%s>%s</resumptionToken>" % (attributes, token.encode())


def cursor_of(body: bytes) -> int:
    """Return the cursor of a page, -1 if it has none."""
    match = CURSOR.search(body)
    return int(match[1]) if match else -1


def answer_token(request: Request, token: str) -> Reply:
    """Return the correct reply as if the request had this token."""
    return request.answer(
        params=[(name, token if name == "resumptionToken" else value) for name, value in request.params]
    )


def oai_error(request: Request, code: str) -> Reply:
    """Return an OAI-PMH response with only an error."""
    frame = request.answer(params=[("verb", "Identify")]).body
    start, end = frame.index(b"<Identify>"), frame.index(b"</Identify>") + len(b"</Identify>")
    return Reply(frame[:start] + f'<error code="{code}">{code}</error>'.encode() + frame[end:])


def list_response(request: Request, content: bytes) -> Reply:
    """Return an OAI-PMH response to ListRecords with this content."""
    frame = request.answer(params=[("verb", "Identify")]).body
    start, end = frame.index(b"<Identify>"), frame.index(b"</Identify>") + len(b"</Identify>")
    return Reply(frame[:start] + b"<ListRecords>" + content + b"</ListRecords>" + frame[end:])


def now() -> str:
    """Return the current time as a datestamp."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def from_source(change: Callable[[SampleSource], SampleSource]) -> Fault:
    """Reply correctly from a changed source."""
    return lambda request: request.answer(source=change(request.source))


def with_records(change: Callable[[list[SampleRecord]], Iterable[SampleRecord]]) -> Callable[..., SampleSource]:
    """Return a function that changes the records of a source."""
    return lambda source: replace(source, records=list(change(listing(source))))


def with_facts(**facts: object) -> Callable[[SampleSource], SampleSource]:
    """Return a function that changes attributes of a source and keeps its records."""
    return lambda source: replace(source, records=source.holdings, **facts)  # type: ignore[arg-type]


def as_deleted(record: SampleRecord, datestamp: str = "") -> SampleRecord:
    """Return the record as deleted."""
    return replace(record, deleted=True, payloads={}, datestamp=datestamp or record.datestamp)


def with_one_changed(position: int, change: Callable[[SampleRecord], SampleRecord]) -> Callable[..., SampleSource]:
    """Return a function that changes one record of a source."""
    return with_records(
        lambda records: [change(record) if at == position else record for at, record in enumerate(records)]
    )
