"""The context of a book's page, part by part. Needs no request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.urls import reverse

from aggregator.availability.questions import askable
from aggregator.catalogue.books import Book, Description, Member, compared_descriptions, descriptions, issue_counts
from aggregator.catalogue.identity import described
from aggregator.catalogue.shelves import Shelf
from aggregator.merge import statements
from aggregator.middleware.book_page_cache import TODAY
from aggregator.presentation.fields import Origin, display_creators, material_types, rows
from aggregator.presentation.licences import ShownLicence, shown_licences
from aggregator.presentation.other_editions import relatives_of
from aggregator.presentation.representations import book_writers, ending_of, structured_data
from aggregator.presentation.series import series_of
from aggregator.presentation.title_changes import title_changes
from aggregator.provision.licences import abouts, licences_of
from metadata.about import NOTHING
from metadata.citations import apa, sist02
from metadata.citations.coins import context_object
from metadata.citations.facts import Citation, cite
from metadata.citations.highwire import tags
from metadata.citations.text import Run
from metadata.links import safe_href
from metadata.record import BibliographicRecord, File
from metadata.writer import Writer

SOURCES = 20  # source records; if there are more, FIRST_SOURCES are on this page, and all on a page of their own
FIRST_SOURCES = 8
FULL_TEXTS = 4  # links at the top; the details list all files


@dataclass(frozen=True, slots=True)
class Source:
    """One provider's record that the book was merged from, the number of its issues, and its licences."""

    description: Description
    issues: int
    licences: tuple[ShownLicence, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """The book as one style of citation prints it."""

    style: str
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the book for programs. ending: of its address."""

    writer: Writer
    ending: str

    @property
    def title(self) -> str:
        """What tells the form from others with the same media type, "" where the media type is enough."""
        return self.writer.label if self.writer.media_type == "application/xml" else ""


def page_of(book: Book, public_id: str) -> dict[str, object]:
    """Return the context of the page. public_id: the id in the address. The number of queries is fixed."""
    record, own = book.record, described(book)
    cited, base = cite(own), reverse("search")
    is_long = len(book.members) > SOURCES
    compared = compared_descriptions(book) if len(book.members) > 1 else ()
    made = statements(record, [description.record for description in compared]) if len(compared) > 1 else {}
    shown = rows(record, base, made, _origins(compared) if made else ())
    return {
        "book": book,
        "record": record,
        "public_id": book.oldest if public_id == book.public_id else public_id,  # the id of a record, not of the book
        "canonical": own.uri,
        "structured_data": structured_data(own, cited),
        "forms": [Form(writer, ending_of(writer)) for writer in book_writers()],
        "highwire": tags(cited, own),
        "coins": context_object(cited),
        "types": material_types(record),
        "makers": display_creators(record, base),
        "full_texts": full_texts(record),
        "shelves": book.shelves,
        "askable": askable_of(book, book.shelves),
        "further_libraries": book.holders.libraries - len(book.shelves),
        "compared": len(compared),
        "rows": shown,
        "contested": any(row.contested for row in shown),
        "relatives": relatives_of(book.number, record),
        "series": series_of(book.number, record),
        "title_changes": title_changes(book.number, record),
        "sources": sources(book.members[: FIRST_SOURCES if is_long else SOURCES]),
        "is_long": is_long,
        "references": tuple(_references(cited)),
    }


def askable_of(book: Book, shelves: Sequence[Shelf]) -> frozenset[int]:
    """Return those of the holding libraries that can be asked whether the book can be borrowed now."""
    libraries = {shelf.library.pk for shelf in shelves if shelf.library.pk} if book.number else set()
    return askable() & libraries if libraries else frozenset()


def sources(members: Sequence[Member]) -> list[Source]:
    """Return members of a book with descriptions, numbers of issues and licences. Three queries."""
    counts, said = issue_counts(members), abouts([member.number for member in members])
    return [
        Source(
            description,
            counts.get(description.number, 0),
            shown_licences(licences_of(said.get(description.number, NOTHING), description.repository.licence)),
        )
        for description in descriptions(members)
    ]


def _origins(compared: Sequence[Description]) -> list[Origin]:
    return [
        Origin(description.repository.label, reverse("book", args=[description.public_id])) for description in compared
    ]


def _references(cited: Citation) -> Iterator[Reference]:
    yield Reference("SIST 02", (Run(sist02.reference(cited, TODAY)),))
    yield Reference("APA", apa.reference(cited))


def full_texts(record: BibliographicRecord) -> Sequence[File]:
    """Return the files with the whole text that a page may link to."""
    files = [file for file in record.files if file.type in ("", "fulltext") and safe_href(file.uri)]
    return files[:FULL_TEXTS]
