"""Validates the OAI-PMH envelope of a single record: header, status, provenance. Pure.

Repeated identifiers and datestamps outside the requested period show only in the whole list: the transport checks them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lxml import etree

from metadata.issue import Issue
from metadata.xml.parsing import children, text

# RFC 3986: a scheme, a colon, and no blank.
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+\Z").match
# The identifier format of OAI-PMH's guidelines: oai:, the name of a host, a local part.
_OAI_IDENTIFIER = re.compile(
    r"oai:[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)+:[A-Za-z0-9_.!~*'();/?:@&=+$,%-]+\Z"
).match
_SET_SPEC = re.compile(r"[A-Za-z0-9_.!~*'()-]+(?::[A-Za-z0-9_.!~*'()-]+)*\Z").match
_ORIGIN = ("baseURL", "identifier", "datestamp", "metadataNamespace")  # elements in about/provenance/originDescription

# All rules that are checked here.
ENVELOPE_RULES = frozenset({"oai.W013", "oai.I013", "oai.W016", "oai.W017", "oai.I027", "oai.W117"})


class Header(NamedTuple):
    """The header of a record. values: local names and texts of its child elements."""

    status: str | None
    values: Sequence[tuple[str, str]]


type Parts = Sequence[tuple[str, etree._Element, Header | None]]


def parts_of(record: etree._Element) -> Parts:
    """Return (local name, element, parsed header) for each child of a record element; the third is None unless the
    child is a <header>.

    Computing local names is slow, so it is done once for all checks.
    """
    parts = [(_local(child), child) for child in children(record)]
    return [(name, child, header_of(child) if name == "header" else None) for name, child in parts]


def check_envelope(parts: Parts) -> Iterator[Issue]:
    """Yield the issues of one record element; its payload is not checked."""
    is_deleted = has_metadata = False
    for name, child, header in parts:
        if header is not None:
            is_deleted = (header.status or "").strip().lower() == "deleted"
            yield from _check_header(header)
        elif name == "metadata":
            has_metadata = True
        elif name == "about":
            yield from _check_provenance(child)
    if is_deleted and has_metadata:
        yield Issue(code="oai.W117", field="metadata")


def header_of(element: etree._Element) -> Header:
    return Header(element.get("status"), [(_local(child), text(child)) for child in children(element)])


def _check_header(header: Header) -> Iterator[Issue]:
    status = header.status
    if status is not None and status.strip().lower() != "deleted":
        yield Issue(code="oai.W017", field="header/@status", value=status)
    for name, value in header.values:
        if name == "identifier" and value:
            if not _URI(value):
                yield Issue(code="oai.W013", field="header/identifier", value=value)
            elif value.startswith("oai:") and not _OAI_IDENTIFIER(value):
                yield Issue(code="oai.I013", field="header/identifier", value=value)
        elif name == "setSpec" and not _SET_SPEC(value):
            yield Issue(code="oai.W016", field="header/setSpec", value=value)


def _check_provenance(about: etree._Element) -> Iterator[Issue]:
    for origin in about.iter("{*}originDescription"):
        present = {_local(child) for child in children(origin) if text(child)}
        missing = [name for name in _ORIGIN if name not in present]
        if missing:
            yield Issue(code="oai.I027", field="about/provenance/originDescription", value=" ".join(missing))


def _local(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2]
