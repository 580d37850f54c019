"""Reads large OAI-PMH pages from a file in parts, so that memory does not grow with the page. No network access.

The file is read twice: first to check that it is well-formed and to read its resumptionToken, then for the records.
Smaller pages are read as a whole, which is faster (`envelope`, `responses`).
"""

import hashlib
from array import array
from collections.abc import Iterator
from typing import IO, Any

from lxml import etree

from harvesting.transports.oai_pmh.envelope import (
    LISTS,
    document_oddities,
    is_envelope,
    list_oddities,
    local_name,
    malformed_error,
    not_oai_error,
    read_error,
    read_lists,
    response_date,
)
from harvesting.transports.oai_pmh.responses import (
    Page,
    Records,
    datestamp_oddities,
    read_list_end,
    read_record,
    timestamp_oddities,
)
from harvesting.types import Observation, TransportError
from metadata.xml.parsing import PARSER_OPTIONS, XmlError, refuse_doctype, refuse_entities, syntax_error

LARGE_PAGE = 8 * 1024 * 1024  # bytes; a larger page is read in parts
PART_SIZE = 250  # records in a part
_CHUNK = 256 * 1024


def is_large(stream: IO[bytes]) -> bool:
    """Whether a file must be read in parts. Rewinds the file."""
    size = stream.seek(0, 2)
    stream.seek(0)
    return size > LARGE_PAGE


def read_large(stream: IO[bytes], verb: str, requested_set: str = "", encoding: str = "") -> Page:
    """Return the page without its records; `Page.large` yields them, once, and closes the file.

    TransportError as in `envelope.read_envelope` and `envelope.read_lists`.
    """
    record_stream = _RecordStream(stream, encoding)
    digest = hashlib.blake2b(digest_size=16)
    observations: list[Observation] = []
    hashes = array("q")
    for element in record_stream.records():
        record = read_record(element)
        digest.update(f"{record.identifier} {record.datestamp}\n".encode())
        if not observations:
            observations += [*datestamp_oddities([record]), *(() if hashes else timestamp_oddities(element))]
        hashes.append(hash(record.identifier))
    root = record_stream.root
    error = read_error(root)
    if error is not None and not hashes:
        return Page(error=error, response_date=response_date(root))
    if error is not None:
        observations.append(Observation(code="oai.error_beside_records", facts={"reason": error.message[:500]}))
    lists = read_lists(root, verb, record_stream.emptied_lists)
    return Page(
        response_date=response_date(root),
        observations=(*document_oddities(root), *list_oddities(lists, verb), *observations),
        hashes=tuple(hashes),
        fingerprint=digest.hexdigest(),
        large=lambda: _parts(stream, requested_set, encoding),
        **read_list_end(*lists),
    )


def _parts(stream: IO[bytes], requested_set: str, encoding: str) -> Iterator[Records]:
    with stream:
        part = []
        for element in _RecordStream(stream, encoding).records():
            part.append(read_record(element, requested_set))
            if len(part) == PART_SIZE:
                yield tuple(part)
                part = []
        yield tuple(part)


class _RecordStream:
    """One pass over a file.

    root: the document without its records, after the pass. emptied_lists: the names of the lists that had records.
    """

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._parser = etree.XMLPullParser(
            events=("start", "end"),
            tag=("{*}record", "{*}OAI-PMH"),
            encoding=encoding or None,
            **PARSER_OPTIONS,
        )
        self._has_dtd: bool | None = None
        self.emptied_lists: set[str] = set()
        self.root: etree._Element

    def records(self) -> Iterator[etree._Element]:
        """Yield the record elements; an element is removed from the document when the next one is requested."""
        self._stream.seek(0)
        start = self._stream.read(_CHUNK)
        try:
            chunk = start
            while chunk:
                self._parser.feed(chunk)
                yield from self._finished_records()
                chunk = self._stream.read(_CHUNK)
            self.root = self._parser.close()
            yield from self._finished_records()
        except etree.XMLSyntaxError as error:
            raise self._as_transport_error(syntax_error(error), start) from error
        except XmlError as error:
            raise self._as_transport_error(error, start) from error
        if local_name(self.root) != "OAI-PMH":
            raise not_oai_error(start, "")

    def _finished_records(self) -> Iterator[etree._Element]:
        events: Any = self._parser.read_events()  # the type stubs of lxml also allow for namespace events
        for event, element in events:
            if self._has_dtd is None:
                tree = element.getroottree()
                refuse_doctype(tree)
                self._has_dtd = tree.docinfo.internalDTD is not None
            parent = element.getparent()
            if event == "end" and parent is not None and local_name(parent) in LISTS:
                if self._has_dtd:
                    refuse_entities(element)
                self.emptied_lists.add(local_name(parent))
                yield element
                parent.remove(element)

    def _as_transport_error(self, error: XmlError, start: bytes) -> TransportError:
        return malformed_error(error) if is_envelope(start) else not_oai_error(start, "")
