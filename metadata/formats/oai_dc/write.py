"""Writes a record as oai_dc (fifteen elements). Landing pages are the first identifiers. Reading is in `read`."""

import re
from collections.abc import Iterable, Iterator, Sequence

from metadata.display_title import display_title
from metadata.formats.common.pages import pages
from metadata.formats.oai_dc.read import issued
from metadata.identifiers import recognise
from metadata.record import BibliographicRecord, Host, Identifier, Subject, Title
from metadata.text.numbering import bare_number
from metadata.vocabularies.dcndl import IDENTIFIER_SCHEMES, MATERIAL_TYPES
from metadata.vocabularies.namespaces import DC, OAI_DC, XSI
from metadata.xml.parsing import strip_illegal
from metadata.xml.writing import NOTHING, Xml, attribute, attributes, declarations, document, leaf, node

SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
_CLASSES = frozenset({"NDC", "NDC8", "NDC9", "NDC10", "NDLC", "DDC", "LCC", "UDC"})
# The forms that show the scheme of an identifier, and that reading recognises.
_FORMS = {
    "ISBN": "urn:isbn:{}",
    "ISSN": "urn:issn:{}",
    "ISSNL": "urn:issn:{}",
    "DOI": "https://doi.org/{}",
    "NIIBibID": "https://ci.nii.ac.jp/ncid/{}",
    "JPNO": "http://id.ndl.go.jp/jpno/{}",
    "NDLBibID": "http://id.ndl.go.jp/bib/{}",
    "SetISBN": "ISBN {} (set)",  # a bare number would be read as that of the book itself
    "OCLCNO": "(OCoLC){}",
}
_NAMED = re.compile(r"(?:https?://|doi\s*:|info:|jp(?=[0-9]))", re.IGNORECASE)

Texts = Iterable[str]


def titles(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    """Yield (text, xml:lang) of the main title with volume and edition, its reading, and the other titles.

    Programs that read oai_dc take a Japanese title as the main one. So if the main title is not Japanese, no other
    title is marked as Japanese.
    """
    main = record.titles[0] if record.titles else Title()
    language = main.language or ("ja" if main.transcription else "")  # only Japanese titles have readings
    japanese = _is_japanese(language)
    yield display_title(record), language
    if japanese:
        yield main.transcription, "ja-Kana"
    for title in (*record.titles[1:], *record.alternatives):
        yield title.value, "" if _is_japanese(title.language) and not japanese else title.language


def _is_japanese(language: str) -> bool:
    return language.lower().startswith("ja")


def creators(record: BibliographicRecord) -> Texts:
    return [creator.name for creator in record.creators] or record.responsibility


def subjects(record: BibliographicRecord) -> Texts:
    """Return the subjects; class numbers with their scheme, as CiNii writes them: "NDC9:913.6"."""
    return [_subject(subject) for subject in (*record.subjects, *record.genres) if subject.value]


def _subject(subject: Subject) -> str:
    return f"{subject.scheme}:{subject.value}" if subject.scheme in _CLASSES else subject.value


def descriptions(record: BibliographicRecord) -> Texts:
    return (*record.abstracts, *record.notes, *record.contents)


def dates(record: BibliographicRecord) -> Texts:
    """Return the date of publication, unless reading finds it in the printed dates, then the dates as printed."""
    if record.issued and (record.issued not in record.dates or issued(list(record.dates)) != record.issued):
        return (record.issued, *record.dates)
    return record.dates


def types(record: BibliographicRecord) -> Texts:
    for material_type in record.material_types:
        known = MATERIAL_TYPES.get(material_type.uri)
        yield material_type.label or (known.ja if known else material_type.uri)


def identifiers(record: BibliographicRecord) -> Texts:
    """Return the landing pages, then the identifiers in a form that shows their scheme, then the files.

    Invalid identifiers are left out, because oai_dc cannot mark them as wrong.
    """
    files = (relation.uri for relation in record.relations if relation.type == "hasFormat" and relation.uri)
    return (*pages(record), *map(_identifier, record.identifiers), *files)


def _identifier(identifier: Identifier) -> str:
    """Return the printed form if it shows the scheme, else a form by which reading recognises the scheme.

    An ISBN always has 13 digits.
    """
    known = (identifier.scheme, identifier.value)
    is_isbn = identifier.scheme in {"ISBN", "SetISBN"}
    if not is_isbn and _NAMED.match(identifier.printed) and recognise(identifier.printed) == known:
        return identifier.printed
    form = _FORMS.get(identifier.scheme) or (
        f"{identifier.scheme}:{{}}" if identifier.scheme in IDENTIFIER_SCHEMES else "{}"
    )
    return form.format(identifier.value if is_isbn else identifier.printed or identifier.value)


def sources(record: BibliographicRecord) -> Iterator[str]:
    host = record.host
    if host.title:
        yield citation(host)
    for relation in record.relations:
        if relation.type == "source":
            yield relation.uri or relation.label


def citation(host: Host) -> str:
    """Return "Title, vol. 12, no. 3, pp. 45-67", as far as it is known."""
    volume, number = bare_number(host.volume), bare_number(host.number or host.issue)
    text = host.title
    text += f", vol. {volume}" if volume else ""
    text += f", no. {number}" if number else ""
    text += f", pp. {host.pages}" if host.pages else ""
    return text


def relations(record: BibliographicRecord) -> Iterator[str]:
    for series in record.series:
        yield series.value
    for relation in record.relations:
        if relation.type not in {"source", "hasFormat"}:
            yield relation.uri or relation.label
    for issn in record.host.issn:
        yield f"urn:issn:{issn[:4]}-{issn[4:]}"
    for number in record.host.identifiers:
        if number.scheme == "ISBN":
            yield f"urn:isbn:{number.value}"


def rights(record: BibliographicRecord) -> Texts:
    return (*record.access_rights, *record.rights, *record.rights_holders)


WRITERS = (
    ("creator", creators),
    ("contributor", lambda record: (contributor.name for contributor in record.contributors)),
    ("subject", subjects),
    ("description", descriptions),
    ("publisher", lambda record: (publisher.name for publisher in record.publishers)),
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
_ELEMENTS = tuple((f"dc:{name}", texts) for name, texts in WRITERS)
_ROOT = attributes(
    {
        **declarations({"oai_dc": OAI_DC, "dc": DC, "xsi": XSI}),
        "xsi:schemaLocation": f"{OAI_DC} {SCHEMA}",
    }
)


def write(record: BibliographicRecord) -> bytes:
    """Return a complete oai_dc:dc. Empty values are left out."""
    return write_all([record])[0]


def write_all(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write`, for many at once."""
    written = [[_title(value, language) for value, language in titles(record)] for record in records]
    for name, texts in _ELEMENTS:
        for record, elements in zip(records, written, strict=True):
            elements += [leaf(name, value) for value in texts(record) if strip_illegal(value)]
    return [document(node("oai_dc:dc", elements, _ROOT)) for elements in written]


def _title(value: str, language: str) -> Xml:
    return leaf("dc:title", value, attribute("xml:lang", language)) if strip_illegal(value) else NOTHING
