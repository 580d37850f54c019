"""Writes a record as JPCOAR 2.1, in the order of its XSD. Reading is in `metadata.formats.jpcoar.read`.

Where JPCOAR requires a language that the record does not have, it is added only if the script shows it.
"""

from collections.abc import Callable, Sequence

from metadata.formats.common.pages import is_doi
from metadata.formats.common.pages import pages as common_pages
from metadata.formats.common.uris import is_uri
from metadata.formats.jpcoar.checks.terms import CLASS_FORMS
from metadata.formats.jpcoar.identifiers import DOI_URL, derived_uuid
from metadata.formats.jpcoar.names import KANA, is_japanese
from metadata.formats.jpcoar.settle import plain_date
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, SUBJECT_SCHEMES, VERSION_TYPES
from metadata.formats.jpcoar.write.agents import agents, publishers, rights
from metadata.formats.jpcoar.write.conform import conform
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES, guess_language
from metadata.formats.jpcoar.write.parts import add, add_with_reading, geo_location, related, relation, set_attributes
from metadata.formats.jpcoar.write.remainder import remainder, type_term
from metadata.formats.jpcoar.write.source import edition, files, fundings, journal, source, thesis
from metadata.formats.jpcoar.write.values import iso639
from metadata.identifiers import hyphenate
from metadata.record import BibliographicRecord, Date, Identifier, MaterialType, Relation, Subject, Title
from metadata.vocabularies.dcndl import ID_URIS
from metadata.vocabularies.namespaces import (
    DATACITE,
    DC,
    DCNDL,
    DCTERMS,
    JPCOAR,
    OAIRE,
    RDF,
    XSI,
)
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from metadata.xml.parsing import has_text
from metadata.xml.writing import Element, Xml, attributes, declarations, serialise

SCHEMA = f"{JPCOAR}jpcoar_scm.xsd"
_NAMESPACES = {
    "dc": DC,
    "dcterms": DCTERMS,
    "datacite": DATACITE,
    "oaire": OAIRE,
    "dcndl": DCNDL,
    "rdf": RDF,
    "xsi": XSI,
}


def root_attributes(namespace: str) -> Xml:
    """Return the attributes of the root for a version of JPCOAR. namespace: of that version."""
    location = f"{namespace} jpcoar_scm.xsd"
    return attributes({**declarations({"jpcoar": namespace, **_NAMESPACES}), "xsi:schemaLocation": location})


_ROOT = root_attributes(JPCOAR)


def write(record: BibliographicRecord) -> bytes:
    """Return a complete jpcoar:jpcoar. Empty values are left out."""
    return write_all([record])[0]


