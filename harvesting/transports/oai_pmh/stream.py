"""Large OAI-PMH pages, read from a file in small parts: memory does not grow with the page. Asks nobody.

Twice over the file: first to see that it is well-formed to its end and what stands at it, then for the records.
Other pages are read at once, which is faster (`oai_envelope`, `oai_pmh_parse`).
"""

import hashlib
from array import array
from collections.abc import Iterator
from typing import IO, Any

from lxml import etree

from harvesting.transports.oai_pmh.envelope import (
    LISTS,
    is_envelope,
    list_oddities,
    local,
    malformed,
    not_oai,
    oddities,
    read_error,
    read_lists,
    response_date,
)
from harvesting.transports.oai_pmh.responses import Page, Records, misnamed, read_end, read_record, stamp_oddities
from harvesting.types import Observation, TransportError
from metadata.xml.parsing import PARSER_OPTIONS, XmlError, refuse_doctype, refuse_entities, syntax_error

LARGE = 8 * 1024 * 1024  # bytes; above this a page is read in parts
PART = 250  # records of a part
_CHUNK = 256 * 1024


def is_large(stream: IO[bytes]) -> bool:
    """Whether a file is to be read in parts; it is left at its beginning."""
    size = stream.seek(0, 2)
    stream.seek(0)
    return size > LARGE


def read_large(stream: IO[bytes], verb: str, asked_set: str = "", encoding: str = "") -> Page:
    """The page without its records; `Page.large` gives them, once, and closes the file.

    TransportError as `oai_envelope.read_envelope` and `read_lists`.
    """
    walk = _Walk(stream, encoding)
    digest = hashlib.blake2b(digest_size=16)
    observations: list[Observation] = []
    hashes = array("q")
    for element in walk.records():
        record = read_record(element)
        digest.update(f"{record.identifier} {record.datestamp}\n".encode())
        if not observations:
            observations += [*stamp_oddities([record]), *(() if hashes else misnamed(element))]
        hashes.append(hash(record.identifier))
    root = walk.root
    error = read_error(root)
    if error is not None and not hashes:
        return Page(error=error, response_date=response_date(root))
    if error is not None:
        observations.append(Observation(code="oai.error_beside_records", facts={"reason": error.message[:500]}))
    lists = read_lists(root, verb, walk.emptied)
    return Page(
        response_date=response_date(root),
        observations=(*oddities(root), *list_oddities(lists, verb), *observations),
        hashes=tuple(hashes),
        fingerprint=digest.hexdigest(),
        large=lambda: _parts(stream, asked_set, encoding),
        **read_end(*lists),
    )


def _parts(stream: IO[bytes], asked_set: str, encoding: str) -> Iterator[Records]:
    with stream:
        part = []
        for element in _Walk(stream, encoding).records():
            part.append(read_record(element, asked_set))
            if len(part) == PART:
                yield tuple(part)
                part = []
        yield tuple(part)


class _Walk:
    """One pass over a file. root: what is left of the document behind the last record; emptied: the names of the
    lists that had records."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._parser = etree.XMLPullParser(
            events=("start", "end"),
            tag=("{*}record", "{*}OAI-PMH"),
            encoding=encoding or None,
            **PARSER_OPTIONS,
        )
        self._has_dtd: bool | None = None
        self.emptied: set[str] = set()
        self.root: etree._Element

    def records(self) -> Iterator[etree._Element]:
        """The records of the list; each leaves the document as soon as the next is asked for."""
        self._stream.seek(0)
        start = self._stream.read(_CHUNK)
        try:
            chunk = start
            while chunk:
                self._parser.feed(chunk)
                yield from self._complete()
                chunk = self._stream.read(_CHUNK)
            self.root = self._parser.close()
            yield from self._complete()
        except etree.XMLSyntaxError as error:
            raise self._refused(syntax_error(error), start) from error
        except XmlError as error:
            raise self._refused(error, start) from error
        if local(self.root) != "OAI-PMH":
            raise not_oai(start, "")

    def _complete(self) -> Iterator[etree._Element]:
        events: Any = self._parser.read_events()  # the stubs think of namespace events, too
        for event, element in events:
            if self._has_dtd is None:
                tree = element.getroottree()
                refuse_doctype(tree)
                self._has_dtd = tree.docinfo.internalDTD is not None
            parent = element.getparent()
            if event == "end" and parent is not None and local(parent) in LISTS:
                if self._has_dtd:
                    refuse_entities(element)
                self.emptied.add(local(parent))
                yield element
                parent.remove(element)

    def _refused(self, error: XmlError, start: bytes) -> TransportError:
        return malformed(error) if is_envelope(start) else not_oai(start, "")
