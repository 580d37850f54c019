"""Unpacks records from files: OAI-PMH and SRU responses, collections, feeds, or single records.

The transports use only `unwrap`, because they read their responses page by page.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from metadata.vocabularies.namespaces import MARC, MODS, OAI, SRW, expand
from metadata.xml.parsing import text

_RECORD, _IDENTIFIER, _METADATA = expand("oai:record"), expand("oai:identifier"), expand("oai:metadata")
_HEADER, _ERROR = expand("oai:header"), expand("oai:error")
_HEADERS, _CONTENTS = frozenset({_HEADER, "header"}), frozenset({_METADATA, "metadata"})
_RECORDS = frozenset({_RECORD, "record"})
_FEED_ITEMS = ("item", expand("rss:item"), expand("atom:entry"))
_FEEDS = frozenset({"rss", expand("atom:feed")})
_RDF, _CHANNEL = expand("rdf:RDF"), expand("rss:channel")
_COLLECTIONS = frozenset({f"{{{MARC}}}collection", "collection", f"{{{MODS}}}modsCollection"})
_RECORD_DATA = expand("srw:recordData")


class Enclosed(NamedTuple):
    """One record of an envelope. Exactly one of element and data is set; data is XML that was escaped as a string."""

    identifier: str
    element: etree._Element | None = None
    data: bytes = b""


def unpack(root: etree._Element) -> Iterator[Enclosed]:
    """Yield the records of a response, collection or feed, without deleted ones; else the root itself."""
    namespace = etree.QName(root).namespace
    if namespace == OAI:
        yield from _oai_records(root)
    elif namespace == SRW:
        yield from _sru_records(root)
    elif root.tag in _COLLECTIONS:
        yield from (Enclosed("", child) for child in root.iterchildren(etree.Element))
    elif _is_feed(root):
        yield from (Enclosed("", item) for item in root.iter(*_FEED_ITEMS))
    elif saved := [record for record in root.iter("record") if unwrap(record) is not record]:
        yield from _saved_records(saved)
    else:
        yield Enclosed("", root)


def unwrap(root: etree._Element) -> etree._Element:
    """Return the metadata element of an OAI-PMH record that was saved whole, with or without its namespace.

    Of a record without metadata, the header. Any other element is returned itself; so is a record in MARC, whose
    element may have the same name.
    """
    if root.tag not in _RECORDS:
        return root
    header = next((child for child in root if child.tag in _HEADERS), None)
    content = next((child for child in root if child.tag in _CONTENTS), header)
    return root if header is None or content is None else content


def _is_feed(root: etree._Element) -> bool:
    """Whether this is a feed, which may be empty. rdf:RDF is also the root of single records."""
    return root.tag in _FEEDS or (root.tag == _RDF and next(root.iter(_CHANNEL, *_FEED_ITEMS), None) is not None)


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


def _saved_records(records: list[etree._Element]) -> Iterator[Enclosed]:
    """Yield the records of OAI-PMH that were saved without their namespace."""
    for record in records:
        content = unwrap(record)
        header = next(child for child in record if child.tag in _HEADERS)
        identifier = (header.findtext("identifier") or "").strip()
        if content is not header:
            yield Enclosed(identifier, content)
        elif header.get("status") != "deleted":
            yield Enclosed(identifier, data=b" ")


def _sru_records(root: etree._Element) -> Iterator[Enclosed]:
    """Yield the records; recordPacking "string" escapes a record as text, "xml" does not."""
    for data in root.iter(_RECORD_DATA):
        if len(data):
            yield Enclosed("", data[0])
        else:
            yield Enclosed("", data=text(data).encode())
