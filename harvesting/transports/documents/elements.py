"""Elements out of an XML stream of any size, one at a time, in little memory. Knows no format.

Strict: what is not well-formed is an XmlError. `file_salvage` is for what can be saved of it.
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
LARGEST = 16 * 1024 * 1024  # bytes from the end of one element to the end of the next
PEEKED = 1024 * 1024  # bytes that are looked at to tell the format
MOST_TAGS = 400
# Encodings by the names that people use; what Windows calls Shift_JIS is a larger set.
_ENCODINGS = {"shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932"}


class Readable(Protocol):
    """As much of a file as reading needs."""

    def read(self, size: int = -1, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Peek:
    """The start of a document. tags: elements in the order in which they begin, the root first."""

    tags: tuple[str, ...]
    namespaces: dict[str | None, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return self.tags[0]


class Elements:
    """The elements with one of the tags, outermost last; each is emptied when the next is asked for.

    root: the document's, as soon as something of it has been read: what stands outside the elements is kept there.
    """

    def __init__(self, stream: Readable, tags: tuple[str, ...], encoding: str = "") -> None:
        self.root: Any = None
        self._tags = frozenset(tags)
        self._stream = recoded(stream, encoding)
        self._parser = etree.XMLPullParser(
            events=("end",), tag=tags, encoding="UTF-8" if encoding else None, **PARSER_OPTIONS
        )

    def __iter__(self) -> Iterator[etree._Element]:
        """XmlError where the document is not well-formed, declares entities, or has an element that is too large."""
        waiting = 0
        try:
            while chunk := self._stream.read(CHUNK):
                self._parser.feed(chunk)
                waiting += len(chunk)
                for element in self._ready():
                    waiting = 0
                    yield element
                if waiting > LARGEST:
                    raise XmlError("xml.E003", 0, 0, f"more than {LARGEST} bytes without an end")
            root = self._parser.close()
        except etree.XMLSyntaxError as error:
            raise syntax_error(error) from error
        self._see(root)
        yield from self._ready()

    def _ready(self) -> Iterator[etree._Element]:
        element: Any  # the stubs know other events too, and no keep_tail
        for _event, element in self._parser.read_events():
            self._see(element)
            yield element
            self._drop(element)

    def _see(self, element: Any) -> None:
        if self.root is None:
            tree = element.getroottree()
            refuse_doctype(tree)
            self.root = tree.getroot()
        if self.root.getroottree().docinfo.internalDTD is not None:
            refuse_entities(element)

    def _drop(self, element: Any) -> None:
        """Empty the element and forget the like before it; what else stands around it is kept."""
        element.clear(keep_tail=False)
        parent, earlier = element.getparent(), element.getprevious()
        while parent is not None and earlier is not None and earlier.tag in self._tags:
            parent.remove(earlier)
            earlier = element.getprevious()


def peek(stream: Readable, encoding: str = "") -> Peek:
    """How the document begins. XmlError where it does not begin as XML, or its DOCTYPE declares something."""
    parser = etree.XMLPullParser(events=("start",), encoding="UTF-8" if encoding else None, **PARSER_OPTIONS)
    source = recoded(stream, encoding)
    tags: list[str] = []
    namespaces: dict[str | None, str] = {}
    element: Any
    try:
        for _ in range(PEEKED // CHUNK):
            parser.feed(source.read(CHUNK))
            for _event, element in parser.read_events():
                if not tags:
                    refuse_doctype(element.getroottree())
                    namespaces = dict(element.nsmap)
                tags.append(element.tag)
            if len(tags) >= MOST_TAGS:
                break
    except etree.XMLSyntaxError as error:
        tags += [element.tag for _event, element in _rest(parser)]
        if not tags:
            raise syntax_error(error) from error
    if not tags:
        raise XmlError("xml.E001", 0, 0, "no element")
    return Peek(tuple(tags), namespaces)


def local(tag: str) -> str:
    """The name without its namespace. Unlike etree.QName it takes any name that a parser lets pass."""
    return tag[tag.rfind("}") + 1 :]


def recoded(stream: Readable, encoding: str) -> Readable:
    """The stream in UTF-8 where another encoding than the declared one is to be believed."""
    return _Recoded(stream, encoding) if encoding else stream


def decoder(encoding: str) -> str:
    """Python's name of an encoding. TransportError "file.unknown_encoding"."""
    name = _ENCODINGS.get(encoding.strip().lower(), encoding.strip())
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise TransportError(
            f"no encoding {encoding}", "file.unknown_encoding", permanent=True, encoding=encoding[:40]
        ) from error


class _Recoded:
    """Reads bytes of one encoding as UTF-8."""

    def __init__(self, stream: Readable, encoding: str) -> None:
        self._stream = stream
        self._name = encoding
        self._decode = codecs.getincrementaldecoder(decoder(encoding))("strict").decode
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


def _rest(parser: Any) -> Iterator[tuple[str, etree._Element]]:
    """What was read before an error; the parser may raise it once more."""
    try:
        yield from parser.read_events()
    except etree.XMLSyntaxError:
        return


def fingerprint_of(stream: IO[bytes]) -> str:
    """A hash of the whole stream, which is at its start again."""
    digest = hashlib.blake2b(digest_size=16)
    stream.seek(0)
    while chunk := stream.read(CHUNK):
        digest.update(chunk)
    stream.seek(0)
    return digest.hexdigest()
