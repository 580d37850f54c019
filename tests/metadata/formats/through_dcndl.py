"""Compares records before and after DC-NDL: equal except for what DC-NDL has no place for (NO_PLACE)."""

import msgspec

from metadata.formats.dcndl.write import NO_PLACE
from metadata.record import BibliographicRecord

assert NO_PLACE.keys() == {"uri", "items.uri", "other_dates"}  # the comparison below handles exactly these three


def comparable(record: BibliographicRecord, sent: BibliographicRecord) -> BibliographicRecord:
    """Return the record without the URIs that `sent` did not have, and with its dates in a fixed order."""
    items = tuple(
        item if position < len(sent.items) and sent.items[position].uri else msgspec.structs.replace(item, uri="")
        for position, item in enumerate(record.items)
    )
    dates = tuple(sorted(record.other_dates, key=lambda date: (date.type, date.value)))
    return msgspec.structs.replace(record, uri=record.uri if sent.uri else "", items=items, other_dates=dates)
