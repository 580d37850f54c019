"""Writes where a record can be found as MODS location: its web pages, and the libraries and copies. Copies are read in
`metadata.formats.mods.holdings`.
"""

from collections.abc import Iterator

from metadata.formats.common.pages import with_own_page
from metadata.formats.mods.holdings import AUTHORITIES, LIBRARY_CODE
from metadata.formats.mods.write.parts import inside, location
from metadata.record import BibliographicRecord, Item
from metadata.xml.writing import NOTHING, Xml, attribute, leaf, node

_PRIMARY, _PREVIEW = attribute("usage", "primary"), attribute("access", "preview")


def locations(record: BibliographicRecord) -> Iterator[Xml]:
    """Yield the addresses of the record, its preview images, then its copies."""
    for position, uri in enumerate(with_own_page(record)):
        yield location(uri, NOTHING if position else _PRIMARY)
    for uri in record.thumbnails:
        yield location(uri, _PREVIEW)
    for item in record.items:
        if place := list(_place(item)):
            yield node("mods:location", place)


def _place(item: Item) -> Iterator[Xml]:
    """Yield what is known of the library, the shelf and the copy."""
    codes, copy = _codes(item), _copy(item)
    if item.holding_agent and item.holding_agent not in dict(codes):
        yield leaf("mods:physicalLocation", item.holding_agent)
    for code, authority in codes:
        yield leaf("mods:physicalLocation", code, attribute("authority", authority))
    if item.call_number:
        yield leaf("mods:shelfLocator", item.call_number)
    if copy:
        yield inside("mods:holdingSimple", node("mods:copyInformation", copy))


def _codes(item: Item) -> list[tuple[str, str]]:
    """Return the library's codes with their authorities. A code without a scheme has no place in MODS."""
    numbers = [
        (number.value, AUTHORITIES.get(number.scheme, number.scheme)) for number in item.holding_agent_identifiers
    ]
    return [
        (code, authority) for code, authority in [(item.library_code, LIBRARY_CODE), *numbers] if code and authority
    ]


def _copy(item: Item) -> list[Xml]:
    """Return the elements of copyInformation, in the order of the schema."""
    elements = [("subLocation", item.location), *(("note", note) for note in item.notes)]
    elements.append(("enumerationAndChronology", item.holding_issues))
    return [leaf(f"mods:{name}", value) for name, value in elements if value]
