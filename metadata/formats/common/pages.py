"""The pages of a record, for formats that have no place for its URI or for its items. Pure."""

from metadata.links import safe_href
from metadata.record import BibliographicRecord


def pages(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the pages about the resource, else those of its items; and the URI of the record if it is a page."""
    own = record.see_also or tuple(page for item in record.items for page in item.see_also)
    return tuple(dict.fromkeys((*own, *_page(record.uri))))


def with_own_page(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the pages about the resource and the URI of the record, without those of items."""
    return tuple(dict.fromkeys((*record.see_also, *_page(record.uri))))


def _page(uri: str) -> tuple[str, ...]:
    return (uri,) if safe_href(uri) else ()
