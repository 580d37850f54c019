"""Writes a record as a card."""

from metadata.record import BibliographicRecord
from metadata.xml.writing import attributes, declarations, document, leaf, node
from tests.aggregator.card_format.read import CARDS

_NAMESPACE = attributes(declarations({"cards": CARDS}))


def write(record: BibliographicRecord) -> bytes:
    values = (
        *(("cards:heading", title.value) for title in record.titles),
        *(("cards:author", creator.name) for creator in record.creators),
        ("cards:published", record.issued),
        *(("cards:isbn", number) for number in record.values("ISBN")),
    )
    elements = [leaf(name, value) for name, value in values if value]
    return document(node("cards:card", elements, _NAMESPACE))
