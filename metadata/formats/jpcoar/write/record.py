"""A record as JPCOAR 2.1, in the order of its XSD. Reading is in jpcoar.

What JPCOAR asks a language for and the record does not know it of, is given one only where the script tells it.
"""

from collections.abc import Callable

from lxml import etree

from metadata.formats.jpcoar.identifiers import DOI_URL
from metadata.formats.jpcoar.names import KANA, is_japanese
from metadata.formats.jpcoar.settle import plain_date
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, RESOURCE_TYPES, SUBJECT_SCHEMES, TERM_OF_NDL, VERSION_TYPES
from metadata.formats.jpcoar.write.agents import agents, publishers, rights
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES, guess, with_reading
from metadata.formats.jpcoar.write.parts import add, geo_location, relation
from metadata.formats.jpcoar.write.source import edition, files, fundings, journal, source, thesis
from metadata.identifiers import hyphenate
from metadata.record import BibliographicRecord, Date, Relation, Subject
from metadata.vocabularies.dcndl import ID_URIS, material_type_uri
from metadata.vocabularies.namespaces import (
    DATACITE,
    DC,
    DCNDL,
    DCTERMS,
    JPCOAR,
    OAIRE,
    RDF,
    SCHEMA_LOCATION,
    XSI,
    expand,
)
from metadata.xml.parsing import serialise

SCHEMA = f"{JPCOAR}jpcoar_scm.xsd"
_NSMAP = {
    "jpcoar": JPCOAR,
    "dc": DC,
    "dcterms": DCTERMS,
    "datacite": DATACITE,
    "oaire": OAIRE,
    "dcndl": DCNDL,
    "rdf": RDF,
    "xsi": XSI,
}


def write(record: BibliographicRecord) -> bytes:
    """A standalone jpcoar:jpcoar; empty values are left out."""
    root = etree.Element(expand("jpcoar:jpcoar"), nsmap=_NSMAP)
    root.set(SCHEMA_LOCATION, f"{JPCOAR} jpcoar_scm.xsd")
    for writer in WRITERS:
        writer(root, record)
    return serialise(root)


def titles(root: etree._Element, record: BibliographicRecord) -> None:
    """One dc:title a language; what would stand twice in one goes to dcterms:alternative, as IRDB wants it."""
    parallel = [each for each in record.alternatives if each.kind == "parallel"]
    used: set[str] = set()
    left = list(record.titles[1:])
    for each in (*record.titles[:1], *parallel):
        language = each.language or ("ja" if each.transcription else "")
        reading = each.transcription if is_japanese(language) and KANA not in used else ""
        if language in used:
            left.append(each)
            continue
        used |= {language, KANA} if reading else {language}
        add(root, "dc:title", each.value, language)
        add(root, "dc:title", reading, KANA)
    for each in (*left, *(each for each in record.alternatives if each.kind != "parallel")):
        with_reading(root, "dcterms:alternative", each)


def subjects(root: etree._Element, record: BibliographicRecord) -> None:
    for each in (*record.subjects, *record.genres):
        element = add(root, "jpcoar:subject", each.value, each.language, True)
        element.set("subjectScheme", _scheme(each))
        if each.uri:
            element.set("subjectURI", each.uri)


def _scheme(each: Subject) -> str:
    scheme = "NDC" if each.scheme.startswith("NDC") else each.scheme
    return scheme if scheme in SUBJECT_SCHEMES else "Other"


def descriptions(root: etree._Element, record: BibliographicRecord) -> None:
    for kind, texts in (
        ("Abstract", record.abstracts),
        ("TableOfContents", record.contents),
        ("Other", record.notes),
    ):
        for text in texts:
            add(root, "datacite:description", text, guess(text, record)).set("descriptionType", kind)


def dates(root: etree._Element, record: BibliographicRecord) -> None:
    for each in (*([Date(type="issued", value=record.issued)] if record.issued else []), *record.other_dates):
        kind = DATE_TYPE_OF.get(each.type, "")
        if kind or each.type not in {"dateGranted", "dateDigitized"}:
            value = plain_date(each.value) or each.value  # "© 1979" of a catalogue
            add(root, "datacite:date", value).set("dateType", kind or each.type)
    for value in record.dates:
        add(root, "dcterms:date", value, guess(value, record))


