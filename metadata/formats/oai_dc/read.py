"""Reads Dublin Core (oai_dc), by a table of element → (record field, reader). Writing is in `write`.

Fifteen elements without qualifiers (NDL guideline 2.3, table 2-2): only the form of a value shows what it means.
"""

import re
from collections.abc import Callable
from typing import Any

from lxml import etree
from msgspec import structs

from metadata.formats.common.base import NO_HOST, Conversion, Draft, Place, Step, sorting, table, unique
from metadata.formats.common.codes import coding_languages
from metadata.formats.common.titles import ISBD_TITLE, take_title_apart
from metadata.formats.oai_dc.identifiers import settle_host_numbers, settle_identifiers
from metadata.record import Agent, Host, Identifier, MaterialType, Relation, Subject, Title
from metadata.text.dates import read_date, w3cdtf
from metadata.vocabularies.dcndl import material_type_uri
from metadata.vocabularies.namespaces import DC, OAI_DC, XML_LANG, shorten
from metadata.xml.parsing import text

ROOT = f"{{{OAI_DC}}}dc"
SRU_ROOT = (
    "{info:srw/schema/1/dc-schema}dc"  # of the same elements in answers of SRU (schema info:srw/schema/1/dc-v1.1)
)
# Roots meant as oai_dc: the namespace is missing, cut short, or confused with that of the elements.
ALIASES = frozenset(
    {
        "dc",
        f"{{{DC}}}dc",
        f"{{{OAI_DC.rstrip('/')}}}dc",
        "{http://www.openarchives.org/OAI/oai_dc/}dc",
        "{http://www.openarchives.org/OAI/dc/}dc",
    }
)
ABSTRACT_LENGTH = 200  # a longer dc:description is an abstract, a shorter one a note

_RESPONSIBILITY = re.compile(r"\S\s*(?:[共編原]?著|[共監]?訳|[共監]?修|編[集纂]?)\Z")
_CLASS = re.compile(r"(NDC(?:8|9|10)?|NDLC|DDC|LCC|UDC)\s*:\s*(\S.*)\Z")
_BARE_NDC = re.compile(r"[0-9]{3}(?:\.[0-9]+)?\Z")
_MEDIA_TYPE = re.compile(r"(?:application|audio|font|image|message|model|multipart|text|video)/[\w.+-]+\Z")
_ACCESS = re.compile(
    r"(?:info:eu-repo/semantics/\w+Access|https?://purl\.org/coar/access_right/\S+"
    r"|(?:open|restricted|embargoed|closed|metadata only) access)\Z",
    re.IGNORECASE,
)
_MIDNIGHT = re.compile(r"T00:00:00(?:\.0+)?Z?\Z")
_PAGES = r"(?:pp?\. ?)?(?P<pages>[0-9]+ ?[-–~〜] ?[0-9]+)(?: ?(?:頁|ページ|p\.?))?(?:[,、] ?(?P<year>[0-9]{4}))?\.?\Z"
# A full stop belongs to the title if it ends an abbreviation ("J. Chem."), but not after a Japanese character.
_HOST_TITLE = r"(?P<title>.+?)(?:[,，、．。]|(?<=[^\x00-\x7f])\.)?"
_CITATIONS = (
    # As in: Title, 12(3), 45-67; or: Title, vol. 12, no. 3, pp. 45-67.
    re.compile(
        rf"{_HOST_TITLE} +(?:vol\. ?)?(?P<volume>[0-9]+)(?: ?\((?P<issue>[^)]+)\)|, ?no\. ?(?P<number>[^, ]+))?"
        rf"[,:] ?{_PAGES}",
        re.IGNORECASE,
    ),
    # As in: 雑誌名 12巻3号 45-67頁.
    re.compile(
        rf"{_HOST_TITLE} *第?(?P<volume>[0-9]+)巻(?P<issue>)[,、 ]*(?:第?(?P<number>[0-9]+)号)?[,、 ]*{_PAGES}",
        re.IGNORECASE,
    ),
)


def title(element: etree._Element) -> Title | None:
    value = text(element)
    return Title(value=value, language=element.get(XML_LANG, "")) if value else None


def agent(element: etree._Element) -> Agent | None:
    value = text(element)
    return Agent(name=value) if value else None


