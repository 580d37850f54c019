"""Elements without a namespace, put into the one that they belong to. Independent of the single formats."""

from copy import deepcopy

from lxml import etree


def in_namespace(root: etree._Element, namespace: str) -> etree._Element:
    """Return a copy in which the elements without a namespace are in this one; the others keep theirs."""
    copy = deepcopy(root)
    for element in copy.iter(etree.Element):
        if not element.tag.startswith("{"):
            element.tag = f"{{{namespace}}}{element.tag}"
    return copy
