"""Reads the elements of an XML stream of any size one at a time, in constant memory. No knowledge of formats.

Strict: XML that is not well-formed raises an XmlError. `salvage` recovers the good records of a broken document.
"""

import codecs
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from lxml import etree

from harvesting.types import TransportError
from metadata.xml.parsing import PARSER_OPTIONS, XmlError, refuse_doctype, refuse_entities, syntax_error

CHUNK = 256 * 1024
MAX_ELEMENT_BYTES = 16 * 1024 * 1024  # from the end of one element to the end of the next
PEEK_BYTES = 1024 * 1024  # read to recognise the format
MAX_TAGS = 400
# Common names of encodings. Files declared as Shift_JIS usually contain the characters of cp932, which is a superset.
_ENCODINGS = {"shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932"}


class Readable(Protocol):
    """The part of the file interface that the parsers need."""

    def read(self, size: int = -1, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Peek:
    """The start of a document.

    tags: of the elements in the order in which they begin, the root first. namespaces: declared on the root.
    """

    tags: tuple[str, ...]
    namespaces: dict[str | None, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return self.tags[0]


class Elements:
    """Iterates over the elements with one of the tags, in the order in which they end (inner ones before outer ones).

    An element is emptied when the next one is requested.
    root: the root element of the document, None until the first element has been read; it keeps what is outside the
    elements.
    """

    def __init__(self, stream: Readable, tags: tuple[str, ...], encoding: str = "") -> None:
        self.root: Any = None
        self._tags = frozenset(tags)
        self._stream = as_utf8(stream, encoding)
        self._parser = etree.XMLPullParser(
            events=("end",), tag=tags, encoding="UTF-8" if encoding else None, **PARSER_OPTIONS
        )

    def __iter__(self) -> Iterator[etree._Element]:
        """XmlError if the document is not well-formed, declares entities, or contains an element that is too large."""
        pending_bytes = 0
        try:
            while chunk := self._stream.read(CHUNK):
                self._parser.feed(chunk)
                pending_bytes += len(chunk)
                for element in self._finished_elements():
                    pending_bytes = 0
                    yield element
                if pending_bytes > MAX_ELEMENT_BYTES:
                    raise XmlError("xml.E003", 0, 0, f"more than {MAX_ELEMENT_BYTES} bytes without an end")
            root = self._parser.close()
        except etree.XMLSyntaxError as error:
            raise syntax_error(error) from error
        self._check_doctype(root)
        yield from self._finished_elements()

    def _finished_elements(self) -> Iterator[etree._Element]:
        element: Any  # the type stubs of lxml allow for other events and lack keep_tail
        for _event, element in self._parser.read_events():
            self._check_doctype(element)
            yield element
            self._release(element)

    def _check_doctype(self, element: Any) -> None:
        if self.root is None:
            tree = element.getroottree()
            refuse_doctype(tree)
            self.root = tree.getroot()
        if self.root.getroottree().docinfo.internalDTD is not None:
            refuse_entities(element)

    def _release(self, element: Any) -> None:
        """Empty the element and remove its preceding siblings that have one of the tags; keep everything else."""
        element.clear(keep_tail=False)
        parent, earlier = element.getparent(), element.getprevious()
        while parent is not None and earlier is not None and earlier.tag in self._tags:
            parent.remove(earlier)
            earlier = element.getprevious()


def peek(stream: Readable, encoding: str = "") -> Peek:
    """Return the start of a document. XmlError if it does not begin as XML or its DOCTYPE contains declarations."""
    parser = etree.XMLPullParser(events=("start",), encoding="UTF-8" if encoding else None, **PARSER_OPTIONS)
    utf8_stream = as_utf8(stream, encoding)
    tags: list[str] = []
    namespaces: dict[str | None, str] = {}
    element: Any
    try:
        for _ in range(PEEK_BYTES // CHUNK):
            parser.feed(utf8_stream.read(CHUNK))
            for _event, element in parser.read_events():
                if not tags:
                    refuse_doctype(element.getroottree())
                    namespaces = dict(element.nsmap)
                tags.append(element.tag)
            if len(tags) >= MAX_TAGS:
                break
    except etree.XMLSyntaxError as error:
        tags += [element.tag for _event, element in _remaining_events(parser)]
        if not tags:
            raise syntax_error(error) from error
    if not tags:
        raise XmlError("xml.E001", 0, 0, "no element")
    return Peek(tuple(tags), namespaces)


def local_name(tag: str) -> str:
    """Return the tag without its namespace. Unlike etree.QName, it accepts every name that the parser accepts."""
    return tag[tag.rfind("}") + 1 :]


def as_utf8(stream: Readable, encoding: str) -> Readable:
    """Return the stream converted to UTF-8; unchanged for "" (the declared encoding is used)."""
    return _Utf8Stream(stream, encoding) if encoding else stream


def codec_name(encoding: str) -> str:
    """Return Python's name of an encoding. TransportError "file.unknown_encoding" if there is none."""
    name = _ENCODINGS.get(encoding.strip().lower(), encoding.strip())
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise TransportError(
            f"no encoding {encoding}", "file.unknown_encoding", permanent=True, encoding=encoding[:40]
        ) from error


class _Utf8Stream:
    """Converts a stream from the given encoding to UTF-8."""

    def __init__(self, stream: Readable, encoding: str) -> None:
        self._stream = stream
        self._name = encoding
        self._decode = codecs.getincrementaldecoder(codec_name(encoding))("strict").decode
        self._ended = False

    def read(self, size: int = -1, /) -> bytes:
        while not self._ended:
            chunk = self._stream.read(size)
            self._ended = not chunk
            try:
                text = self._decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                raise XmlError("xml.E001", 0, 0, f"not {self._name}: {error.reason}") from error
            if text:
                return text.encode("utf-8", "surrogatepass")
        return b""


def _remaining_events(parser: Any) -> Iterator[tuple[str, etree._Element]]:
    """Yield the events that precede a syntax error; if the parser raises the error once more, they end there."""
    try:
        yield from parser.read_events()
    except etree.XMLSyntaxError:
        return


def fingerprint_of(stream: IO[bytes]) -> str:
    """Return a hash of the whole stream and rewind the stream."""
    digest = hashlib.blake2b(digest_size=16)
    stream.seek(0)
    while chunk := stream.read(CHUNK):
        digest.update(chunk)
    stream.seek(0)
    return digest.hexdigest()
