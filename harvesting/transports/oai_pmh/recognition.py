"""Recognises the records of a page that are stored exactly as they were received, so that they need not be parsed.

A page is cut into its records by their tags, and each record gets a digest over its bytes and over what gives them
their meaning. Which digests are known is asked of a function that is passed in (`HarvestRequest.recognise`). A mark
takes the place of known records, and the page is parsed. If the mark turns up as a record of the list, the parser was
in the middle of the list there, as it was when the known records were read for the first time; so it would read them
in the same way now. All else on the page is parsed as usual, and so is a page that cannot be cut with certainty.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from secrets import token_hex
from typing import NamedTuple
from xml.sax.saxutils import unescape

from lxml import etree

from harvesting.transports.oai_pmh.envelope import local_name
from harvesting.types import HarvestedRecord, Recognise
from metadata.xml.parsing import XmlError, parse

# To be raised by a release that reads other values from the same record element. The records are then read again.
VERSION = 1
TAG_SIZE, DIGEST_SIZE = 4, 16  # bytes
START, END = b"<record>", b"</record>"
# A header with its parts in the order of the schema, and nothing else. Other records are not recognised.
_HEAD = re.compile(
    rb"<record>\s*<header[^<>]*>\s*<identifier>([^<]*)</identifier>\s*<datestamp>[^<]*</datestamp>\s*"
    rb"(?:<setSpec>[^<]*</setSpec>\s*)*</header>"
)


class Piece(NamedTuple):
    """A record in the bytes of a page. identifier: according to its header; proven only when the record is read.

    digest: over the bytes from `start` to `end`, the namespaces around them, and how they are read.
    """

    identifier: str
    start: int
    end: int
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A page without its known records.

    root: the parsed page, with one element that has the attribute `mark` in the place of each of `runs`.
    runs: known records that follow each other. others: the records that were parsed.
    """

    root: etree._Element
    mark: str = ""
    runs: Sequence[Sequence[HarvestedRecord]] = ()
    others: Sequence[Piece] = ()


def recognise(body: bytes, verb: str, requested_set: str, ask: Recognise) -> Recognised | None:
    """Return the page without its known records; None if it must be read as a whole.

    ask: says which of these records are known. A record that comes twice on the page is not asked about.
    """
    pieces = _cut(body)
    if not pieces:
        return None
    mark = f"known-{token_hex(8)}"  # the provider cannot know it
    root = _with_marks(body, [(True, pieces)], mark, verb)
    context = _context(root, verb) if root is not None else b""
    if root is None or not context:
        return None
    pieces = _with_digests(body, pieces, context, requested_set)
    counts = Counter(piece.identifier for piece in pieces)
    known = ask({piece.identifier: piece.digest for piece in pieces if counts[piece.identifier] == 1})
    groups = [(same, list(group)) for same, group in groupby(pieces, lambda piece: piece.identifier in known)]
    others = [piece for same, group in groups if not same for piece in group]
    if others:
        root = _with_marks(body, groups, mark, verb)
    if root is None:
        return None
    return Recognised(
        root, mark, [[known[piece.identifier] for piece in group] for same, group in groups if same], others
    )


def agrees(page: Recognised, records: Iterable[HarvestedRecord]) -> bool:
    """Whether the records that were read of the page are those that it was cut into."""
    return [record.identifier for record in records if not record.stored_as] == [
        piece.identifier for piece in page.others
    ]


def _cut(body: bytes) -> list[Piece]:
    """The records of a page; [] if there are none, or if one of them is not of the usual form.

    The last </record> in front of the next <record> ends a record, because formats have elements of that name, too.
    """
    pieces = []
    start = body.find(START)
    while start >= 0:
        following = body.find(START, start + len(START))
        end = body.rfind(END, start, following if following >= 0 else len(body)) + len(END)
        head = _HEAD.match(body, start)
        if head is None or end <= start or (following >= 0 and body[end:following].strip()):
            return []
        try:
            identifier = head[1].decode().strip()
        except UnicodeDecodeError:
            return []
        pieces.append(Piece(unescape(identifier), start, end))
        start = following
    return pieces


def _with_marks(
    body: bytes, groups: Sequence[tuple[bool, Sequence[Piece]]], mark: str, verb: str
) -> etree._Element | None:
    """Parse the page with a mark in the place of each group that is known (True).

    None if that is not possible, or if the marks do not become records of the only list.
    """
    try:
        root = parse(_document(body, groups, mark))
    except XmlError:
        return None
    found = _only_list(root, verb)
    marks = 0 if found is None else sum(child.get(mark) is not None for child in found)
    return root if marks == sum(same for same, _group in groups) else None


def _document(body: bytes, groups: Sequence[tuple[bool, Sequence[Piece]]], mark: str) -> bytes:
    if not any(same for same, _group in groups):
        return body
    element = f'<record {mark}=""/>'.encode()
    records = [element if same else body[group[0].start : group[-1].end] for same, group in groups]
    return b"".join((body[: groups[0][1][0].start], *records, body[groups[-1][1][-1].end :]))


def _only_list(root: etree._Element, verb: str) -> etree._Element | None:
    """The element named after the verb, if the response has exactly one."""
    found = [child for child in root if local_name(child) == verb]
    return found[0] if len(found) == 1 and local_name(root) == "OAI-PMH" else None


def _context(root: etree._Element, verb: str) -> bytes:
    """What gives the records of a page their meaning beside their bytes: the namespaces declared around them.

    b"" if there is more, or if there are other records than the one mark. root: the page with a mark for all records.
    """
    found, docinfo = _only_list(root, verb), root.getroottree().docinfo
    if found is None or docinfo.internalDTD is not None or (docinfo.encoding or "").upper() != "UTF-8":
        return b""
    if len(list(root.iter("{*}record"))) != 1:
        return b""
    return repr((list(found.nsmap.items()), docinfo.xml_version)).encode()


def _with_digests(body: bytes, pieces: Iterable[Piece], context: bytes, requested_set: str) -> list[Piece]:
    """The records with their digests. The first bytes of each digest change only with `VERSION` and our own request."""
    tag = hashlib.sha256(f"{VERSION} {requested_set}".encode()).digest()[:TAG_SIZE]
    begun, view, result = hashlib.sha256(context), memoryview(body), []
    for identifier, start, end, _ in pieces:
        digest = begun.copy()
        digest.update(view[start:end])
        result.append(Piece(identifier, start, end, tag + digest.digest()[:DIGEST_SIZE]))
    return result
