"""Writes a record as a card."""

from metadata.record import BibliographicRecord
from metadata.xml.writing import Element, declarations, serialise
from tests.aggregator.card_format.read import CARDS


def write(record: BibliographicRecord) -> bytes:
    root = Element("cards:card")
    root.attributes.update(declarations({"cards": CARDS}))
    values = (
        *(("cards:heading", title.value) for title in record.titles),
        *(("cards:author", creator.name) for creator in record.creators),
        ("cards:published", record.issued),
        *(("cards:isbn", number) for number in record.values("ISBN")),
    )
    for name, value in values:
        if value:
            root.add(name, value)
    return serialise(root)
