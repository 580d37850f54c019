"""Which pictures may stand for a book: those that its records name, then the source that the operator configured."""

from collections.abc import Iterable, Iterator
from itertools import islice

from django.conf import settings

from aggregator.catalogue.books import Book, compared_descriptions
from metadata.links import safe_href
from metadata.record import BibliographicRecord

MOST = 4  # addresses that are tried


def addresses_of(book: Book) -> tuple[str, ...]:
    """Return the addresses of pictures of a book, the best first; those of a provider that forbids it are left out."""
    if all(repository.show_pictures for repository in book.repositories):
        records = [book.record]
    else:
        records = [one.record for one in compared_descriptions(book) if one.repository.show_pictures]
    found = (safe_href(address) for address in (*_named(records), *_configured(book.record)))
    return tuple(islice(dict.fromkeys(filter(None, found)), MOST))


def _named(records: Iterable[BibliographicRecord]) -> Iterator[str]:
    for record in records:
        yield from record.thumbnails
    for record in records:
        yield from (file.uri for file in record.files if file.type.lower() == "iiif")


def _configured(record: BibliographicRecord) -> Iterator[str]:
    """Return the address at the source that the operator configured (COVER_SOURCE, an address with {isbn})."""
    if "{isbn}" in settings.COVER_SOURCE:
        yield from (settings.COVER_SOURCE.replace("{isbn}", isbn) for isbn in record.values("ISBN")[:1])
