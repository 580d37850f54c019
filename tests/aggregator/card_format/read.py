"""Cards of a library, as a table of element → record field."""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, table
from metadata.identifiers import normalise
from metadata.record import Agent, Identifier, Title
from metadata.vocabularies.namespaces import declare, expand
from metadata.xml.parsing import text

CARDS = declare("cards", "https://library.example.jp/cards")
ROOT = expand("cards:card")


def title(element: etree._Element) -> Title | None:
    return Title(value=text(element)) if text(element) else None


def agent(element: etree._Element) -> Agent | None:
    return Agent(name=text(element)) if text(element) else None


def isbn(element: etree._Element) -> Identifier | None:
    number = normalise("ISBN", text(element))
    return Identifier(scheme="ISBN", value=number) if number else None


READERS = {
    ROOT: table(
        {
            "cards:heading": ("titles", title),
            "cards:author": ("creators", agent),
            "cards:published": ("issued", text),
            "cards:isbn": ("identifiers", isbn),
        }
    )
}


def read(root: etree._Element) -> Conversion:
    """Read the record of one card."""
    draft = Draft()
    draft.collect(root, READERS[ROOT])
    return draft.convert(issued=draft.pop_first("issued"))
