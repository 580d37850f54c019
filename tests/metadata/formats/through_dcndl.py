"""Records compared after a way through DC-NDL: equal but for what DC-NDL has no place for (NO_PLACE)."""

import msgspec

from metadata.formats.dcndl.write import NO_PLACE
from metadata.record import BibliographicRecord

assert NO_PLACE.keys() == {"uri", "items.uri", "other_dates"}  # what follows is about these three


def comparable(record: BibliographicRecord, sent: BibliographicRecord) -> BibliographicRecord:
    """The record without the URIs that `sent` did not have, and with its dates in a fixed order."""
    items = tuple(
        each if position < len(sent.items) and sent.items[position].uri else msgspec.structs.replace(each, uri="")
        for position, each in enumerate(record.items)
    )
    dates = tuple(sorted(record.other_dates, key=lambda each: (each.type, each.value)))
    return msgspec.structs.replace(record, uri=record.uri if sent.uri else "", items=items, other_dates=dates)