def subject(element: etree._Element) -> Subject | None:
    """Read a class if the text names its scheme ("NDC9:913.6", as CiNii writes) or is a bare NDC number; else a
    keyword.
    """
    value = text(element)
    match = _CLASS.match(value)
    if match:
        return Subject(value=match[2], scheme=match[1])
    if _BARE_NDC.match(value):
        return Subject(value=value, scheme="NDC")
    return Subject(value=value) if value else None


def material_type(element: etree._Element) -> MaterialType | None:
    value = text(element)
    return MaterialType(uri=material_type_uri(value), label=value) if value else None


def relation(kind: str) -> Callable[[etree._Element], Relation | None]:
    def read_relation(element: etree._Element) -> Relation | None:
        value = text(element)
        if value.startswith(("http://", "https://")):
            return Relation(type=kind, uri=value)
        return Relation(type=kind, label=value) if value else None

    return read_relation


FIELDS: dict[str, tuple[str, Callable[[etree._Element], Any]] | None] = {
    "title": ("titles", title),
    "creator": ("creators", agent),
    "contributor": ("contributors", agent),
    "subject": ("subjects", subject),
    "description": ("notes", text),
    "publisher": ("publishers", agent),
    "date": ("dates", text),
    "type": ("material_types", material_type),
    "format": ("formats", text),
    "identifier": ("identifiers", text),
    "source": ("relations", relation("source")),
    "language": ("languages", text),
    "relation": ("relations", relation("relation")),
    "coverage": ("spatial", text),
    "rights": ("rights", text),
}
TABLE = table({f"dc:{name}": entry for name, entry in FIELDS.items()})
# If the root has a wrong namespace or none, its children often have none either.
LOOSE_TABLE = TABLE | table(FIELDS)
# Record field → element to name in messages, for fields that are in none of the tables of this format.
ELEMENTS = {
    "alternatives": "dc:title",
    "display_title": "dc:title",
    "responsibility": "dc:creator",
    "abstracts": "dc:description",
    "extents": "dc:format",
    "see_also": "dc:identifier",
    "invalid_identifiers": "dc:identifier",
    "host": "dc:source",
    "temporal": "dc:coverage",
    "access_rights": "dc:rights",
}
READERS = {ROOT: TABLE, SRU_ROOT: TABLE, **dict.fromkeys(ALIASES, LOOSE_TABLE)}


def read(root: etree._Element) -> Conversion:
    """Read the record of one oai_dc:dc."""
    draft = Draft()
    _check_structure(root, draft)
    draft.collect(root, READERS[root.tag])
    draft.settle(STEPS)
    return draft.convert()


def issued(dates: list[str]) -> str:
    """Return the earliest date; of equal ones, the least exact. Dates with a time mark deposit or change, and do not
    count.
    """
    days = [value for value in map(_whole_day, dates) if value]
    normal = [value for value in map(w3cdtf, days) if value] or [read_date(value) for value in days]
    return min(filter(None, normal), default="")


def _whole_day(value: str) -> str:
    """Return the date, or "" if it has a time of day. Midnight does not count: some systems write a whole day so."""
    day = _MIDNIGHT.sub("", value)
    return "" if "T" in day and day[:4].isdecimal() else day


def _check_structure(root: etree._Element, draft: Draft) -> None:
    """Report a wrong root, text between the elements, and unknown elements and attributes."""
    if root.tag not in (ROOT, SRU_ROOT):
        draft.note("oai_dc.N001", root.tag, root.tag, ROOT)
    texts = [root.text, *(child.tail for child in root)]
    stray = next((value.strip() for value in texts if value and value.strip()), "")
    if stray:
        draft.note("oai_dc.W005", "oai_dc:dc", stray)
    known = READERS[root.tag]
    for child in root:
        if child.tag not in known:
            draft.note("oai_dc.W002", shorten(child.tag), text(child))
        for name in map(str, child.keys()):
            if name != XML_LANG:
                draft.note("oai_dc.W102", f"{shorten(child.tag)}/@{shorten(name)}", child.get(name, ""))


def _choose_title(draft: Draft) -> None:
    titles: list[Title] = draft.fields.pop("titles", [])
    if not titles:
        return
    readings = [title for title in titles if title.language.lower() == "ja-kana"]
    others = [title for title in titles if title not in readings] or readings
    main = next((title for title in others if title.language.lower().startswith("ja")), others[0])
    reading = readings[0].value if readings and main not in readings else ""
    draft.fields["titles"] = [Title(value=main.value, transcription=reading, language=main.language)]
    rest = list(titles)
    rest.remove(main)
    draft.fields["alternatives"] = [title for title in rest if not (reading and title is readings[0])]


