"""Writes a record as JSON-LD with the vocabulary of schema.org, for search engines and linked data. Not read.

Copies are offers of lending libraries, as the W3C Schema Bib Extend Community Group recommends.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from metadata.citations import kinds
from metadata.citations.facts import Citation, bcp47, cite, one_line
from metadata.citations.names import AUTHOR, EDITOR, ILLUSTRATOR, TRANSLATOR
from metadata.display_title import title_and_volume
from metadata.formats.schema_org.parts import (
    agent,
    body,
    identifiers,
    offers,
    related_resources,
    same_as,
    series,
    subjects,
    without_empty,
)
from metadata.links import safe_href
from metadata.record import BibliographicRecord
from metadata.text.numbering import bare_number

_TYPES = {
    kinds.BOOK: "Book",
    kinds.CHAPTER: "Chapter",
    kinds.ARTICLE: "ScholarlyArticle",
    kinds.NEWS: "NewsArticle",
    kinds.PAPER: "ScholarlyArticle",
    kinds.PROCEEDINGS: "Book",
    kinds.DOCTORAL: "Thesis",
    kinds.MASTER: "Thesis",
    kinds.THESIS: "Thesis",
    kinds.REPORT: "Report",
    kinds.JOURNAL: "Periodical",
    kinds.NEWSPAPER: "Newspaper",
    kinds.DATASET: "Dataset",
    kinds.SOFTWARE: "SoftwareSourceCode",
    kinds.MAP: "Map",
    kinds.SCORE: "SheetMusic",
    kinds.SOUND: "AudioObject",
    kinds.VIDEO: "VideoObject",
    kinds.IMAGE: "ImageObject",
    kinds.LAW: "Legislation",
    kinds.LECTURE: "PresentationDigitalDocument",
}
_ROLES = {
    AUTHOR: "author",
    EDITOR: "editor",
    TRANSLATOR: "translator",
    ILLUSTRATOR: "illustrator",
}
# Types that some properties of schema.org are limited to.
_BOOKS = frozenset(("Book",))
_IN_PAGES = frozenset(("ScholarlyArticle", "NewsArticle", "Chapter"))


def write(record: BibliographicRecord) -> bytes:
    """Return one JSON object. "@id" is the record's own URL, if it has one."""
    return write_cited(record, cite(record))


def write_cited(record: BibliographicRecord, cited: Citation) -> bytes:
    """As `write`, for a record whose citation exists already."""
    kind = _TYPES.get(cited.kind, "CreativeWork")
    node = {"@context": "https://schema.org", "@type": kind}
    if cited.page:
        node |= {"@id": cited.page, "url": cited.page}
    for part in (_description(record, cited), _people(cited), _publication(record, cited, kind), _links(record, cited)):
        node |= without_empty(dict(part))
    return msgspec.json.encode(node)


def _description(record: BibliographicRecord, cited: Citation) -> Iterator[tuple[str, Any]]:
    yield "name", title_and_volume(record)
    readings = (cited.title_reading, *(one_line(title.transcription) for title in record.alternatives))
    yield "alternateName", list(dict.fromkeys(title for title in (*cited.other_titles, *readings) if title))
    yield "inLanguage", list(cited.languages)
    yield "about", subjects(record)
    yield "genre", [one_line(genre.value) for genre in record.genres if genre.value]
    yield "abstract", [one_line(text) for text in record.abstracts]
    yield (
        "description" if cited.kind == kinds.DATASET else "",
        cited.abstract,
    )  # required by search engines for data sets
    yield "spatialCoverage", [one_line(text) for text in record.spatial]
    yield "temporalCoverage", [one_line(text) for text in record.temporal]
    yield "license", list(filter(None, (safe_href(licence.uri) for licence in record.licenses)))
    yield "image", next(filter(None, map(safe_href, record.thumbnails)), "")
    originals = list(filter(None, map(bcp47, record.original_languages)))
    yield "translationOfWork", {"@type": "CreativeWork", "inLanguage": originals} if originals else None


def _people(cited: Citation) -> Iterator[tuple[str, Any]]:
    """Yield names by role. Only books have illustrators; other illustrators, and roles without a property, are
    contributors.
    """
    kind = _TYPES.get(cited.kind, "")
    by_property: dict[str, list[Any]] = {}
    for person in cited.names:
        property_name = _ROLES.get(person.role, "contributor")
        fits = property_name != "illustrator" or kind in _BOOKS
        by_property.setdefault(property_name if fits else "contributor", []).append(agent(person))
    yield from by_property.items()


def _publication(record: BibliographicRecord, cited: Citation, kind: str) -> Iterator[tuple[str, Any]]:
    yield "publisher", [body(publisher) for publisher in record.publishers if publisher.name]
    yield "datePublished", cited.date
    yield "bookEdition" if kind in _BOOKS else "version", cited.edition
    if kind in _BOOKS:
        yield "numberOfPages", int(cited.page_count) if cited.page_count else None
        yield "bookFormat", "https://schema.org/EBook" if cited.electronic else ""
    yield "position", bare_number(one_line(record.volume))
    if kind in _BOOKS:
        yield "isbn", list(record.values("ISBN"))
    if kind in ("Periodical", "Newspaper"):
        yield "issn", list(cited.issn)
    if kind == "Thesis":
        yield "inSupportOf", cited.degree
        yield "sourceOrganization", [body(grantor) for grantor in record.degree_grantors]
    if kind in _IN_PAGES:
        yield "pageStart", cited.first_page if cited.last_page else ""
        yield "pageEnd", cited.last_page
        yield "pagination", cited.pages
    yield "isPartOf", [*series(record), *related_resources(record, "isPartOf")]
    yield "hasPart", related_resources(record, "hasPart")


def _links(record: BibliographicRecord, cited: Citation) -> Iterator[tuple[str, Any]]:
    yield "identifier", identifiers(record, cited)
    yield "sameAs", [page for page in same_as(record, cited) if page not in (cited.page, *cited.files)]
    yield "encoding", [{"@type": "MediaObject", "contentUrl": url} for url in cited.files]
    yield "offers", offers(record)
