"""A record as oai_dc: fifteen elements, the page to read first among the identifiers. Reading is in oai_dc."""

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from metadata.formats.oai_dc.read import ROOT, issued
from metadata.identifiers import recognise
from metadata.record import BibliographicRecord, Host, Identifier, Subject, Title
from metadata.vocabularies.dcndl import IDENTIFIER_SCHEMES, MATERIAL_TYPES
from metadata.vocabularies.namespaces import DC, OAI_DC, SCHEMA_LOCATION, XML_LANG, XSI
from metadata.xml.parsing import legal, serialise

SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
_CLASSES = frozenset({"NDC", "NDC8", "NDC9", "NDC10", "NDLC", "DDC", "LCC", "UDC"})
# How an identifier says what it is; the forms that reading recognises.
_FORMS = {
    "ISBN": "urn:isbn:{}",
    "ISSN": "urn:issn:{}",
    "ISSNL": "urn:issn:{}",
    "DOI": "https://doi.org/{}",
    "NIIBibID": "https://ci.nii.ac.jp/ncid/{}",
    "JPNO": "http://id.ndl.go.jp/jpno/{}",
    "NDLBibID": "http://id.ndl.go.jp/bib/{}",
    "SetISBN": "ISBN {} (set)",  # a bare number would be taken for the book's own
    "OCLCNO": "(OCoLC){}",
}
_NAMED = re.compile(r"(?:https?://|doi\s*:|info:|jp(?=[0-9]))", re.IGNORECASE)

Texts = Iterable[str]


def titles(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    """(text, xml:lang): the main title with its reading, then the others.

    Readers take a Japanese title for the main one, so that others are marked as Japanese only beside a Japanese one.
    """
    main = record.titles[0] if record.titles else Title()
    language = main.language or ("ja" if main.transcription else "")  # only Japanese titles have readings
    japanese = _is_japanese(language)
    yield main.value, language
    if japanese:
        yield main.transcription, "ja-Kana"
    for each in (*record.titles[1:], *record.alternatives):
        yield each.value, "" if _is_japanese(each.language) and not japanese else each.language


def _is_japanese(language: str) -> bool:
    return language.lower().startswith("ja")


def creators(record: BibliographicRecord) -> Texts:
    return [each.name for each in record.creators] or record.responsibility


def subjects(record: BibliographicRecord) -> Texts:
    """Class numbers with their scheme, as CiNii writes them: "NDC9:913.6"."""
    return [_subject(each) for each in (*record.subjects, *record.genres) if each.value]


def _subject(each: Subject) -> str:
    return f"{each.scheme}:{each.value}" if each.scheme in _CLASSES else each.value


def descriptions(record: BibliographicRecord) -> Texts:
    return (*record.abstracts, *record.notes, *record.contents)


def dates(record: BibliographicRecord) -> Texts:
    """The date of publication, then the dates as printed; the former alone where it is the first of them."""
    if record.issued and (record.issued not in record.dates or issued(list(record.dates)) != record.issued):
        return (record.issued, *record.dates)
    return record.dates


def types(record: BibliographicRecord) -> Texts:
    for each in record.material_types:
        known = MATERIAL_TYPES.get(each.uri)
        yield each.label or (known.ja if known else each.uri)


def identifiers(record: BibliographicRecord) -> Texts:
    """Pages first; then what the resource is known by, each in the form that says its scheme; then its files.

    Wrong identifiers are left out: oai_dc cannot say that they are wrong.
    """
    pages = record.see_also or tuple(page for item in record.items for page in item.see_also)
    files = (each.uri for each in record.relations if each.type == "hasFormat" and each.uri)
    return (*pages, *map(_identifier, record.identifiers), *files)


def _identifier(each: Identifier) -> str:
    """As it is read again: the printed form where that says what it is, else with what says so."""
    known = (each.scheme, each.value)
    if _NAMED.match(each.printed) and recognise(each.printed) == known:
        return each.printed
    form = _FORMS.get(each.scheme) or (f"{each.scheme}:{{}}" if each.scheme in IDENTIFIER_SCHEMES else "{}")
    return form.format(each.printed or each.value)


def sources(record: BibliographicRecord) -> Iterator[str]:
    host = record.host
    if host.title:
        yield citation(host)
    for each in record.relations:
        if each.type == "source":
            yield each.uri or each.label


def citation(host: Host) -> str:
    """ "Title, vol. 12, no. 3, pp. 45-67", as far as it is known."""
    number = host.number or host.issue
    text = host.title
    text += f", vol. {host.volume}" if host.volume else ""
    text += f", no. {number}" if number else ""
    text += f", pp. {host.pages}" if host.pages else ""
    return text


def relations(record: BibliographicRecord) -> Iterator[str]:
    for series in record.series:
        yield series.value
    for each in record.relations:
        if each.type not in {"source", "hasFormat"}:
            yield each.uri or each.label
    for issn in record.host.issn:
        yield f"urn:issn:{issn[:4]}-{issn[4:]}"
    for number in record.host.identifiers:
        if number.scheme == "ISBN":
            yield f"urn:isbn:{number.value}"


def rights(record: BibliographicRecord) -> Texts:
    return (*record.access_rights, *record.rights, *record.rights_holders)


WRITERS = (
    ("creator", creators),
    ("contributor", lambda record: (each.name for each in record.contributors)),
    ("subject", subjects),
    ("description", descriptions),
    ("publisher", lambda record: (each.name for each in record.publishers)),
    ("date", dates),
    ("type", types),
    ("format", lambda record: (*record.extents, *record.formats)),
    ("identifier", identifiers),
    ("source", sources),
    ("language", lambda record: record.languages),
    ("relation", relations),
    ("coverage", lambda record: (*record.spatial, *record.temporal)),
    ("rights", rights),
)
_TITLE = f"{{{DC}}}title"
_ELEMENTS = tuple((f"{{{DC}}}{name}", texts) for name, texts in WRITERS)


def write(record: BibliographicRecord) -> bytes:
    """A standalone oai_dc:dc; empty values are left out."""
    root = etree.Element(ROOT, nsmap={"oai_dc": OAI_DC, "dc": DC, "xsi": XSI})
    root.set(SCHEMA_LOCATION, f"{OAI_DC} {SCHEMA}")
    for value, language in titles(record):
        _add(root, _TITLE, value, language)
    for tag, texts in _ELEMENTS:
        for value in texts(record):
            _add(root, tag, value)
    return serialise(root)


def _add(root: etree._Element, tag: str, value: str, language: str = "") -> None:
    clean = legal(value)
    if clean:
        element = etree.SubElement(root, tag)
        element.text = clean
        if language:
            element.set(XML_LANG, legal(language))
