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
from harvesting.types import RECEIVED_TAG, HarvestedRecord, Recognise
from metadata.xml.parsing import XmlError, parse

# To be raised by a release that reads other values from the same record element. The records are then read again.
VERSION = 1
CONTEXT_SIZE, DIGEST_SIZE = 8, 16  # bytes
END = b"</record>"
# The beginning of a record whose header has the parts of the schema, in their order. Other records are not found; if a
# page has one, the records that are read of it are not those that it was cut into.
_HEAD = re.compile(
    rb"<record>\s*<header[^<>]*>\s*<identifier>([^<]*)</identifier>\s*<datestamp>[^<]*</datestamp>\s*"
    rb"(?:<setSpec>[^<]*</setSpec>\s*)*</header>"
)


class Piece(NamedTuple):
    """A record in the bytes of a page. identifier: according to its header; proven only when the record is read."""

    identifier: str
    start: int
    end: int


type Groups = Sequence[tuple[bool, Sequence[Piece]]]  # pieces that follow each other, and whether they are known


@dataclass(frozen=True, slots=True)
class Recognised:
    """A page without its known records.

    root: the parsed page, with one element that has the attribute `mark` in the place of each of `runs`.
    runs: known records that follow each other. identifiers, digests: of the other records, which were parsed.
    """

    root: etree._Element
    mark: str = ""
    runs: Sequence[Sequence[HarvestedRecord]] = ()
    identifiers: Sequence[str] = ()
    digests: Sequence[bytes] = ()


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
    identifiers = [piece.identifier for piece in pieces]
    digests = _digests(body, pieces, context, requested_set)
    known = ask(_once(identifiers, digests))
    if not known:
        root = _with_marks(body, [(False, pieces)], mark, verb)
        return None if root is None else Recognised(root, mark, (), identifiers, digests)
    others = [(name, digest) for name, digest in zip(identifiers, digests, strict=True) if name not in known]
    groups = [(same, list(group)) for same, group in groupby(pieces, lambda piece: piece.identifier in known)]
    if others:
        root = _with_marks(body, groups, mark, verb)
    if root is None:
        return None
    runs = [[known[piece.identifier] for piece in group] for same, group in groups if same]
    return Recognised(root, mark, runs, [name for name, _digest in others], [digest for _name, digest in others])


def agrees(page: Recognised, records: Iterable[HarvestedRecord]) -> bool:
    """Whether the records that were read of the page are those that it was cut into."""
    return [record.identifier for record in records if not record.stored_as] == list(page.identifiers)


def _once(identifiers: Sequence[str], digests: Sequence[bytes]) -> dict[str, bytes]:
    """The digests by identifier, without identifiers that come twice."""
    found = dict(zip(identifiers, digests, strict=True))
    if len(found) < len(identifiers):
        for name, count in Counter(identifiers).items():
            if count > 1:
                del found[name]
    return found


def _cut(body: bytes) -> list[Piece]:
    """The records of a page; [] if there are none with a usual header, or if anything is between them.

    The last </record> in front of the next record ends a record, because formats have elements of that name, too.
    """
    heads = [(head.start(), head[1]) for head in _HEAD.finditer(body)]
    pieces = []
    for number, (start, name) in enumerate(heads, 1):
        following = heads[number][0] if number < len(heads) else len(body)
        end = body.rfind(END, start, following) + len(END)
        if end <= start or (following < len(body) and end < following and not body[end:following].isspace()):
            return []
        try:
            identifier = name.decode().strip()
        except UnicodeDecodeError:
            return []
        pieces.append(Piece(unescape(identifier) if "&" in identifier else identifier, start, end))
    return pieces


def _with_marks(body: bytes, groups: Groups, mark: str, verb: str) -> etree._Element | None:
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


def _document(body: bytes, groups: Groups, mark: str) -> bytes:
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


def _digests(body: bytes, pieces: Iterable[Piece], context: bytes, requested_set: str) -> list[bytes]:
    """A digest of each record, as in `HarvestedRecord.received`: over its bytes and the context."""
    sha256, view = hashlib.sha256, memoryview(body)
    tag = sha256(f"{VERSION} {requested_set}".encode()).digest()[:RECEIVED_TAG]
    around = tag + sha256(context).digest()[:CONTEXT_SIZE]
    return [around + sha256(view[start:end]).digest()[:DIGEST_SIZE] for _identifier, start, end in pieces]
