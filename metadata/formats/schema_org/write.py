"""A record as JSON-LD in the words of schema.org, for search engines and linked data. Written only.

Copies are offers of lending libraries, as the W3C group on bibliographic extensions of schema.org recommends.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from metadata.citations import kinds
from metadata.citations.facts import Citation, bcp47, cite, line
from metadata.citations.names import AUTHOR, EDITOR, ILLUSTRATOR, TRANSLATOR
from metadata.formats.schema_org.parts import (
    agent,
    body,
    filled,
    identifiers,
    offers,
    relatives,
    same_as,
    series,
    subjects,
)
from metadata.links import safe_href
from metadata.record import BibliographicRecord

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
# Properties that schema.org has for these types alone.
_BOOKS = frozenset(("Book",))
_IN_PAGES = frozenset(("ScholarlyArticle", "NewsArticle", "Chapter"))


def write(record: BibliographicRecord) -> bytes:
    """One JSON object. "@id" is the record's own address, where it has one."""
    return written(record, cite(record))


def written(record: BibliographicRecord, cited: Citation) -> bytes:
    """The same of a record that was made a citation already."""
    kind = _TYPES.get(cited.kind, "CreativeWork")
    found = {"@context": "https://schema.org", "@type": kind}
    if cited.page:
        found |= {"@id": cited.page, "url": cited.page}
    for part in (_description(record, cited), _people(cited), _publication(record, cited, kind), _links(record, cited)):
        found |= filled(dict(part))
    return msgspec.json.encode(found)


def _description(record: BibliographicRecord, cited: Citation) -> Iterator[tuple[str, Any]]:
    name = " ".join(filter(None, (cited.title, line(record.volume))))
    yield "name", name
    readings = (cited.title_reading, *(line(each.transcription) for each in record.alternatives))
    yield "alternateName", list(dict.fromkeys(each for each in (*cited.other_titles, *readings) if each))
    yield "inLanguage", list(cited.languages)
    yield "about", subjects(record)
    yield "genre", [line(each.value) for each in record.genres if each.value]
    yield "abstract", [line(each) for each in record.abstracts]
    yield "description" if cited.kind == kinds.DATASET else "", cited.abstract  # asked for by data set searches
    yield "spatialCoverage", [line(each) for each in record.spatial]
    yield "temporalCoverage", [line(each) for each in record.temporal]
    yield "license", list(filter(None, (safe_href(each.uri) for each in record.licenses)))
    yield "image", next(filter(None, map(safe_href, record.thumbnails)), "")
    originals = list(filter(None, map(bcp47, record.original_languages)))
    yield "translationOfWork", {"@type": "CreativeWork", "inLanguage": originals} if originals else None


def _people(cited: Citation) -> Iterator[tuple[str, Any]]:
    """Illustrators are so of books alone; of anything else, and whoever has no property, a contributor."""
    kind = _TYPES.get(cited.kind, "")
    said: dict[str, list[Any]] = {}
    for each in cited.names:
        name = _ROLES.get(each.role, "contributor")
        fits = name != "illustrator" or kind in _BOOKS
        said.setdefault(name if fits else "contributor", []).append(agent(each))
    yield from said.items()


def _publication(record: BibliographicRecord, cited: Citation, kind: str) -> Iterator[tuple[str, Any]]:
    yield "publisher", [body(each) for each in record.publishers if each.name]
    yield "datePublished", cited.date
    yield "bookEdition" if kind in _BOOKS else "version", cited.edition
    if kind in _BOOKS:
        yield "numberOfPages", int(cited.page_count) if cited.page_count else None
        yield "bookFormat", "https://schema.org/EBook" if cited.electronic else ""
    yield "position", line(record.volume)
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
    yield "isPartOf", [*series(record), *relatives(record, "isPartOf")]
    yield "hasPart", relatives(record, "hasPart")


def _links(record: BibliographicRecord, cited: Citation) -> Iterator[tuple[str, Any]]:
    yield "identifier", identifiers(record, cited)
    yield "sameAs", [each for each in same_as(record, cited) if each not in (cited.page, *cited.files)]
    yield "encoding", [{"@type": "MediaObject", "contentUrl": each} for each in cited.files]
    yield "offers", offers(record)