def _copy_statements(draft: Draft) -> None:
    draft.fields["responsibility"] = [
        creator.name for creator in draft.fields.get("creators", ()) if _RESPONSIBILITY.search(creator.name)
    ]


def _choose_abstract(draft: Draft) -> None:
    fields = draft.fields
    notes = fields.pop("notes", [])
    abstract = next((note for note in notes if len(note) > ABSTRACT_LENGTH), None)
    if abstract is not None:
        notes.remove(abstract)
        fields["abstracts"] = [abstract]
    fields["notes"] = notes


def _read_citation(draft: Draft) -> None:
    relations = []
    for relation in draft.fields.pop("relations", ()):
        match = _match_citation(relation.label) if relation.type == "source" else None
        if match and "host" not in draft.fields:
            draft.fields["host"].append(
                Host(
                    title=match["title"],
                    volume=match["volume"],
                    number=match["issue"] or match["number"] or "",
                    pages=match["pages"],
                )
            )
            if match["year"] and not draft.fields.get("dates"):
                draft.fields["dates"].append(match["year"])
        else:
            relations.append(relation)
    draft.fields["relations"] = relations


def _match_citation(text: str) -> re.Match[str] | None:
    return next(filter(None, (form.match(text) for form in _CITATIONS)), None)


def _without_repeated(dates: list[str]) -> list[str]:
    """Return the dates without the first, if it only repeats a later date in the form of W3CDTF.

    `write` adds such a date in front of the dates as printed.
    """
    repeated = dates and w3cdtf(dates[0]) and any(read_date(date) == dates[0] != date for date in dates[1:])
    return dates[1:] if repeated else dates


def _settle_dates(draft: Draft) -> None:
    dates = draft.fields.pop("dates", [])
    draft.fields["dates"] = _without_repeated(dates)
    draft.single["issued"] = issued(dates)


def _settle_host(draft: Draft) -> None:
    cited: Host = next(iter(draft.fields.pop("host", ())), NO_HOST)
    issn = tuple(unique(draft.fields.pop("host_issn", ())))
    isbn = tuple(Identifier(scheme="ISBN", value=value) for value in unique(draft.fields.pop("host_isbn", ())))
    if cited is not NO_HOST or issn or isbn:
        draft.single["host"] = structs.replace(cited, issn=issn, identifiers=isbn)


STEPS = (
    Step(
        "identifiers",
        "identifiers see_also relations invalid_identifiers",
        "a number of a known form is an identifier, a URL of a file a relation, any other URL a page; a number that "
        "claims a scheme but is wrong for it is an invalid identifier",
        settle_identifiers,
    ),
    Step(
        "relations",
        "relations host_issn host_isbn",
        "an ISSN or ISBN in dc:source or dc:relation is that of the publication that contains the record",
        settle_host_numbers,
    ),
    coding_languages("languages", "oai_dc.N010", "dc:language"),
    Step(
        "titles",
        "titles alternatives",
        "the first Japanese title, else the first, is the main title, and its form in kana (`ja-Kana`) its reading; "
        "the others are alternatives",
        _choose_title,
    ),
    Step(
        "creators",
        "responsibility",
        "a name that ends like a statement of responsibility (著, 訳, 編 …) is also copied there",
        _copy_statements,
    ),
    Step(
        "notes",
        "abstracts notes",
        f"the first with more than {ABSTRACT_LENGTH} characters is the abstract",
        _choose_abstract,
    ),
    sorting("formats", Place("extents", lambda value: not _MEDIA_TYPE.match(value), "it is no media type")),
    sorting("rights", Place("access_rights", _ACCESS.match, "it is a term for access rights (COAR, OpenAIRE)")),
    sorting("spatial", Place("temporal", re.compile("[0-9]").search, "it has a digit")),
    Step(
        "relations",
        "host dates relations",
        "a citation in dc:source (“Title, 12(3), 45-67”) is the publication that contains the record; its year is the "
        "date if there is none",
        _read_citation,
    ),
    Step(
        "titles",
        ISBD_TITLE,
        "a main title with the punctuation of ISBD (“Title. 2, Part / …”) is taken apart; as it was, it is displayed",
        take_title_apart,
    ),
    Step(
        "dates",
        "dates issued",
        "the earliest is the date of publication, but none with a time of day",
        _settle_dates,
    ),
    Step(
        "host host_issn host_isbn",
        "host",
        "the citation and the numbers together are the publication that contains the record",
        _settle_host,
    ),
)
