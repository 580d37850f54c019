"""The pages of a record, for formats that have no place for its URI or for its items. Pure.

The first page is the one that identifies the record: many formats have no other identity, and the programs that read
them take the first address as that of the record.
"""

from collections.abc import Iterable

from metadata.links import safe_href
from metadata.record import BibliographicRecord

_DOI_URLS = tuple(f"{scheme}://{host}/" for scheme in ("https", "http") for host in ("doi.org", "dx.doi.org"))


def pages(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the record's own address, and the pages about the resource, else those of its items."""
    return _with_own(record, record.see_also or (page for item in record.items for page in item.see_also))


def with_own_page(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the record's own address and the pages about the resource, without those of items."""
    return _with_own(record, record.see_also)


def is_doi(uri: str) -> bool:
    """Whether the URI is the address of a DOI."""
    return uri.startswith(_DOI_URLS)


def _with_own(record: BibliographicRecord, links: Iterable[str]) -> tuple[str, ...]:
    """Return the links after the URI of the record, if that is a page that they do not lead to.

    A DOI comes last: it is the identity of the record too, but formats have an element of its own for it.
    """
    others = tuple(dict.fromkeys(links))
    own = record.uri
    if not safe_href(own) or (own not in others and own.partition("#")[0] in others):
        return others
    if is_doi(own):
        return tuple(dict.fromkeys((*others, own)))
    return tuple(dict.fromkeys((own, *others)))