def write_all(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write`, for many at once."""
    return [serialise(root, _ROOT) for root in trees(records)]


def trees(records: Sequence[BibliographicRecord]) -> list[Element]:
    """Return the root elements of `write_all`, without their attributes."""
    roots = [Element("jpcoar:jpcoar") for _record in records]
    for writer in WRITERS:
        for root, record in zip(roots, records, strict=True):
            writer(root, record)
    conform(roots, records, list(map(remainder, records)))
    return roots


def titles(root: Element, record: BibliographicRecord) -> None:
    """Write one dc:title for each language, and further titles as dcterms:alternative, as IRDB requires."""
    parallel = [title for title in record.alternatives if title.kind == "parallel"]
    used: set[str] = set()
    remaining = list(record.titles[1:])
    main = record.titles[:1] or (Title(value=_substitute_title(record)),)
    for title in (*main, *parallel):
        language = title.language or ("ja" if title.transcription else "")
        reading = title.transcription if is_japanese(language) and KANA not in used else ""
        if language in used:
            remaining.append(title)
            continue
        used |= {language, KANA} if reading else {language}
        add(root, "dc:title", title.value, language)
        add(root, "dc:title", reading, KANA)
    for title in (*remaining, *(title for title in record.alternatives if title.kind != "parallel")):
        add_with_reading(root, "dcterms:alternative", title)


def _substitute_title(record: BibliographicRecord) -> str:
    """Return a title for a record that has none, because JPCOAR requires one."""
    others = (*record.alternatives, *record.series, *record.volume_titles, *record.volumes)
    return record.display_title or next((title.value for title in others if title.value), "") or "[無題]"


def subjects(root: Element, record: BibliographicRecord) -> None:
    """Write the subjects; words have a language, numbers of classes none."""
    for subject in (*record.subjects, *record.genres):
        scheme = _scheme(subject)
        guessed = "" if subject.language or scheme in CLASS_FORMS else guess_language(subject.value, record)
        element = add(root, "jpcoar:subject", subject.value, subject.language or guessed, True)
        set_attributes(element, subjectScheme=scheme, subjectURI=subject.uri)


def _scheme(subject: Subject) -> str:
    scheme = "NDC" if subject.scheme.startswith("NDC") else subject.scheme
    return scheme if scheme in SUBJECT_SCHEMES else "Other"


def descriptions(root: Element, record: BibliographicRecord) -> None:
    for kind, texts in (
        ("Abstract", record.abstracts),
        ("TableOfContents", record.contents),
        ("Other", record.notes),
    ):
        for text in texts:
            add(root, "datacite:description", text, guess_language(text, record)).attributes["descriptionType"] = kind


def dates(root: Element, record: BibliographicRecord) -> None:
    for date in (*([Date(type="issued", value=record.issued)] if record.issued else []), *record.other_dates):
        if date.type != "dateGranted":
            value = plain_date(date.value) or date.value  # catalogues print "© 1979"
            set_attributes(add(root, "datacite:date", value), dateType=DATE_TYPE_OF.get(date.type, date.type))
    for value in record.dates:
        add(root, "dcterms:date", value, guess_language(value, record))


def languages(root: Element, record: BibliographicRecord) -> None:
    for code in dict.fromkeys(map(iso639, record.languages)):
        add(root, "dc:language", LANGUAGE_CODES.get(code, code))


def type_and_versions(root: Element, record: BibliographicRecord) -> None:
    """Write exactly one type ("other" for a record without one), and the versions of data and text."""
    term = type_term(record.material_types[0] if record.material_types else MaterialType())
    add(root, "dc:type", term, resource=RESOURCE_TYPES[term].uri)
    add(root, "datacite:version", record.resource_version)
    if record.version_type in VERSION_TYPES:
        add(root, "oaire:version", record.version_type, resource=VERSION_TYPES[record.version_type])


def identifiers(root: Element, record: BibliographicRecord) -> None:
    """Write DOIs, invalid identifiers as they came, then pages, then the record's URI. Files are in jpcoar:file.

    At least one is required: a record without any address has a UUID that follows from its content.
    """
    start = len(root.children)
    for identifier in record.identifiers:
        if identifier.scheme == "DOI":
            _identifier(root, "DOI", f"{DOI_URL}{identifier.printed or identifier.value}")
    for wrong in record.invalid_identifiers:
        if wrong.scheme in {"DOI", "HDL", "URI", "PMID"}:
            _identifier(root, wrong.scheme, wrong.value)
    files = {file.uri for file in record.files if file.type == "fulltext"}
    for page in (page for page in pages(record) if page not in files):
        _identifier(root, "HDL" if "//hdl.handle.net/" in page else "URI", page)
    if not any(is_uri(element.text) for element in root.children[start:]):
        _identifier(root, "URI", next(iter(files), "") or derived_uuid(record))
    for registration in record.registrations[:1]:
        element = add(root, "jpcoar:identifierRegistration", registration.printed or registration.value)
        element.attributes["identifierType"] = registration.scheme


def pages(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the pages of the record, without its DOI; for a record that has neither, the URI of a number."""
    has_doi = bool(record.values("DOI"))
    own = tuple(page for page in common_pages(record) if not (has_doi and page == record.uri and is_doi(page)))
    return own or (() if has_doi else _numbers_as_uris(record)[:1])


def _numbers_as_uris(record: BibliographicRecord) -> tuple[str, ...]:
    """Return NDL's URIs for numbers, for books without a page: JPCOAR requires at least one identifier."""
    return tuple(
        ID_URIS[identifier.scheme] + identifier.value
        for identifier in record.identifiers
        if identifier.scheme in ID_URIS
    )


def _identifier(root: Element, kind: str, value: str) -> None:
    add(root, "jpcoar:identifier", value).attributes["identifierType"] = kind


def relations(root: Element, record: BibliographicRecord) -> None:
    """Write relations, and what has no other element: the series, and the record's own numbers."""
    for link in record.relations:
        relation(root, link)
    for series in record.series:
        relation(root, Relation(type="isPartOf", label=series.value, language=guess_language(series.value, record)))
    for number in record.identifiers:
        if number.scheme == "ISBN":
            own = Relation(type="relation", term="isIdenticalTo", scheme="ISBN", number=hyphenate(number.value))
            relation(root, own)
        elif number.scheme == "SetISBN":
            relation(root, Relation(type="isPartOf", scheme="ISBN", number=hyphenate(number.value)))
        elif number.scheme != "DOI":
            _own_number(root, number)


def _own_number(root: Element, number: Identifier) -> None:
    known = ID_URIS.get(number.scheme)
    if known:
        related(root, "isIdenticalTo", "URI", known + number.value)
    elif has_text(text := f"{number.scheme}:{number.value}".strip(":")):
        related(root, "isIdenticalTo", "Local", text)


def coverage(root: Element, record: BibliographicRecord) -> None:
    for text in record.temporal:
        add(root, "dcterms:temporal", text, guess_language(text, record))
    for place in record.spatial:
        geo_location(root, place)


Writer = Callable[[Element, BibliographicRecord], None]
WRITERS: tuple[Writer, ...] = (
    titles,
    agents,
    rights,
    subjects,
    descriptions,
    publishers,
    dates,
    languages,
    type_and_versions,
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
