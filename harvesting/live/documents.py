"""Parses the XML of live sources, strictly and within limits, and finds elements by their local names. Pure.

The versions of a protocol have different namespaces for the same elements.
"""

from lxml import etree

from harvesting.live.types import MAX_BYTES, LiveError
from metadata.xml.parsing import XmlError, parse


def parsed(body: bytes) -> etree._Element:
    """Return the root element. Raises LiveError "live.xml" or "live.too_large"."""
    if len(body) > MAX_BYTES:
        raise LiveError("live.too_large")
    try:
        return parse(body)
    except XmlError as error:
        raise LiveError("live.xml", f"{error.line}:{error.column} {error.reason}") from error


def local(element: etree._Element) -> str:
    """Return the local name of an element."""
    return str(element.tag).rpartition("}")[2]


def child(parent: etree._Element, name: str) -> etree._Element | None:
    """Return the first child with this local name."""
    return next(parent.iterchildren(f"{{*}}{name}"), None)


def child_text(parent: etree._Element, name: str) -> str:
    """Return the trimmed text of the first child with this local name, "" if there is none."""
    found = child(parent, name)
    return (found.text or "").strip() if found is not None else ""
