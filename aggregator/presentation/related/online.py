"""The links of a record to its full text and to its images. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from metadata.links import safe_href
from metadata.record import BibliographicRecord, File

FULL_TEXTS = 4  # links at the top of a page; its details list all files
IIIF = "iiif"  # type of a file that is a IIIF manifest, which describes all images


def full_texts(record: BibliographicRecord) -> Sequence[File]:
    """Return the files with the whole text that a page may link to."""
    files = [file for file in record.files if file.type in ("", "fulltext") and safe_href(file.uri)]
    return files[:FULL_TEXTS]


class Images(NamedTuple):
    """viewer: address of the provider's page where the images can be seen, "" if unknown. manifest: of IIIF."""

    viewer: str
    manifest: str


def images_of(record: BibliographicRecord, pages: Sequence[str]) -> Images | None:
    """Return where the images of a book can be seen; None if its record names no IIIF manifest.

    pages: addresses of the book at its providers, whose pages show their own images.
    """
    manifests = [file.uri for file in record.files if file.type.lower() == IIIF and safe_href(file.uri)]
    if not manifests:
        return None
    return Images(next(filter(safe_href, pages), ""), manifests[0])
