"""Books as one file to download: in every form that a book has an address in, as a table, as references. No HTTP."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.presentation.field_cells import material_types
from aggregator.presentation.field_labels import language_name
from aggregator.presentation.representations import book_writers
from aggregator.query.parameters import BadParameter
from core.spreadsheet import csv_lines
from metadata.citations import apa, sist02
from metadata.citations.facts import Citation, cite
from metadata.citations.text import plain_text
from metadata.record import BibliographicRecord
from metadata.writer import Writer

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SEPARATOR = "; "  # between the values of a cell


@dataclass(frozen=True, slots=True)
class BookFile:
    """A kind of file. pieces: writes the records, piece by piece.

    personal: it is for the reader's own use. The others copy whole descriptions, so they contain only what may be
    redistributed.
    """

    label: "StrOrPromise"
    media_type: str
    ending: str
    pieces: Callable[[Iterable[BibliographicRecord]], Iterator[bytes]]
    personal: bool = False


def _of_writer(writer: Writer) -> BookFile:
    is_json = "json" in writer.media_type
    media_type = writer.media_type if is_json else f"{writer.media_type}; charset=utf-8"  # JSON is always UTF-8
    ending = writer.ending.rpartition(".")[2]

    def pieces(records: Iterable[BibliographicRecord]) -> Iterator[bytes]:
        return writer.join(map(writer.write, records))

    return BookFile(writer.label, media_type, ending, pieces, personal=writer.download)


def _references(style: Callable[[Citation], str]) -> Callable[[Iterable[BibliographicRecord]], Iterator[bytes]]:
    return lambda records: (f"{style(cite(record))}\r\n".encode() for record in records)


def _table(records: Iterable[BibliographicRecord]) -> Iterator[bytes]:
    header = (
        *(_("Title"), _("Volume"), _("Creator"), _("Publisher"), _("Year"), _("Edition"), _("Series")),
        *("ISBN", "ISSN", "DOI", _("Material type"), _("Language"), _("NDC class"), _("Address")),
    )
    return csv_lines(header, map(_row, records))


def _row(record: BibliographicRecord) -> tuple[str, ...]:
    cited = cite(record)
    classes = [subject.value for subject in record.subjects if subject.scheme.startswith("NDC")]
    return (
        record.title,
        record.volume,
        SEPARATOR.join(creator.name for creator in record.creators),
        SEPARATOR.join(publisher.name for publisher in record.publishers),
        cited.year,
        SEPARATOR.join(record.editions),
        SEPARATOR.join(title.value for title in record.series),
        SEPARATOR.join(cited.isbn),
        SEPARATOR.join(cited.issn),
        cited.doi,
        SEPARATOR.join(material_types(record)),
        SEPARATOR.join(map(language_name, record.languages)),
        SEPARATOR.join(dict.fromkeys(classes)),
        record.uri,
    )


_TEXT = "text/plain; charset=utf-8"
FILES: dict[str, BookFile] = {
    "csv": BookFile(gettext_lazy("Table (CSV)"), "text/csv; charset=utf-8", "csv", _table, personal=True),
    "sist02": BookFile(gettext_lazy("References (SIST 02)"), _TEXT, "txt", _references(sist02.reference), True),
    "apa": BookFile(
        gettext_lazy("References (APA)"),
        _TEXT,
        "txt",
        _references(lambda cited: plain_text(apa.reference(cited))),
        True,
    ),
    **{writer.name: _of_writer(writer) for writer in book_writers()},
}


def file_named(name: str) -> BookFile:
    """Return the kind of file that a `format` parameter names. Raises BadParameter."""
    if name not in FILES:
        raise BadParameter("format", _("Allowed: %(names)s.") % {"names": ", ".join(FILES)})
    return FILES[name]
