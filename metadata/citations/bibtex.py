"""A record in BibTeX, in UTF-8, with the entry types of BibTeX itself. Written only; one entry a file.

Fields that BibTeX's own styles do not know (isbn, doi, url, yomi, …) are those that biblatex, pBibTeX's Japanese
styles and reference managers read. Libraries that write BibTeX leave choice, escaping and keys to their caller.
"""

import re
from collections.abc import Iterable, Iterator

from metadata.citations import kinds
from metadata.citations.facts import Citation, cite
from metadata.citations.keys import cite_key
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR, Name
from metadata.record import BibliographicRecord

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
# What BibTeX calls the same thing in an entry of each type.
_CONTAINERS = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
_PUBLISHERS = {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}


def write(record: BibliographicRecord) -> bytes:
    """One entry. Empty fields are left out; the month is one of BibTeX's own words and stands without braces."""
    cited = cite(record)
    kind = _TYPES.get(cited.kind, "misc")
    key = cite_key(record, cited.names, cited.year)
    fields = [f"  {name} = {{{value}}}" for name, value in _fields(cited, kind) if value]
    if len(cited.date) >= len("2001-01"):
        fields.append(f"  month = {_MONTHS[int(cited.date[5:7]) - 1]}")
    return f"@{kind}{{{key},\n{',\n'.join(fields)}\n}}\n".encode()


def _fields(cited: Citation, kind: str) -> Iterator[tuple[str, str]]:
    yield "author", _names(cited.those(AUTHOR))
    yield "editor", _names(cited.those(EDITOR))
    yield "translator", _names(cited.those(TRANSLATOR))
    yield "yomi", escape(_DATES.sub("", next((each.agent.transcription for each in cited.names), "")))
    yield "title", _title(cited)
    yield _CONTAINERS.get(kind, "howpublished"), escape(cited.container)
    yield "series", escape(cited.series)
    yield "volume", escape(cited.volume)
    yield "number", escape(_number(cited))
    yield "pages", "--".join(filter(None, (escape(cited.first_page), cited.last_page)))
    yield "pagetotal", cited.page_count
    yield "edition", escape(cited.edition)
    yield _PUBLISHERS.get(kind, "publisher"), escape(cited.school or cited.publisher)
    yield "address", escape(cited.place)
    yield "type", escape(cited.degree)
    yield "year", cited.year
    yield "isbn", " ".join(cited.isbn)
    yield "issn", " ".join(cited.issn)
    yield "doi", _verbatim(cited.doi)
    yield "url", _verbatim(cited.url)
    yield "language", ", ".join(cited.languages)
    yield "keywords", ", ".join(escape(each) for each in cited.keywords if "," not in each)
    yield "note", "; ".join(map(_other, cited.others))
    yield "abstract", escape(cited.abstract)


def _number(cited: Citation) -> str:
    """The issue; of a thesis its own number; of a book its place in the series, where no volume takes that."""
    return cited.issue or cited.number or cited.series_number


def _title(cited: Citation) -> str:
    """In braces of its own where it has capitals that a style would put in lower case."""
    text = escape(cited.title)
    return f"{{{text}}}" if _CAPITALS.search(cited.title) else text


def _other(name: Name) -> str:
    return escape(": ".join(filter(None, (name.printed_role, name.inverted))))


def _names(names: Iterable[Name]) -> str:
    return " and ".join(map(_name, names))


def _name(name: Name) -> str:
    """ "Family, Suffix, Given"; braces keep whole what BibTeX would take apart."""
    if not name.family:
        return f"{{{escape(name.literal)}}}"
    return ", ".join(_part(each) for each in (name.family, name.suffix, name.given) if each)


def _part(text: str) -> str:
    """A part that holds "and" or a comma is one word in braces."""
    escaped = escape(text)
    return f"{{{escaped}}}" if _SPLIT.search(text) else escaped


def escape(text: str) -> str:
    """TeX's special characters; a brace alone would end the entry, so that braces become TeX's words for them."""
    return text.translate(_SPECIAL)


def _verbatim(text: str) -> str:
    """Identifiers and addresses stand as they are; what would end or open a group is quoted as in a URL."""
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
