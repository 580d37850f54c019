"""How a record that stands alone is known: by the identifier it carries itself. Asks nobody."""

import re
from typing import NamedTuple

from lxml import etree

from harvesting.transports.documents.elements import local
from harvesting.transports.file.marc import identifier_of
from metadata.formats import crosswalk_of
from metadata.vocabularies.namespaces import DCNDL, MARC, RDF
from metadata.xml.parsing import text

_ADMIN = f"{{{DCNDL}}}BibAdminResource"
_ABOUT = f"{{{RDF}}}about"
_MARC = frozenset({"record", f"{{{MARC}}}record"})
_RAW_HEADER = re.compile(rb"<(?:[\w.-]+:)?header[\s>][^<]*<(?:[\w.-]+:)?identifier>\s*([^<>]+)")
_RAW_CONTROL = re.compile(rb"<(?:[\w.-]+:)?controlfield\s[^<>]*?tag=[\"'](00[13])[\"'][^<>]*>([^<>]*)")
# Numbers that name one publication, the best first.
_SCHEMES = ("NDLBibID", "JPNO", "NIIBibID", "DOI", "ISBN", "ISSN")


class Name(NamedTuple):
    """identifier: "" where the record has none."""

    identifier: str
    datestamp: str = ""
    deleted: bool = False


def name_of(element: etree._Element) -> Name:
    if element.tag in _MARC:
        return _of_marc(element)
    about = next((each.get(_ABOUT, "").strip() for each in element.iterfind(_ADMIN)), "")
    return Name(about or _of_record(element))


def raw_name(raw: bytes) -> str:
    """The identifier in the bytes of a broken record: of an OAI-PMH header, or 001 and 003 of MARCXML; else ""."""
    header = _RAW_HEADER.search(raw)
    if header:
        return header[1].decode("utf-8", "replace").strip()
    control = {tag.decode(): value.decode("utf-8", "replace").strip() for tag, value in _RAW_CONTROL.findall(raw)}
    return identifier_of(control.get("001", ""), control.get("003", ""))


def _of_marc(element: etree._Element) -> Name:
    control: dict[str, str] = {}
    leader = ""
    for child in element:
        name = local(child.tag)
        if name == "controlfield":
            control.setdefault(child.get("tag", ""), text(child))
        elif name == "leader":
            leader = child.text or ""
        else:
            break  # data fields follow
    identifier = identifier_of(control.get("001", ""), control.get("003", ""))
    return Name(identifier, control.get("005", ""), leader[5:6] == "d")


def _of_record(element: etree._Element) -> str:
    """The record's own address, its page, or a number that names it."""
    crosswalk = crosswalk_of(str(element.tag))
    if crosswalk is None:
        return ""
    record = crosswalk.read(element).record
    numbers = (f"urn:{scheme.lower()}:{value}" for scheme in _SCHEMES for value in record.values(scheme))
    return next(filter(None, (record.uri, *record.see_also, *numbers)), "")
