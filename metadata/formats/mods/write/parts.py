"""Functions that add one MODS element each. They take values, not the record."""

from lxml import etree

from metadata.vocabularies.namespaces import MODS
from metadata.xml.parsing import strip_illegal


def add(parent: etree._Element, name: str, value: str = "", **attributes: str) -> etree._Element:
    """Add a child, with those attributes that have a value."""
    element = etree.SubElement(parent, f"{{{MODS}}}{name}")
    if value:
        element.text = strip_illegal(value)
    for key, text in attributes.items():
        if text:
            element.set(key, strip_illegal(text))
    return element
