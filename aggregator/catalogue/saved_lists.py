"""Lists of records that readers keep in their browsers: the books behind the ids, and all of them as one file. No HTTP.

A list is nowhere here: it comes with each request, and nothing of it is stored.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lxml import etree
from msgspec import Raw, json

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Gone
from aggregator.models import Member
from harvesting.models import SourceRecord
from metadata.formats import WRITERS
from metadata.record import BibliographicRecord
from metadata.xml.parsing import parse, serialise


@dataclass(frozen=True, slots=True)
class Format:
    """A way to take a list away. join: the records as one file."""

    label: str
    media_type: str
    ending: str
    join: Callable[[Iterable[BibliographicRecord]], bytes]


def saved_books(public_ids: Sequence[str]) -> tuple[list[Book], list[str]]:
    """The books that these ids stand for now, in this order and each once; and the ids of which nothing is left."""
    rows = Member.objects.filter(source_record__public_id__in=public_ids)
    numbers = dict(rows.values_list("source_record__public_id", "manifestation"))
    books = catalogue.books(list(dict.fromkeys(numbers[each] for each in public_ids if each in numbers)))
    others = [each for each in public_ids if numbers.get(each) not in books]
    known = set(SourceRecord.objects.filter(public_id__in=others).values_list("public_id", flat=True))
    found: dict[str, Book] = {}
    gone: list[str] = []
    for each in public_ids:
        book = books.get(numbers.get(each, 0)) or (_moved(each) if each in known else None)
        if book:
            found.setdefault(book.public_id, book)
        else:
            gone.append(each)
    return list(found.values()), gone


def _moved(public_id: str) -> Book | None:
    """The book of a record that stands in no group itself: just harvested, renamed, or deleted."""
    try:
        return catalogue.find_book(public_id)
    except (Gone, SourceRecord.DoesNotExist):
        return None


def _one_after_another(name: str) -> Callable[[Iterable[BibliographicRecord]], bytes]:
    return lambda records: b"\n".join(map(WRITERS[name].write, records))


def _as_json(records: Iterable[BibliographicRecord]) -> bytes:
    """One array of what each record's own array holds."""
    items = [item for record in records for item in json.decode(WRITERS["csl"].write(record), type=list[Raw])]
    return json.encode(items)


def _as_xml(records: Iterable[BibliographicRecord]) -> bytes:
    """Descriptions in Dublin Core side by side below one root."""
    root = etree.Element("records")
    root.extend(parse(WRITERS["oai_dc"].write(record)) for record in records)
    return serialise(root)


FORMATS = {
    "ris": Format("RIS", WRITERS["ris"].media_type + "; charset=utf-8", "ris", _one_after_another("ris")),
    "bib": Format("BibTeX", WRITERS["bibtex"].media_type + "; charset=utf-8", "bib", _one_after_another("bibtex")),
    "csl.json": Format("CSL-JSON", WRITERS["csl"].media_type, "json", _as_json),
    "xml": Format("Dublin Core", "application/xml; charset=utf-8", "xml", _as_xml),
}
