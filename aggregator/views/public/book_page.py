"""The context of a book's page, part by part. Needs no request."""

from collections.abc import Iterator, Sequence

import msgspec
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.availability.questions import askable
from aggregator.catalogue.books import Book, Description, Member, compared_descriptions, descriptions, issue_counts
from aggregator.catalogue.identity import described
from aggregator.catalogue.shelves import Shelf
from aggregator.covers.choice import addresses_of, open_manifest_of
from aggregator.merge import statements
from aggregator.middleware.book_page_cache import TODAY
from aggregator.presentation.fields import Origin, display_creators, material_types, rows
from aggregator.presentation.licences import ShownLicence, shown_licences
from aggregator.presentation.other_editions import relatives_of
from aggregator.presentation.related.online import full_texts, images_of
from aggregator.presentation.related.similar import similar_to
from aggregator.presentation.representations import book_writers, ending_of, structured_data
from aggregator.presentation.series import series_of
from aggregator.presentation.title_changes import title_changes
from aggregator.provision.licences import abouts, licences_of
from aggregator.query.field_searches import display_name
from metadata.about import NOTHING
from metadata.citations import apa, sist02
from metadata.citations.coins import context_object
from metadata.citations.facts import Citation, cite
from metadata.citations.highwire import tags
from metadata.citations.text import Run
from metadata.record import BibliographicRecord
from metadata.writer import Writer

SOURCES = 20  # source records; if there are more, FIRST_SOURCES are on this page, and all on a page of their own
FIRST_SOURCES = 8
SHELVES = 12  # libraries; if there are more, FIRST_SHELVES are on this page, and all on a page of their own
FIRST_SHELVES = 8
MOST_NAMES = 3  # in the description for other sites


class Source(msgspec.Struct, frozen=True, gc=False):
    """One provider's record that the book was merged from, the number of its issues, and its licences."""

    description: Description
    issues: int
    licences: tuple[ShownLicence, ...] = ()


class Reference(msgspec.Struct, frozen=True, gc=False):
    """The book as one style of citation prints it."""

    style: str
    runs: tuple[Run, ...]


class Form(msgspec.Struct, frozen=True, gc=False):
    """A form of the book for programs. ending: of its address."""

    writer: Writer
    ending: str

    @property
    def title(self) -> str:
        """What tells the form from others with the same media type, "" where the media type is enough."""
        return self.writer.label if self.writer.media_type == "application/xml" else ""


def _without_repeats(book: Book) -> BibliographicRecord:
    """The record without what the page says elsewhere: addresses beside the holdings, and notes that are the title."""
    record, linked = book.record, {shelf.link.url for shelf in book.shelves}
    titles = (record.title, record.display_title, f"{record.title} {record.volume}")
    return replace(
        record,
        see_also=tuple(address for address in record.see_also if address not in linked),
        notes=tuple(note for note in record.notes if note not in titles),
    )


def page_of(book: Book, public_id: str) -> dict[str, object]:
    """Return the context of the page. public_id: the id in the address. The number of queries is fixed."""
    record, own = book.record, described(book)
    cited, base = cite(own), reverse("search")
    is_long = len(book.members) > SOURCES
    shelves = book.shelves[: FIRST_SHELVES if book.holders.libraries > SHELVES else SHELVES]
    compared = compared_descriptions(book)
    made = statements(record, [description.record for description in compared]) if len(compared) > 1 else {}
    shown = rows(_without_repeats(book), base, made, _origins(compared) if made else ())
    relatives, series = relatives_of(book.number, record), series_of(book.number, record)
    known = {other.public_id for other in (*relatives.volumes, *relatives.others)}
    known |= {neighbour.public_id for neighbour in (series.books if series else ())}
    return {
        "book": book,
        "record": record,
        "public_id": book.oldest if public_id == book.public_id else public_id,  # the id of a record, not of the book
        "canonical": own.uri,
        "structured_data": structured_data(own, cited),
        "forms": [Form(writer, ending_of(writer)) for writer in book_writers()],
        "highwire": tags(cited, own),
        "coins": context_object(cited),
        "social": tuple(_social(book, own.uri)),
        "types": material_types(record),
        "makers": display_creators(record, base),
        "full_texts": full_texts(record),
        "images": images_of(record, [shelf.link.url for shelf in book.shelves if shelf.link.kind == "detail"]),
        "has_open_images": bool(book.number and open_manifest_of(book)),
        "shelves": shelves,
        "askable": askable_of(book, shelves),
        "further_libraries": book.holders.libraries - len(shelves),
        "compared": len(compared),
        "rows": shown,
        "contested": any(row.contested for row in shown),
        "relatives": relatives,
        "series": series,
        "similar": similar_to(book.number, record, known),
        "title_changes": title_changes(book.number, record),
        "sources": sources(book.members[: FIRST_SOURCES if is_long else SOURCES], compared),
        "is_long": is_long,
        "references": tuple(_references(cited)),
    }


def askable_of(book: Book, shelves: Sequence[Shelf]) -> frozenset[int]:
    """Return those of the holding libraries that can be asked whether the book can be borrowed now."""
    libraries = {shelf.library.pk for shelf in shelves if shelf.library.pk} if book.number else set()
    return askable() & libraries if libraries else frozenset()


def sources(members: Sequence[Member], known: Sequence[Description] = ()) -> list[Source]:
    """Return members of a book with descriptions, numbers of issues and licences. At most three queries.

    known: descriptions that have been read already, maybe of other members too.
    """
    counts, said = issue_counts(members), abouts([member.number for member in members])
    read = {description.number: description for description in known}
    read |= {one.number: one for one in descriptions(member for member in members if member.number not in read)}
    return [
        Source(
            description,
            counts.get(description.number, 0),
            shown_licences(licences_of(said.get(description.number, NOTHING), description.repository.licence)),
        )
        for description in (read[member.number] for member in members if member.number in read)
    ]


def _origins(compared: Sequence[Description]) -> list[Origin]:
    return [
        Origin(description.repository.label, reverse("book", args=[description.public_id])) for description in compared
    ]


def _social(book: Book, address: str) -> Iterator[tuple[str, str]]:
    """Yield what other sites show of a link to the page (ogp.me): property and content."""
    record = book.record
    yield "og:type", "book"
    yield "og:title", " ".join(filter(None, (record.title or record.display_title or book.public_id, record.volume)))
    yield "og:url", address
    yield "og:site_name", _("Library Aggregator")
    names = [display_name(creator.name) for creator in record.creators[:MOST_NAMES]]
    publishers = [publisher.name for publisher in record.publishers[:1]]
    if facts := [*names, *publishers, *([record.year] if record.year else [])]:
        yield "og:description", " · ".join(facts)
    if addresses_of(book):  # a drawn cover is an SVG, which those sites do not show
        yield "og:image", settings.PUBLIC_URL + reverse("cover", args=[book.public_id])
    for isbn in record.values("ISBN")[:1]:
        yield "book:isbn", isbn


def _references(cited: Citation) -> Iterator[Reference]:
    yield Reference("SIST 02", (Run(sist02.reference(cited, TODAY)),))
    yield Reference("APA", apa.reference(cited))
