"""Writes a record in RIS, which reference managers (Zotero, EndNote, Mendeley) import; one record per file.

A line is a tag of two characters, two blanks, a hyphen, a blank and the value, and ends with CR LF. TY comes first
and ER last; a value has no line breaks. No library is used: those that write RIS expect a finished table of tags.
"""

from collections.abc import Iterable, Iterator

from metadata.citations import kinds
from metadata.citations.facts import Citation, cite, one_line
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR
from metadata.record import BibliographicRecord
from metadata.writer import Writer

_TYPES = {
    kinds.BOOK: "BOOK",
    kinds.CHAPTER: "CHAP",
    kinds.ARTICLE: "JOUR",
    kinds.PAPER: "CPAPER",
    kinds.PROCEEDINGS: "CONF",
    kinds.DOCTORAL: "THES",
    kinds.MASTER: "THES",
    kinds.THESIS: "THES",
    kinds.REPORT: "RPRT",
    kinds.JOURNAL: "JFULL",
    kinds.NEWSPAPER: "JFULL",
    kinds.NEWS: "NEWS",
    kinds.DATASET: "DATA",
    kinds.SOFTWARE: "COMP",
    kinds.MAP: "MAP",
    kinds.SCORE: "MUSIC",
    kinds.SOUND: "SOUND",
    kinds.VIDEO: "VIDEO",
    kinds.IMAGE: "ART",
    kinds.LAW: "STAT",
}
_ELECTRONIC = {"BOOK": "EBOOK", "CHAP": "ECHAP"}


def write(record: BibliographicRecord) -> bytes:
    """Return one reference, from TY to ER."""
    citation = cite(record)
    lines = [(tag, one_line(value)) for tag, value in _lines(citation)]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in [*lines, ("ER", "")] if value or tag == "ER").encode()


def _lines(citation: Citation) -> Iterator[tuple[str, str]]:
    kind = _TYPES.get(citation.kind, "GEN")
    yield "TY", _ELECTRONIC.get(kind, kind) if citation.electronic else kind
    yield from _several("AU", (name.inverted for name in citation.with_role(AUTHOR)))
    yield from _several("ED", (name.inverted for name in citation.with_role(EDITOR)))
    yield from _several("A4", (name.inverted for name in citation.with_role(TRANSLATOR)))
    yield "TI", citation.title
    yield from _several("TT", citation.other_titles[:1])
    yield "T2", citation.container or citation.series
    yield "T3", citation.series if citation.container else ""
    yield "PY", citation.year
    yield "DA", citation.date.replace("-", "/")
    yield "ET", citation.edition
    yield "VL", citation.volume or (citation.series_number if not citation.container else "")
    yield "IS", citation.issue or citation.number
    yield "SP", citation.first_page or citation.page_count
    yield "EP", citation.last_page
    yield "PB", citation.school or citation.publisher
    yield "CY", citation.place
    yield "SN", " ".join(citation.isbn if citation.isbn and not citation.container else citation.issn or citation.isbn)
    yield "DO", citation.doi
    yield "M3", citation.degree
    yield "LA", ", ".join(citation.languages)
    yield "AB", citation.abstract
    yield from _several("KW", citation.keywords)
    yield from _several("N1", _notes(citation))
    yield from _several("UR", dict.fromkeys((citation.url, citation.page)))
    yield from _several("L1", citation.files)


def _several(tag: str, values: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((tag, value) for value in values)


def _notes(citation: Citation) -> Iterator[str]:
    """The names whose role has no tag, and the notes."""
    for name in citation.other_names:
        yield ": ".join(filter(None, (name.printed_role, name.inverted)))
    yield from citation.notes


WRITER = Writer(
    name="ris",
    label="RIS",
    media_type="application/x-research-info-systems",
    ending="ris",
    write=write,
    books=True,
    download=True,
)
