"""Functions that make parts of MODS elements. They take values, not the record."""

from collections.abc import Sequence

from metadata.formats.common.uris import as_uri
from metadata.xml.writing import NOTHING, Xml, attribute, leaf, node

KANA = attribute("script", "Kana")
TEXT = attribute("type", "text")
_URL = attribute("type", "url")


def uri(name: str, value: str) -> Xml:
    """Return an attribute with a URI; nothing for a text that is none."""
    return attribute(name, as_uri(value)) if value else NOTHING


def group(root: Sequence[Xml], has_reading: bool) -> Xml:
    """Return the attribute that the next element of the root and its reading share. Its place makes it unique."""
    return attribute("altRepGroup", str(len(root))) if has_reading else NOTHING


def inside(name: str, child: Xml, own: Xml = NOTHING) -> Xml:
    """Return an element with a single child. own: its attributes."""
    return node(name, (child,), own)


def title_info(title: str) -> Xml:
    return inside("mods:titleInfo", leaf("mods:title", title))


def location(address: str, own: Xml = NOTHING) -> Xml:
    """Return a location with a URL, or a note if the value is none. own: the attributes of the URL."""
    url = as_uri(address)
    if not url:
        return leaf("mods:note", address, _URL)
    return inside("mods:location", leaf("mods:url", url, own))
