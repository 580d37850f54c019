"""Functions that add one MODS element each. They take values, not the record."""

from metadata.formats.common.uris import as_uri
from metadata.xml.writing import Element

_URIS = frozenset({"valueURI", "typeURI", "authorityURI"})


def add(parent: Element, name: str, value: str = "", **attributes: str) -> Element:
    """Add a child, with those attributes that have a value."""
    element = parent.add(f"mods:{name}", value)
    for key, text in attributes.items():
        if text:
            value = as_uri(text) if key in _URIS else text
            if value:
                element.attributes[key] = value
    return element


def url(parent: Element, value: str, **attributes: str) -> None:
    """Add a location with a URL, or a note if the value is none."""
    address = as_uri(value)
    if address:
        add(add(parent, "location"), "url", address, **attributes)
    else:
        add(parent, "note", value, type="url")
