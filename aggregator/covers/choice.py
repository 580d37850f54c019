"""Which pictures may stand for a book: those that its records name, then the source that the operator configured."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.conf import settings

from aggregator.catalogue.books import Book, compared_descriptions
from metadata.links import safe_href
from metadata.record import BibliographicRecord
from metadata.vocabularies.licences import licence_of

MOST = 4  # addresses that are tried
_OPEN = ("cc", "pdm")  # beginnings of the keys of licences that allow copies


def addresses_of(book: Book) -> tuple[str, ...]:
    """Return the addresses of pictures of a book, the best first; those of a provider that forbids it are left out."""
    found = (safe_href(address) for address in (*_named(_permitted(book)), *_configured(book.record)))
    return tuple(islice(dict.fromkeys(filter(None, found)), MOST))


def open_manifest_of(book: Book) -> str:
    """Return the address of a IIIF manifest whose images this site may show itself: its provider allows pictures, and
    the record states a licence that allows copies of them. "" if there is none.
    """
    open_records = (record for record in _permitted(book) if is_open(licences_stated(record)))
    return next(filter(None, map(safe_href, _manifests(open_records))), "")


def is_open(statements: Iterable[str]) -> bool:
    """Whether one of these statements of rights is a licence of Creative Commons, CC0 or the public domain mark.

    All licences of Creative Commons allow images to be shown unchanged and without commercial purpose, NC and ND too;
    another size or format is no change (CC BY-ND 4.0, section 2(a)(4)). The operator of a site with a commercial
    purpose has to switch off the pictures of providers with NC licences (`Repository.show_pictures`).
    """
    licences = map(licence_of, statements)
    return any(licence is not None and licence.key.startswith(_OPEN) for licence in licences)


def licences_stated(record: BibliographicRecord) -> list[str]:
    """Return the statements of rights of a record: addresses and words."""
    return [*record.rights, *(text for licence in record.licenses for text in (licence.uri, licence.label) if text)]


def _permitted(book: Book) -> list[BibliographicRecord]:
    """Return the records of a book whose pictures may be shown: the merged one if every provider allows it."""
    if all(repository.show_pictures for repository in book.repositories):
        return [book.record]
    return [one.record for one in compared_descriptions(book) if one.repository.show_pictures]


def _named(records: Sequence[BibliographicRecord]) -> Iterator[str]:
    for record in records:
        yield from record.thumbnails
    yield from _manifests(records)


def _manifests(records: Iterable[BibliographicRecord]) -> Iterator[str]:
    for record in records:
        yield from (file.uri for file in record.files if file.type.lower() == "iiif")


def _configured(record: BibliographicRecord) -> Iterator[str]:
    """Return the address at the source that the operator configured (COVER_SOURCE, an address with {isbn})."""
    if "{isbn}" in settings.COVER_SOURCE:
        yield from (settings.COVER_SOURCE.replace("{isbn}", isbn) for isbn in record.values("ISBN")[:1])
