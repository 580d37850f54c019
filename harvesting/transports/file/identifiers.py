"""Finds the identifier of a record that has no OAI-PMH header, in the record itself. No network access."""

import re
from typing import NamedTuple

from lxml import etree

from harvesting.transports.documents.elements import local_name
from harvesting.transports.file.marc import marc_identifier
from metadata.formats import crosswalk_of
from metadata.vocabularies.namespaces import DCNDL, MARC, RDF
from metadata.xml.parsing import text

_ADMIN = f"{{{DCNDL}}}BibAdminResource"
_ABOUT = f"{{{RDF}}}about"
_MARC = frozenset({"record", f"{{{MARC}}}record"})
_RAW_HEADER = re.compile(rb"<(?:[\w.-]+:)?header[\s>][^<]*<(?:[\w.-]+:)?identifier>\s*([^<>]+)")
_RAW_CONTROL = re.compile(rb"<(?:[\w.-]+:)?controlfield\s[^<>]*?tag=[\"'](00[13])[\"'][^<>]*>([^<>]*)")
# Schemes of identifiers that denote one publication, the best first.
_IDENTIFIER_SCHEMES = ("NDLBibID", "JPNO", "NIIBibID", "DOI", "ISBN", "ISSN")


class Identity(NamedTuple):
    """What a record states about itself. identifier: "" if it has none."""

    identifier: str
    datestamp: str = ""
    deleted: bool = False


def identity_of(element: etree._Element) -> Identity:
    if element.tag in _MARC:
        return _marc_identity(element)
    about = next((admin.get(_ABOUT, "").strip() for admin in element.iterfind(_ADMIN)), "")
    return Identity(about or _record_identifier(element))


def raw_identifier(raw: bytes) -> str:
    """Return the identifier in a broken record: of an OAI-PMH header, or 001 and 003 of MARCXML; "" if it has none."""
    header = _RAW_HEADER.search(raw)
    if header:
        return header[1].decode("utf-8", "replace").strip()
    control = {tag.decode(): value.decode("utf-8", "replace").strip() for tag, value in _RAW_CONTROL.findall(raw)}
    return marc_identifier(control.get("001", ""), control.get("003", ""))


def _marc_identity(element: etree._Element) -> Identity:
    control: dict[str, str] = {}
    leader = ""
    for child in element:
        name = local_name(child.tag)
        if name == "controlfield":
            control.setdefault(child.get("tag", ""), text(child))
        elif name == "leader":
            leader = child.text or ""
        else:
            break  # only data fields follow
    identifier = marc_identifier(control.get("001", ""), control.get("003", ""))
    return Identity(identifier, control.get("005", ""), leader[5:6] == "d")


def _record_identifier(element: etree._Element) -> str:
    """Return the record's URI, the URL of its page, or a standard number as a URN; "" if it has none of them."""
    crosswalk = crosswalk_of(str(element.tag))
    if crosswalk is None:
        return ""
    record = crosswalk.read(element).record
    numbers = (f"urn:{scheme.lower()}:{value}" for scheme in _IDENTIFIER_SCHEMES for value in record.values(scheme))
    return next(filter(None, (record.uri, *record.see_also, *numbers)), "")
