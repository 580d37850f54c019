"""A record in RIS, which reference managers (Zotero, EndNote, Mendeley) import. Written only; one record a file.

A line is a tag of two characters, two blanks, a hyphen, a blank and the value, and ends with CR LF. TY comes first
and ER last; a value has no line breaks. Libraries that write RIS take a table of tags and leave all of this to us.
"""

from collections.abc import Iterable, Iterator

from metadata.citations import kinds
from metadata.citations.facts import Citation, cite, line
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR
from metadata.record import BibliographicRecord

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
    """One reference, from TY to ER."""
    cited = cite(record)
    lines = [(tag, line(value)) for tag, value in _lines(cited)]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in [*lines, ("ER", "")] if value or tag == "ER").encode()


def _lines(cited: Citation) -> Iterator[tuple[str, str]]:
    kind = _TYPES.get(cited.kind, "GEN")
    yield "TY", _ELECTRONIC.get(kind, kind) if cited.electronic else kind
    yield from _several("AU", (each.inverted for each in cited.those(AUTHOR)))
    yield from _several("ED", (each.inverted for each in cited.those(EDITOR)))
    yield from _several("A4", (each.inverted for each in cited.those(TRANSLATOR)))
    yield "TI", cited.title
    yield from _several("TT", cited.other_titles[:1])
    yield "T2", cited.container or cited.series
    yield "T3", cited.series if cited.container else ""
    yield "PY", cited.year
    yield "DA", cited.date.replace("-", "/")
    yield "ET", cited.edition
    yield "VL", cited.volume or (cited.series_number if not cited.container else "")
    yield "IS", cited.issue or cited.number
    yield "SP", cited.first_page or cited.page_count
    yield "EP", cited.last_page
    yield "PB", cited.school or cited.publisher
    yield "CY", cited.place
    yield "SN", " ".join(cited.isbn if cited.isbn and not cited.container else cited.issn or cited.isbn)
    yield "DO", cited.doi
    yield "M3", cited.degree
    yield "LA", ", ".join(cited.languages)
    yield "AB", cited.abstract
    yield from _several("KW", cited.keywords)
    yield from _several("N1", _notes(cited))
    yield from _several("UR", dict.fromkeys((cited.url, cited.page)))
    yield from _several("L1", cited.files)


def _several(tag: str, values: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((tag, value) for value in values)


def _notes(cited: Citation) -> Iterator[str]:
    """Whoever has no tag of their own, and the notes."""
    for each in cited.others:
        yield ": ".join(filter(None, (each.printed_role, each.inverted)))
    yield from cited.notes
