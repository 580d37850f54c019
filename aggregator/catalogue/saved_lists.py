"""Lists of records that readers keep in their browsers: the books of the ids, and all of them as one file. No HTTP.

The server stores no list: the ids come with the request.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lxml import etree

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Gone
from aggregator.models import BOOK_ID, Member
from aggregator.numbers.following import follow
from harvesting.models import SourceRecord
from metadata.formats import CITATIONS, OAI_REQUIRED, Writer
from metadata.record import BibliographicRecord
from metadata.xml.parsing import parse, serialise


@dataclass(frozen=True, slots=True)
class Format:
    """A download format. join: writes the records into one file."""

    label: str
    media_type: str
    ending: str
    join: Callable[[Iterable[BibliographicRecord]], bytes]


def saved_books(public_ids: Sequence[str]) -> tuple[list[Book], list[str]]:
    """Return the books that these ids stand for now, in this order and without repetitions, and the ids
    without a book.
    """
    rows = Member.objects.filter(source_record__public_id__in=public_ids)
    numbers = dict(rows.values_list("source_record__public_id", "manifestation"))
    leads = follow([int(name[1:]) for name in public_ids if re.fullmatch(BOOK_ID, name)])
    numbers |= {f"M{number}": current for number, current in leads.items()}
    books = catalogue.books(list(dict.fromkeys(numbers[name] for name in public_ids if name in numbers)))
    others = [name for name in public_ids if numbers.get(name) not in books]
    known = set(SourceRecord.objects.filter(public_id__in=others).values_list("public_id", flat=True))
    found: dict[str, Book] = {}
    gone: list[str] = []
    for public_id in public_ids:
        book = books.get(numbers.get(public_id, 0)) or (_find_book_or_none(public_id) if public_id in known else None)
        if book:
            found.setdefault(book.public_id, book)
        else:
            gone.append(public_id)
    return list(found.values()), gone


def _find_book_or_none(public_id: str) -> Book | None:
    """Return the book of a record that is in no group itself: just harvested, renamed, or deleted."""
    try:
        return catalogue.find_book(public_id)
    except (Gone, SourceRecord.DoesNotExist):
        return None


def _joined(writer: Writer) -> Callable[[Iterable[BibliographicRecord]], bytes]:
    return lambda records: writer.join(map(writer.write, records))


def _as_xml(records: Iterable[BibliographicRecord]) -> bytes:
    """Return the Dublin Core descriptions below one root element."""
    root = etree.Element("records")
    root.extend(parse(OAI_REQUIRED.write(record)) for record in records)
    return serialise(root)


def _format(writer: Writer) -> Format:
    is_json = "json" in writer.media_type
    media_type = writer.media_type if is_json else f"{writer.media_type}; charset=utf-8"  # JSON is always UTF-8
    return Format(writer.label, media_type, writer.ending.rpartition(".")[2], _joined(writer))


FORMATS = {
    **{writer.ending: _format(writer) for writer in CITATIONS.values() if writer.download},
    "xml": Format("Dublin Core", "application/xml; charset=utf-8", "xml", _as_xml),
}
