"""What the page of a book shows, part by part. Knows the catalogue and words; no request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.urls import reverse

from aggregator.catalogue.books import Book, Description, finding_counts
from aggregator.merge import Statement, statements
from aggregator.middleware.book_page_cache import TODAY
from aggregator.presentation.fields import Speaker, makers, material_types, rows
from aggregator.presentation.other_editions import relatives_of
from aggregator.presentation.representations import addressed, structured_data
from aggregator.presentation.series import series_of
from metadata.citations import apa, sist02
from metadata.citations.coins import context_object
from metadata.citations.facts import Citation, cite
from metadata.citations.highwire import tags
from metadata.citations.text import Run
from metadata.links import safe_href
from metadata.record import BibliographicRecord, File

OPEN_SHELVES = 8  # providers shown before the rest is folded away; of each, four copies
FULL_TEXTS = 4  # links at the top; all files stand among the details


@dataclass(frozen=True, slots=True)
class Source:
    """One provider's record behind the page, and how many findings there are about it."""

    description: Description
    findings: int


@dataclass(frozen=True, slots=True)
class Reference:
    """The book as one style of citation prints it."""

    style: str
    runs: tuple[Run, ...]


def page_of(book: Book, public_id: str) -> dict[str, object]:
    """The context of the page. public_id: under which it was asked for. The number of queries is fixed."""
    record, described = book.record, addressed(book)
    cited, base = cite(described), reverse("search")
    said = _said(book)
    found = rows(record, base, said, _speakers(book) if said else ())
    return {
        "book": book,
        "record": record,
        "public_id": public_id,
        "canonical": described.uri,
        "structured_data": structured_data(described, cited),
        "highwire": tags(cited, described),
        "coins": context_object(cited),
        "types": material_types(record),
        "makers": makers(record, base),
        "full_texts": full_texts(record),
        "shelves": book.shelves[:OPEN_SHELVES],
        "more_shelves": book.shelves[OPEN_SHELVES:],
        "rows": found,
        "contested": any(row.contested for row in found),
        "relatives": relatives_of(book.number, record),
        "series": series_of(book.number, record),
        "sources": _sources(book),
        "references": tuple(_references(cited)),
    }


def _said(book: Book) -> dict[str, tuple[Statement, ...]]:
    """Who says what; of one description there is nothing to tell."""
    several = len(book.descriptions) > 1
    return statements(book.record, [each.record for each in book.descriptions]) if several else {}


def _speakers(book: Book) -> list[Speaker]:
    return [Speaker(each.repository.label, reverse("book", args=[each.public_id])) for each in book.descriptions]


def _sources(book: Book) -> list[Source]:
    counts = finding_counts(book.descriptions)
    return [Source(each, counts.get(each.number, 0)) for each in book.descriptions]


def _references(cited: Citation) -> Iterator[Reference]:
    yield Reference("SIST 02", (Run(sist02.reference(cited, TODAY)),))
    yield Reference("APA", apa.reference(cited))


def full_texts(record: BibliographicRecord) -> Sequence[File]:
    """Files with the whole text that a page may link to."""
    found = [each for each in record.files if each.type in ("", "fulltext") and safe_href(each.uri)]
    return found[:FULL_TEXTS]
