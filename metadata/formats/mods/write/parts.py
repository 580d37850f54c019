"""Functions that add one MODS element each. They take values, not the record."""

from lxml import etree

from metadata.formats.common.uris import as_uri
from metadata.vocabularies.namespaces import MODS
from metadata.xml.parsing import strip_illegal

_URIS = frozenset({"valueURI", "typeURI", "authorityURI"})


def add(parent: etree._Element, name: str, value: str = "", **attributes: str) -> etree._Element:
    """Add a child, with those attributes that have a value."""
    element = etree.SubElement(parent, f"{{{MODS}}}{name}")
    if value:
        element.text = strip_illegal(value)
    for key, text in attributes.items():
        clean = as_uri(text) if key in _URIS else strip_illegal(text)
        if clean:
            element.set(key, clean)
    return element


def url(parent: etree._Element, value: str, **attributes: str) -> None:
    """Add a location with a URL, or a note if the value is none."""
    address = as_uri(value)
    if address:
        add(add(parent, "location"), "url", address, **attributes)
    else:
        add(parent, "note", value, type="url")
