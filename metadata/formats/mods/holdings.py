"""The libraries and copies of a MODS record, in location. Code and name of a library are two physicalLocation."""

import re
from collections.abc import Iterator

from lxml import etree
from msgspec.structs import replace

from metadata.formats.mods.readers import children_named, clean_text, first_text
from metadata.record import Identifier, Item

LIBRARY_CODE = "NDLLibCode"
# authority of physicalLocation ↔ scheme of the code, in the words of JPCOAR's holdingAgentNameIdentifier.
SCHEMES = {"isil": "ISIL", "marcorg": "MARC", "oclcorg": "OCLC"}
AUTHORITIES = {scheme: authority for authority, scheme in SCHEMES.items()}
_CODE = re.compile("[!-~]{1,40}").fullmatch  # a name may have an authority, too: the list that it was taken from


def items(location: etree._Element) -> Iterator[Item]:
    """Yield one item for each copyInformation; without any, one for a location that names a library or a shelf."""
    library = _library(location)
    shelf = " ; ".join(filter(None, map(clean_text, children_named(location, "shelfLocator"))))
    holdings = children_named(location, "holdingSimple")
    copies = [copy for holding in holdings for copy in children_named(holding, "copyInformation")]
    if not copies and (library != Item() or shelf):
        yield replace(library, call_number=shelf)
    for copy in copies:
        yield replace(
            library,
            location=first_text(copy, "subLocation"),
            call_number=first_text(copy, "shelfLocator") or shelf,
            notes=tuple(filter(None, map(clean_text, children_named(copy, "note")))),
            holding_issues=first_text(copy, "enumerationAndChronology"),
        )


def _library(location: etree._Element) -> Item:
    """Return an item with the library's name and codes; a code stands for a name that is not given."""
    names, codes = [], []
    for place in children_named(location, "physicalLocation"):
        text, authority = clean_text(place), place.get("authority", "").strip()
        if authority and _CODE(text):
            codes.append(Identifier(scheme=SCHEMES.get(authority.lower(), authority), value=text))
        elif text:
            names.append(text)
    of_ndl = [code.value for code in codes if code.scheme == LIBRARY_CODE]
    return Item(
        holding_agent=next(iter(names or [code.value for code in codes]), ""),
        library_code=next(iter(of_ndl), ""),
        holding_agent_identifiers=tuple(code for code in codes if code.scheme != LIBRARY_CODE),
    )
