"""One MODS element on its way out. Knows no record."""

from lxml import etree

from metadata.vocabularies.namespaces import MODS
from metadata.xml.parsing import legal


def add(parent: etree._Element, name: str, value: str = "", **attributes: str) -> etree._Element:
    """A child with the attributes that have a value."""
    element = etree.SubElement(parent, f"{{{MODS}}}{name}")
    if value:
        element.text = legal(value)
    for key, each in attributes.items():
        if each:
            element.set(key, legal(each))
    return element
