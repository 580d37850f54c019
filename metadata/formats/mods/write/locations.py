"""Writes where a record can be found as MODS location: its web pages, and the libraries and copies. Copies are read in
`metadata.formats.mods.holdings`.
"""

from metadata.formats.common.pages import with_own_page
from metadata.formats.mods.holdings import AUTHORITIES, LIBRARY_CODE
from metadata.formats.mods.write.parts import add, url
from metadata.record import BibliographicRecord, Item
from metadata.xml.writing import Element


def locations(root: Element, record: BibliographicRecord) -> None:
    """Add the addresses of the record, its preview images, then its copies."""
    for position, uri in enumerate(with_own_page(record)):
        url(root, uri, usage="primary" if position == 0 else "")
    for uri in record.thumbnails:
        url(root, uri, access="preview")
    _copies(root, record)


def _copies(root: Element, record: BibliographicRecord) -> None:
    """Add a location for each item that names a library, a shelf or a copy."""
    for item in record.items:
        codes, copy = _codes(item), _copy(item)
        if item.holding_agent or codes or item.call_number or copy:
            place = add(root, "location")
            if item.holding_agent and item.holding_agent not in dict(codes):
                add(place, "physicalLocation", item.holding_agent)
            for code, authority in codes:
                add(place, "physicalLocation", code, authority=authority)
            if item.call_number:
                add(place, "shelfLocator", item.call_number)
            if copy:
                information = add(add(place, "holdingSimple"), "copyInformation")
                for name, value in copy:
                    add(information, name, value)


def _codes(item: Item) -> list[tuple[str, str]]:
    """Return the library's codes with their authorities. A code without a scheme has no place in MODS."""
    numbers = [
        (number.value, AUTHORITIES.get(number.scheme, number.scheme)) for number in item.holding_agent_identifiers
    ]
    return [
        (code, authority) for code, authority in [(item.library_code, LIBRARY_CODE), *numbers] if code and authority
    ]


def _copy(item: Item) -> list[tuple[str, str]]:
    """Return the elements of copyInformation, in the order of the schema."""
    elements = [("subLocation", item.location), *(("note", note) for note in item.notes)]
    elements.append(("enumerationAndChronology", item.holding_issues))
    return [(name, value) for name, value in elements if value]
