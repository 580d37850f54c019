"""The facts of a citation, derived from a record once for all output formats. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from metadata.citations.kinds import CHAPTER, THESES, is_electronic, kind_of
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR, Name, names
from metadata.identifiers import hyphenate
from metadata.links import safe_href
from metadata.record import BibliographicRecord, Host
from metadata.text.dates import read_date, w3cdtf
from metadata.text.numbering import bare_number
from metadata.vocabularies.dcndl import LANGUAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A record as an entry of a bibliography. Texts are on one line; date is W3CDTF; languages are BCP 47.

    container: title of the publication that contains an article, paper or chapter. url: the best page for a reader;
    page: the record's own page; files: full texts. degree and school: of theses.
    """

    kind: str
    electronic: bool
    title: str
    title_reading: str
    other_titles: tuple[str, ...]
    names: tuple[Name, ...]
    date: str
    container: str
    volume: str
    issue: str
    first_page: str
    last_page: str
    page_count: str
    series: str
    series_number: str
    edition: str
    publisher: str
    place: str
    isbn: tuple[str, ...]
    issn: tuple[str, ...]
    doi: str
    url: str
    page: str
    files: tuple[str, ...]
    languages: tuple[str, ...]
    degree: str
    school: str
    number: str
    abstract: str
    keywords: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def year(self) -> str:
        return self.date[:4]

    @property
    def pages(self) -> str:
        return f"{self.first_page}-{self.last_page}" if self.last_page else self.first_page

    def with_role(self, *roles: str) -> tuple[Name, ...]:
        """Return the names that have one of these roles."""
        return tuple(name for name in self.names if name.role in roles)

    @property
    def other_names(self) -> tuple[Name, ...]:
        """The names of those who are neither author nor editor nor translator."""
        return tuple(name for name in self.names if name.role not in (AUTHOR, EDITOR, TRANSLATOR))


def cite(record: BibliographicRecord) -> Citation:
    """Return the record as a citation. Its page is record.uri if that is a safe link, else the first safe see_also."""
    kind, host = kind_of(record), record.host
    series, series_number = _series(record)
    first_page, last_page = _pages(host)
    electronic, page = is_electronic(record), _page(record)
    place, publisher = _imprint(record)
    return Citation(
        kind=kind,
        electronic=electronic,
        title=_title(record),
        title_reading=one_line(record.titles[0].transcription) if record.titles else "",
        other_titles=tuple(
            one_line(title.value) for title in (*record.titles[1:], *record.alternatives) if title.value
        ),
        names=names(record),
        date=date_of(record),
        container=_AFTER_TITLE.sub("", one_line(host.title)),
        volume=bare_number(one_line(host.volume or record.volume)),
        issue=bare_number(one_line(host.number or host.issue)),
        first_page=first_page,
        last_page=last_page,
        page_count=_page_count(record),
        series=series,
        series_number=series_number,
        edition=one_line(record.edition),
        publisher=publisher,
        place=place,
        isbn=tuple(map(hyphenate, isbns(record) or (_host_isbns(host) if kind == CHAPTER else ()))),
        issn=tuple(map(hyphenated_issn, host.issn or record.values("ISSN") or record.values("ISSNL"))),
        doi=next(iter(record.values("DOI")), ""),
        url=next((link for link in map(safe_href, record.see_also if electronic else ()) if link), page),
        page=page,
        files=tuple(filter(None, (safe_href(file.uri) for file in record.files if file.type in _FULL))),
        languages=tuple(filter(None, map(bcp47, record.languages))),
        degree=one_line(record.degree_names[0]) if record.degree_names else "",
        school=_school(record) if kind in THESES else "",
        number=one_line(record.dissertation_numbers[0]) if record.dissertation_numbers else "",
        abstract=one_line(record.abstracts[0]) if record.abstracts else "",
        keywords=tuple(dict.fromkeys(_keywords(record))),
        notes=tuple(map(one_line, record.notes)),
    )


def one_line(text: str) -> str:
    """Return the text on one line, without control characters."""
    plain = text if text.isprintable() else _CONTROL.sub(" ", text)
    return " ".join(plain.split())