def languages(root: etree._Element, record: BibliographicRecord) -> None:
    for code in record.languages:
        add(root, "dc:language", LANGUAGE_CODES.get(code, code))


def kind(root: etree._Element, record: BibliographicRecord) -> None:
    """Exactly one type; what has none is "other"."""
    found = record.material_types[0] if record.material_types else None
    term = found.label if found else ""
    if term not in RESOURCE_TYPES:
        uri = found.uri or material_type_uri(found.label) if found else ""
        term = TERM_OF_NDL.get(uri, "other")
    add(root, "dc:type", term, resource=RESOURCE_TYPES[term].uri)
    add(root, "datacite:version", record.resource_version)
    version = record.version_type
    add(root, "oaire:version", version, resource=VERSION_TYPES.get(version, ""))


def identifiers(root: etree._Element, record: BibliographicRecord) -> None:
    """DOI, then pages; files stand in jpcoar:file. A number that was found wrong is given back as it came."""
    for each in record.identifiers:
        if each.scheme == "DOI":
            _identifier(root, "DOI", f"{DOI_URL}{each.printed or each.value}")
    for each in record.invalid_identifiers:
        if each.scheme in {"DOI", "HDL", "URI", "PMID"}:
            _identifier(root, each.scheme, each.value)
    files = {each.uri for each in record.files if each.type == "fulltext"}
    for page in pages(record):
        if page not in files:
            _identifier(root, "HDL" if "//hdl.handle.net/" in page else "URI", page)
    for each in record.registrations:
        element = add(root, "jpcoar:identifierRegistration", each.printed or each.value)
        element.set("identifierType", each.scheme)


def pages(record: BibliographicRecord) -> tuple[str, ...]:
    """The record's own pages, else those of its copies, else the page that it is named by, else a URI of its number."""
    found = record.see_also or tuple(page for item in record.items for page in item.see_also)
    named = (record.uri,) if record.uri.startswith(("http://", "https://")) and not record.values("DOI") else ()
    return found or named or (() if record.values("DOI") else _numbers_as_uris(record)[:1])


def _numbers_as_uris(record: BibliographicRecord) -> tuple[str, ...]:
    """NDL's URIs for numbers, for books that nobody has on the web: JPCOAR wants one identifier at least."""
    return tuple(ID_URIS[each.scheme] + each.value for each in record.identifiers if each.scheme in ID_URIS)


def _identifier(root: etree._Element, kind: str, value: str) -> None:
    add(root, "jpcoar:identifier", value).set("identifierType", kind)


def relations(root: etree._Element, record: BibliographicRecord) -> None:
    """Links, and what has no other place: the series, and the record's own numbers."""
    for each in record.relations:
        relation(root, each)
    for series in record.series:
        relation(root, Relation(type="isPartOf", label=series.value, language=guess(series.value, record)))
    for number in record.identifiers:
        if number.scheme == "ISBN":
            own = Relation(type="relation", term="isIdenticalTo", scheme="ISBN", number=hyphenate(number.value))
            relation(root, own)
        elif number.scheme == "SetISBN":
            relation(root, Relation(type="isPartOf", scheme="ISBN", number=hyphenate(number.value)))
        elif number.scheme != "DOI":
            known = ID_URIS.get(number.scheme)
            uri, plain = (known + number.value, "") if known else ("", f"{number.scheme}:{number.value}".strip(":"))
            scheme = "URI" if known else "Local"
            relation(root, Relation(type="relation", term="isIdenticalTo", scheme=scheme, uri=uri, number=plain))


def coverage(root: etree._Element, record: BibliographicRecord) -> None:
    for text in record.temporal:
        add(root, "dcterms:temporal", text, guess(text, record))
    for place in record.spatial:
        geo_location(root, place)


Writer = Callable[[etree._Element, BibliographicRecord], None]
WRITERS: tuple[Writer, ...] = (
    titles,
    agents,
    rights,
    subjects,
    descriptions,
    publishers,
    dates,
    languages,
    kind,
    identifiers,
    relations,
    coverage,
    fundings,
    source,
    edition,
    journal,
    thesis,
    files,
)
