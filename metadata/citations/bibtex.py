"""Writes a record in BibTeX, in UTF-8, with BibTeX's own entry types; one entry per file.

Fields that BibTeX's own styles do not use (isbn, doi, url, yomi, …) are for biblatex, pBibTeX's Japanese styles and
reference managers. No library is used: those that write BibTeX leave the choice of fields, escaping and keys to the
caller.
"""

import re
from collections.abc import Iterable, Iterator

from metadata.citations import kinds
from metadata.citations.facts import Citation, cite
from metadata.citations.keys import cite_key
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR, Name
from metadata.record import BibliographicRecord
from metadata.writer import Writer

_TYPES = {
    kinds.BOOK: "book",
    kinds.CHAPTER: "incollection",
    kinds.ARTICLE: "article",
    kinds.NEWS: "article",
    kinds.PAPER: "inproceedings",
    kinds.PROCEEDINGS: "proceedings",
    kinds.DOCTORAL: "phdthesis",
    kinds.MASTER: "mastersthesis",
    kinds.THESIS: "phdthesis",
    kinds.REPORT: "techreport",
}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
# Names of the same field in entries of different types.
_CONTAINERS = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
_PUBLISHERS = {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}


def write(record: BibliographicRecord) -> bytes:
    """Return one entry. Empty fields are left out; the month is one of BibTeX's macros and has no braces."""
    citation = cite(record)
    kind = _TYPES.get(citation.kind, "misc")
    key = cite_key(record, citation.names, citation.year)
    fields = [f"  {name} = {{{value}}}" for name, value in _fields(citation, kind) if value]
    if len(citation.date) >= len("2001-01"):
        fields.append(f"  month = {_MONTHS[int(citation.date[5:7]) - 1]}")
    return f"@{kind}{{{key},\n{',\n'.join(fields)}\n}}\n".encode()


def _fields(citation: Citation, kind: str) -> Iterator[tuple[str, str]]:
    yield "author", _names(citation.with_role(AUTHOR))
    yield "editor", _names(citation.with_role(EDITOR))
    yield "translator", _names(citation.with_role(TRANSLATOR))
    yield "yomi", escape(_DATES.sub("", next((name.agent.transcription for name in citation.names), "")))
    yield "title", _title(citation)
    yield _CONTAINERS.get(kind, "howpublished"), escape(citation.container)
    yield "series", escape(citation.series)
    yield "volume", escape(citation.volume)
    yield "number", escape(_number(citation))
    yield "pages", "--".join(filter(None, (escape(citation.first_page), citation.last_page)))
    yield "pagetotal", citation.page_count
    yield "edition", escape(citation.edition)
    yield _PUBLISHERS.get(kind, "publisher"), escape(citation.school or citation.publisher)
    yield "address", escape(citation.place)
    yield "type", escape(citation.degree)
    yield "year", citation.year
    yield "isbn", " ".join(citation.isbn)
    yield "issn", " ".join(citation.issn)
    yield "doi", _verbatim(citation.doi)
    yield "url", _verbatim(citation.url)
    yield "language", ", ".join(citation.languages)
    yield "keywords", ", ".join(escape(keyword) for keyword in citation.keywords if "," not in keyword)
    yield "note", "; ".join(map(_other_name, citation.other_names))
    yield "abstract", escape(citation.abstract)


def _number(citation: Citation) -> str:
    """The issue; for a thesis its own number; for a book its number in the series."""
    return citation.issue or citation.number or citation.series_number


def _title(citation: Citation) -> str:
    """The title, in extra braces if it has capitals that a style would convert to lower case."""
    text = escape(citation.title)
    return f"{{{text}}}" if _CAPITALS.search(citation.title) else text


def _other_name(name: Name) -> str:
    return escape(": ".join(filter(None, (name.printed_role, name.inverted))))


def _names(names: Iterable[Name]) -> str:
    return " and ".join(map(_name, names))


def _name(name: Name) -> str:
    """ "Family, Suffix, Given"; braces keep together what BibTeX would split."""
    if not name.family:
        return f"{{{escape(name.literal)}}}"
    return ", ".join(_part(part) for part in (name.family, name.suffix, name.given) if part)


def _part(text: str) -> str:
    """A part of a name; in braces if it contains "and" or a comma, at which BibTeX splits."""
    escaped = escape(text)
    return f"{{{escaped}}}" if _SPLIT.search(text) else escaped


def escape(text: str) -> str:
    """Escape TeX's special characters; braces become commands, because an unpaired brace would end the entry."""
    return text.translate(_SPECIAL)


def _verbatim(text: str) -> str:
    """Identifiers and URLs are not escaped; characters that TeX would interpret are percent-encoded."""
    return text.translate({ord("{"): "%7B", ord("}"): "%7D", ord("\\"): "%5C", ord(" "): "%20"})


_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{char: f"\\{char}" for char in "#$%&_"},
    }
)
_DATES = re.compile(r",[^,]*[0-9][^,]*\Z")  # "ナツメ, ソウセキ, 1867-1916"
_CAPITALS = re.compile(r"(?<=.)[A-Z]")
_SPLIT = re.compile(r"\band\b|,", re.IGNORECASE)


WRITER = Writer(
    name="bibtex",
    label="BibTeX",
    media_type="application/x-bibtex",
    accepted=("text/x-bibtex",),
    ending="bib",
    write=write,
    books=True,
    download=True,
)
