"""Unpacks records from files: OAI-PMH and SRU responses, collections, or single records. For command-line tools.

Harvesting does not use it: the transports read their responses page by page.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from metadata.vocabularies.namespaces import MARC, MODS, OAI, SRW, expand
from metadata.xml.parsing import text

_RECORD, _IDENTIFIER, _METADATA = expand("oai:record"), expand("oai:identifier"), expand("oai:metadata")
_HEADER, _ERROR = expand("oai:header"), expand("oai:error")
_COLLECTIONS = frozenset({f"{{{MARC}}}collection", "collection", f"{{{MODS}}}modsCollection"})
_SRU_RECORD, _RECORD_DATA = expand("srw:record"), expand("srw:recordData")


class Enclosed(NamedTuple):
    """One record of an envelope. Exactly one of element and data is set; data is XML that was escaped as a string."""

    identifier: str
    element: etree._Element | None = None
    data: bytes = b""


def unpack(root: etree._Element) -> Iterator[Enclosed]:
    """Yield the records of a response or collection, without deleted ones; of any other document the root itself."""
    namespace = etree.QName(root).namespace
    if namespace == OAI:
        yield from _oai_records(root)
    elif namespace == SRW:
        yield from _sru_records(root)
    elif root.tag in _COLLECTIONS:
        yield from (Enclosed("", child) for child in root.iterchildren(etree.Element))
    else:
        yield Enclosed("", root)


def oai_error(root: etree._Element) -> str:
    """Return "code: text" of the error element of an OAI-PMH response, or ""."""
    error = root.find(_ERROR)
    return f"{error.get('code', '')}: {text(error)}" if error is not None else ""


def _oai_records(root: etree._Element) -> Iterator[Enclosed]:
    for record in root.iter(_RECORD):
        header, metadata = record.find(_HEADER), record.find(_METADATA)
        identifier = (header.findtext(_IDENTIFIER) or "").strip() if header is not None else ""
        if metadata is not None:
            yield Enclosed(identifier, metadata)
        elif header is None or header.get("status") != "deleted":
            yield Enclosed(identifier, data=b" ")  # is read as a record without metadata


def _sru_records(root: etree._Element) -> Iterator[Enclosed]:
    """Yield the records; recordPacking "string" escapes a record as text, "xml" does not."""
    for data in root.iter(_RECORD_DATA):
        if len(data):
            yield Enclosed("", data[0])
        else:
            yield Enclosed("", data=text(data).encode())
