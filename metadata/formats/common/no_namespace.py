"""Puts elements that were sent without a namespace into that of their format. Independent of the single formats."""

from copy import deepcopy

from lxml import etree


def in_namespace(root: etree._Element, namespace: str) -> etree._Element:
    """Return a copy in which elements without a namespace are in the given namespace; all others keep their own."""
    copy = deepcopy(root)
    for element in copy.iter(etree.Element):
        if not element.tag.startswith("{"):
            element.tag = f"{{{namespace}}}{element.tag}"
    return copy
