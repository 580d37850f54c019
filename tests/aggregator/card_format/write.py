"""Writes a record as a card."""

from lxml import etree

from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import expand
from metadata.xml.parsing import serialise
from tests.aggregator.card_format.read import CARDS, ROOT


def write(record: BibliographicRecord) -> bytes:
    root = etree.Element(ROOT, nsmap={"cards": CARDS})
    values = (
        *(("cards:heading", title.value) for title in record.titles),
        *(("cards:author", creator.name) for creator in record.creators),
        ("cards:published", record.issued),
        *(("cards:isbn", number) for number in record.values("ISBN")),
    )
    for name, value in values:
        if value:
            etree.SubElement(root, expand(name)).text = value
    return serialise(root)