def date_of(record: BibliographicRecord) -> str:
    """Return the date of publication in W3CDTF; with the month if the printed date has one ("1991.10")."""
    issued = w3cdtf(record.issued) or read_date(record.issued)
    # Only a single printed date: in a record with several dates, some were set by a repository's server.
    if len(record.dates) == 1 and len(issued) == 4:
        printed = read_date(record.dates[0])
        issued = printed if printed.startswith(issued) else issued
    return issued or next((read_date(date.value) for date in record.other_dates if date.type == "dateGranted"), "")


def bcp47(code: str) -> str:
    """Return the language tag of an ISO 639-2 code; "" for an unknown code and for "und" and "zxx"."""
    if len(code) != 3 or not code.isascii() or not code.islower() or code in ("und", "zxx"):
        return _SHORT.get(LANGUAGES.get(code.lower(), ""), "")
    return _SHORT.get(code, code)


def isbns(record: BibliographicRecord) -> tuple[str, ...]:
    return tuple(dict.fromkeys(record.values("ISBN")))


def hyphenated_issn(issn: str) -> str:
    return f"{issn[:4]}-{issn[4:]}" if len(issn) == 8 else issn


def split_series(statement: str) -> tuple[str, str]:
    """Split "講談社選書メチエ ; 87" into name and number."""
    name, _mark, number = one_line(statement).partition(" ; ")
    return name, number


def _title(record: BibliographicRecord) -> str:
    """The main title, followed by the title of the volume."""
    main = one_line(record.title or record.display_title)
    parts = [one_line(title.value) for title in record.volume_titles if title.value]
    return ". ".join([main, *(part for part in parts if part != main)])


def _page(record: BibliographicRecord) -> str:
    return safe_href(record.uri) or next(filter(None, map(safe_href, record.see_also)), "")


def _series(record: BibliographicRecord) -> tuple[str, str]:
    return split_series(record.series[0].value) if record.series else ("", "")


def _pages(host: Host) -> tuple[str, str]:
    """First and last page; a text that is not a range is the first page as a whole."""
    text = one_line(host.pages)
    match = _RANGE.fullmatch(text)
    return (match[1], match[2]) if match else (text, "")


def _imprint(record: BibliographicRecord) -> tuple[str, str]:
    """Place and publisher; both are read from the name if it holds the whole statement ("東京 : 学会 ; 1931-")."""
    if not record.publishers:
        return "", ""
    first = record.publishers[0]
    name, place = one_line(first.name), one_line(first.location).strip("[]［］")
    statement = None if place else _IMPRINT.fullmatch(name)
    return (statement[1], statement[2]) if statement else (place, name)


def _page_count(record: BibliographicRecord) -> str:
    for extent in record.extents:
        if match := _COUNT.search(extent):
            return match[1]
    return ""


def _host_isbns(host: Host) -> tuple[str, ...]:
    return tuple(identifier.value for identifier in host.identifiers if identifier.scheme == "ISBN")


def _school(record: BibliographicRecord) -> str:
    grantors = record.degree_grantors or record.publishers
    return one_line(grantors[0].name) if grantors else ""


def _keywords(record: BibliographicRecord) -> Iterator[str]:
    """Headings and free keywords, without class numbers."""
    for subject in (*record.subjects, *record.genres):
        if subject.value and subject.scheme.rstrip("0123456789") not in _CLASSES:
            yield one_line(subject.value)


_FULL = frozenset(("", "fulltext", "dataset", "software"))
_CLASSES = frozenset(("NDC", "NDLC", "DDC", "LCC", "UDC"))
_SHORT = {code: name for name, code in LANGUAGES.items() if len(name) == 2 and name.isascii()} | {"mao": "mi"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]")
_RANGE = re.compile(
    r"(?:pp?\.?\s*)?([A-OQ-Za-oq-z]?[0-9]+)\s*[-‐‑–—−~〜～]\s*(?:pp?\.?\s*)?([A-Za-z]?[0-9]+)(?:\s*[pP]\.?)?"
)
# ISBD: "社会経済史学 = Socio-economic history / 学会編", "東京 : 学会 ; 1931-".
_AFTER_TITLE = re.compile(r" [/=] .*")
_IMPRINT = re.compile(r"([^:]+) : ([^;]+?)(?: ; .*)?")
_COUNT = re.compile(r"(?<![0-9×.])([0-9]{1,5})\s*(?:p(?![a-oq-z])|頁|ページ)")
