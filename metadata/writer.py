"""A form in which records are written: as one of the formats, or for reference managers and search engines."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from metadata.record import BibliographicRecord

type Write = Callable[[BibliographicRecord], bytes]
type WriteAll = Callable[[Sequence[BibliographicRecord]], list[bytes]]
type Join = Callable[[Iterable[bytes]], Iterator[bytes]]  # makes one file of many documents, piece by piece
_DECLARATION = re.compile(rb"\A<\?xml[^>]*\?>\s*")


def join_lines(documents: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the documents, each after an empty line."""
    for number, document in enumerate(documents):
        yield b"\n" + document if number else document


def join_json(documents: Iterable[bytes]) -> Iterator[bytes]:
    """Yield one JSON array of the documents."""
    yield b"["
    for number, document in enumerate(documents):
        yield b",\n" + document if number else document
    yield b"]\n"


def join_xml(start: str, end: str, strip: Callable[[bytes], bytes] = bytes) -> Join:
    """Return what writes the documents between two tags, without their XML declarations.

    strip: removes what the tags repeat.
    """

    def join(documents: Iterable[bytes]) -> Iterator[bytes]:
        yield b'<?xml version="1.0" encoding="UTF-8"?>\n' + start.encode() + b"\n"
        for document in documents:
            yield strip(_DECLARATION.sub(b"", document)) + b"\n"
        yield end.encode() + b"\n"

    return join


join_records = join_xml("<records>", "</records>")  # for formats that have no element for several records


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """One form in which records are written. name: its metadataPrefix, or its name in the API.

    ending: the file extension, without its first dot, also used in URLs. namespace, schema: as OAI-PMH's
    ListMetadataFormats names them; "" for a form that is not XML. accepted: further media types that clients ask for.
    oai: OAI-PMH gives records in this form. books: every book has an address in this form, and SRU gives it.
    download: browsers save it instead of showing it; it is meant for reference managers. sru: identifiers of the record
    schema in SRU besides the namespace, the one in responses first. join: makes one file of several documents.

    write_all: the same as `write` for many records, for formats that are often asked for many. Each of its steps is
    done for all of them before the next begins: code then stays in the processor's caches. It is called with a few
    dozen at a time, because more would not fit there (figures: benchmarks/RESULTS.md, Pages of /oai).
    """

    name: str
    label: str
    write: Write
    write_all: WriteAll | None = None
    media_type: str = "application/xml"
    ending: str = "xml"
    namespace: str = ""
    schema: str = ""
    accepted: tuple[str, ...] = ()
    oai: bool = False
    books: bool = False
    download: bool = False
    sru: tuple[str, ...] = ()
    join: Join = join_lines

    def documents(self, records: Sequence[BibliographicRecord]) -> list[bytes]:
        """Return the document of each record."""
        return self.write_all(records) if self.write_all else list(map(self.write, records))
