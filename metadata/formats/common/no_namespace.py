"""Elements in no namespace, put into the one that they are meant in. Knows no format."""

from copy import deepcopy

from lxml import etree


def in_namespace(root: etree._Element, namespace: str) -> etree._Element:
    """A copy whose elements without a namespace are in this one; those that have one keep it."""
    made = deepcopy(root)
    for element in made.iter(etree.Element):
        if not element.tag.startswith("{"):
            element.tag = f"{{{namespace}}}{element.tag}"
    return made
