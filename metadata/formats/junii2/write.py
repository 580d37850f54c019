"""A record as junii2 3.1, in the order of its elements. Reading is in junii2.

junii2 has one language a title, no names in several forms and no funding: use JPCOAR where the reader can choose.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lxml import etree

from metadata.formats.common.dates import read_date
from metadata.formats.jpcoar.identifiers import DOI_URL
from metadata.formats.jpcoar.names import identifier_uri
from metadata.formats.jpcoar.settle import plain_date
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, DOCTORAL, RESOURCE_TYPES, TERM_OF_NDL
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES
from metadata.formats.jpcoar.write.record import pages
from metadata.formats.jpcoar.write.source import halves
from metadata.formats.junii2.read import ROOT
from metadata.formats.junii2.terms import ORDER, RELATIONS, SCHEMES
from metadata.identifiers import hyphenate
from metadata.record import Agent, BibliographicRecord, Relation, Subject, Title
from metadata.vocabularies.namespaces import JUNII2, SCHEMA_LOCATION, XSI
from metadata.xml.parsing import legal, serialise

SCHEMA = "http://irdb.nii.ac.jp/oai/junii2-3-1.xsd"

_NSMAP: dict[Any, str] = {None: JUNII2, "xsi": XSI}  # the stubs do not know the namespace without a prefix


class Value(NamedTuple):
    """One element: its name, text and attributes that are not empty."""

    name: str
    text: str
    lang: str = ""
    id: str = ""
    version: str = ""
    ra: str = ""


Values = Iterator[Value]


def write(record: BibliographicRecord) -> bytes:
    """A standalone junii2; empty values are left out."""
    root = etree.Element(ROOT, nsmap=_NSMAP)
    root.set(SCHEMA_LOCATION, f"{JUNII2} {SCHEMA}")
    root.set("version", "3.1")
    values = [value for writer in WRITERS for value in writer(record) if legal(value.text).strip()]
    for value in sorted(values, key=lambda each: ORDER.index(each.name)):
        element = etree.SubElement(root, f"{{{JUNII2}}}{value.name}")
        element.text = legal(value.text)
        for name in ("lang", "id", "version", "ra"):
            if getattr(value, name):
                element.set(name, legal(getattr(value, name)))
    return serialise(root)


def titles(record: BibliographicRecord) -> Values:
    main = record.titles[0] if record.titles else Title()
    yield Value("title", main.value, main.language)
    yield Value("alternative", main.transcription, "ja-Kana")
    for each in (*record.titles[1:], *record.alternatives):
        yield Value("alternative", each.value, each.language)
        yield Value("alternative", each.transcription, "ja-Kana")


def agents(record: BibliographicRecord) -> Values:
    for each in record.creators:
        yield Value("creator", each.name, each.language, id=_id(each))
        yield Value("creator", each.transcription, "ja-Kana")
    for each in record.contributors:
        yield Value("contributor", each.name, each.language, id=_id(each))
    for each in record.publishers:
        yield Value("publisher", each.name, each.language)
        for other in each.other_names:
            yield Value("publisher", other.value, other.language)


def _id(each: Agent) -> str:
    return next(((identifier_uri(number) or number.value) for number in each.identifiers), "")


def subjects(record: BibliographicRecord) -> Values:
    for each in (*record.subjects, *record.genres):
        scheme, version = _scheme(each)
        yield Value(scheme, each.value, each.language if scheme == "subject" else "", version=version)


def _scheme(each: Subject) -> tuple[str, str]:
    if each.scheme.startswith("NDC"):
        return "NDC", each.scheme[3:]
    return (each.scheme if each.scheme in SCHEMES else "subject"), ""


def texts(record: BibliographicRecord) -> Values:
    for text in (*record.abstracts, *record.contents, *record.notes):
        yield Value("description", text)
    for text in record.rights:
        yield Value("rights", text)
    for text in record.temporal:
        yield Value("temporal", text)
    for text in record.spatial:
        yield Value("spatial", text)
    for code in record.languages:
        yield Value("language", LANGUAGE_CODES.get(code, code))


def dates(record: BibliographicRecord) -> Values:
    """What is no date of issue is just a date."""
    printed = next((each.value for each in record.other_dates if each.type == "issued"), "")
    yield Value("dateofissued", record.issued or printed)
    for each in record.other_dates:
        if each.type == "dateGranted":
            yield Value("dateofgranted", each.value)
        elif each.type in DATE_TYPE_OF and each.type != "issued":
            yield Value("date", plain_date(each.value) or each.value)
    for value in map(read_date, record.dates):  # as printed: "昭62.10"
        if value != record.issued:
            yield Value("date", value)


def kind(record: BibliographicRecord) -> Values:
    found = record.material_types[0] if record.material_types else None
    term = found.label if found else ""
    if term not in RESOURCE_TYPES:
        term = TERM_OF_NDL.get(found.uri if found else "", "other")
    yield Value("NIItype", RESOURCE_TYPES[term].nii)
    version = record.version_type
    known = {"AM": "author", "AO": "author", "SMUR": "author", "P": "author", "NA": "none", "": ""}
    yield Value("textversion", known.get(version, "ETD" if term == DOCTORAL else "publisher"))


def links(record: BibliographicRecord) -> Values:
    """The first page, or the DOI, as URI; the DOI that an agency registers as selfDOI."""
    files = [each.uri for each in record.files if each.uri and each.type in {"fulltext", ""}]
    own = [each for each in pages(record) if each not in files]
    dois = [each.printed or each.value for each in record.identifiers if each.scheme == "DOI"]
    registered = {each.value: each.scheme.replace("Crossref", "CrossRef") for each in record.registrations}
    yield Value("URI", next(iter(own), "") or (f"{DOI_URL}{dois[0]}" if dois else next(iter(files), "")))
    for doi in dois if own or registered else dois[1:]:
        yield Value("selfDOI", f"info:doi/{doi}", ra=registered.get(doi.lower(), ""))
    for uri in files:
        yield Value("fullTextURL", uri)
    media_types = [each.media_type for each in record.files]
    for media_type in (*media_types, *(each for each in record.formats if each not in media_types)):
        yield Value("format", media_type)


def numbers(record: BibliographicRecord) -> Values:
    for each in record.identifiers:
        if each.scheme == "ISBN":
            yield Value("isbn", each.printed or hyphenate(each.value))
        elif each.scheme == "NIIBibID":
            yield Value("NCID", each.value)
    for each in record.invalid_identifiers:
        if each.scheme in {"ISBN", "ISSN", "NCID"}:
            yield Value("NCID" if each.scheme == "NCID" else each.scheme.lower(), each.value)


def host(record: BibliographicRecord) -> Values:
    found = record.host
    start, end = halves(found.pages)
    for issn in found.issn:
        yield Value("issn", f"{issn[:4]}-{issn[4:]}")
    for each in found.identifiers:
        if each.scheme == "NCID":
            yield Value("NCID", each.printed or each.value)
    yield Value("jtitle", found.title, found.language)
    yield Value("volume", found.volume)
    yield Value("issue", found.number or found.issue)
    yield Value("spage", start)
    yield Value("epage", end)


_NUMBERED = {"PMID": ("pmid", "info:pmid/"), "NAID": ("NAID", ""), "ICHUSHI": ("ichushi", ""), "ISBN": ("isbn", "")}


def relations(record: BibliographicRecord) -> Values:
    for each in record.relations:
        yield _relation(each)


def _relation(each: Relation) -> Value:
    if each.scheme in _NUMBERED:
        name, before = _NUMBERED[each.scheme]
        return Value(name, before + (each.uri or each.number))
    if each.scheme == "DOI" and each.type == "isVersionOf":
        return Value("doi", each.uri.replace(DOI_URL, "info:doi/") or each.number)
    name = each.type if each.type in RELATIONS else "relation"
    return Value(name, each.uri or each.label or each.number, "" if each.uri else each.language)


def thesis(record: BibliographicRecord) -> Values:
    institution = next(
        (number.value for each in record.degree_grantors for number in each.identifiers if number.scheme == "kakenhi"),
        "",
    )
    for number in record.dissertation_numbers[:1]:
        yield Value("grantid", institution + number)
    for name in record.degree_names[:1]:
        yield Value("degreename", name)
    for each in record.degree_grantors[:1]:
        yield Value("grantor", each.name, each.language)


WRITERS: tuple[Callable[[BibliographicRecord], Values], ...] = (
    titles,
    agents,
    subjects,
    texts,
    dates,
    kind,
    links,
    numbers,
    host,
    relations,
    thesis,
)
