"""Ways to damage a right reply: one record, a token, the whole document; or to answer from other records. Pure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from sampleprovider.replies import FIRST, LAST, OAI, RESOURCESYNC, Asked, Reply
from sampleprovider.scenarios.base import Change, Fault
from sampleprovider.source import SampleRecord, SampleSource

RECORD = re.compile(rb"<record>.*?</record>\n?", re.DOTALL)
ITEM = re.compile(rb"<item\b[^>]*>.*?</item>\n?", re.DOTALL)
URL = re.compile(rb"<url>.*?</url>\n?", re.DOTALL)
TITLE = re.compile(rb"<(?:\w+:)?title[^>]*>")
METADATA = re.compile(rb"<metadata>.*?</metadata>", re.DOTALL)
TOKEN = re.compile(rb"<resumptionToken([^>]*)>([^<]*)</resumptionToken>\n?")
CURSOR = re.compile(rb' cursor="(\d+)"')

# Which record of the whole list is damaged, by place: on the first page, on the last, in the middle
POSITIONS = {FIRST: 1, LAST: -2, "": 4}

type Edit = Callable[[bytes], bytes]


def listing(source: SampleSource) -> list[SampleRecord]:
    """All records in the order of their lists."""
    return list(source.holdings.listing(source.prefixes[0], ""))


def target(asked: Asked) -> SampleRecord:
    """The record that a fault of one record falls upon."""
    records = listing(asked.source)
    return records[min(POSITIONS[asked.place], len(records) - 1)]


def damaged(asked: Asked, reply: Reply, edit: Edit) -> Reply:
    """The reply with the target's record, item or entry edited, if it stands in it."""
    record = target(asked)
    if asked.protocol == OAI:
        pattern, key = RECORD, f"<identifier>{record.identifier}</identifier>"
    else:
        pattern, key = (URL, f"/{record.local_id}.xml<") if asked.protocol == RESOURCESYNC else (ITEM, record.local_id)

    def edited(found: re.Match[bytes]) -> bytes:
        return edit(found[0]) if key.encode() in found[0] else found[0]

    return replace(reply, body=pattern.sub(edited, reply.body))


def one_record(edit: Edit) -> Fault:
    """One record is damaged, wherever it is listed."""
    return lambda asked: damaged(asked, asked.answer(), edit)


def each_record(edit: Edit) -> Fault:
    """Every record is."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        return replace(reply, body=RECORD.sub(lambda found: edit(found[0]), reply.body))

    return fault


def in_title(text: bytes) -> Edit:
    """These bytes at the start of the title."""
    return lambda record: TITLE.sub(lambda found: found[0] + text, record, count=1)


def in_metadata(content: bytes) -> Edit:
    """This in the place of the metadata element."""
    return lambda record: METADATA.sub(lambda found: content, record)


def swapped(old: bytes, new: bytes, count: int = -1) -> Edit:
    """Other bytes."""
    return lambda record: record.replace(old, new, count)


def matched(pattern: bytes, new: bytes) -> Edit:
    """Other bytes where the pattern is found."""
    return lambda record: re.sub(pattern, new, record, flags=re.DOTALL)


def on_lists(edit: Edit) -> Fault:
    """The documents that list records are edited as a whole."""

    def fault(asked: Asked) -> Reply:
        reply = asked.answer()
        return replace(reply, body=edit(reply.body)) if asked.is_list else reply

    return fault


def edited(edit: Edit) -> Change:
    """A change that edits the whole body."""
    return lambda asked, reply: replace(reply, body=edit(reply.body))


def token_of(body: bytes) -> str:
    """The resumptionToken that a page ends with, "" for none."""
    found = TOKEN.search(body)
    return found[2].decode() if found else ""


def with_token(reply: Reply, token: str) -> Reply:
    """The page with another token, which is written as it is."""
    return replace(reply, body=TOKEN.sub(lambda found: _written(found[1], token), reply.body))


def _written(attributes: bytes, token: str) -> bytes:
    return b"<resumptionToken%s>%s</resumptionToken>" % (attributes, token.encode())


def cursor_of(body: bytes) -> int:
    """Where a page begins in its list, -1 where it does not say."""
    found = CURSOR.search(body)
    return int(found[1]) if found else -1


def as_token(asked: Asked, token: str) -> Reply:
    """The right answer as if this token had been sent."""
    return asked.answer(params=[(name, token if name == "resumptionToken" else value) for name, value in asked.params])


def oai_error(asked: Asked, code: str) -> Reply:
    """An OAI-PMH response with nothing but an error."""
    frame = asked.answer(params=[("verb", "Identify")]).body
    start, end = frame.index(b"<Identify>"), frame.index(b"</Identify>") + len(b"</Identify>")
    return Reply(frame[:start] + f'<error code="{code}">{code}</error>'.encode() + frame[end:])


def listed(asked: Asked, content: bytes) -> Reply:
    """An OAI-PMH response with this list."""
    frame = asked.answer(params=[("verb", "Identify")]).body
    start, end = frame.index(b"<Identify>"), frame.index(b"</Identify>") + len(b"</Identify>")
    return Reply(frame[:start] + b"<ListRecords>" + content + b"</ListRecords>" + frame[end:])


def now() -> str:
    """The moment as a datestamp."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def other(change: Callable[[SampleSource], SampleSource]) -> Fault:
    """The right answer of another source."""
    return lambda asked: asked.answer(source=change(asked.source))


def with_records(change: Callable[[list[SampleRecord]], Iterable[SampleRecord]]) -> Callable[..., SampleSource]:
    """The source with other records, by default the order of their datestamps."""
    return lambda source: replace(source, records=list(change(listing(source))))


def with_facts(**facts: object) -> Callable[[SampleSource], SampleSource]:
    """The source with other facts and the same records."""
    return lambda source: replace(source, records=source.holdings, **facts)  # type: ignore[arg-type]


def as_deleted(record: SampleRecord, datestamp: str = "") -> SampleRecord:
    """The record, deleted."""
    return replace(record, deleted=True, payloads={}, datestamp=datestamp or record.datestamp)


def changing(position: int, change: Callable[[SampleRecord], SampleRecord]) -> Callable[..., SampleSource]:
    """The source with one record changed."""
    return with_records(lambda all_: [change(each) if at == position else each for at, each in enumerate(all_)])
