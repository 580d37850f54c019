"""Writes a record as JPCOAR, in the order of its XSD. Reading is in `metadata.formats.jpcoar.read`.

Where JPCOAR requires a language that the record does not have, it is added only if the script shows it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import structs

from metadata.display_title import display_title
from metadata.formats.common.codes import with_thirteen_digits
from metadata.formats.common.pages import is_doi
from metadata.formats.common.pages import pages as common_pages
from metadata.formats.common.uris import is_uri
from metadata.formats.jpcoar.checks.terms import CLASS_FORMS
from metadata.formats.jpcoar.identifiers import DOI_URL, derived_uuid
from metadata.formats.jpcoar.names import KANA, is_japanese
from metadata.formats.jpcoar.settle import plain_date
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, SUBJECT_SCHEMES, VERSION_TYPES
from metadata.formats.jpcoar.write.agents import agents, publishers, rights
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES, TWO_LETTERS, Form, guess_language
from metadata.formats.jpcoar.write.parts import geo_location, related, relation
from metadata.formats.jpcoar.write.remainder import remainder, type_term
from metadata.formats.jpcoar.write.sheet import Sheet, tag, uri
from metadata.formats.jpcoar.write.source import edition, files, fundings, journal, source, thesis
from metadata.formats.jpcoar.write.values import iso639
from metadata.formats.jpcoar.write.versions import NEWEST, Version
from metadata.identifiers import hyphenate
from metadata.record import BibliographicRecord, Identifier, MaterialType, Subject, Title
from metadata.vocabularies.dcndl import ID_URIS
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from metadata.xml.parsing import strip_illegal
from metadata.xml.writing import Xml, attribute, document, leaf, node, together

_DESCRIPTION, _KIND = "datacite:description", "descriptionType"
_ABSTRACT, _CONTENTS = attribute(_KIND, "Abstract"), attribute(_KIND, "TableOfContents")
_OTHER = attribute(_KIND, "Other")


def write(record: BibliographicRecord, version: Version = NEWEST) -> bytes:
    """Return a complete jpcoar:jpcoar. Empty values are left out."""
    return write_all([record], version)[0]


def write_all(records: Sequence[BibliographicRecord], version: Version = NEWEST) -> list[bytes]:
    """The same as `write`, for many at once."""
    written = records if version.has_volumes else list(map(_with_statements, records))
    sheets = [Sheet(record, version, remainder(record)) for record in written]
    first = _elements(sheets, BEFORE_NOTES)
    last = _elements(sheets, AFTER_NOTES)
    rows = zip(first, map(_notes, sheets), last, strict=True)
    return [document(node("jpcoar:jpcoar", (*before, *notes, *after), version.root)) for before, notes, after in rows]


def _elements(sheets: Sequence[Sheet], writers: Iterable["Writer"]) -> list[list[Xml]]:
    elements: list[list[Xml]] = [[] for _sheet in sheets]
    for writer in writers:
        for sheet, own in zip(sheets, elements, strict=True):
            own += writer(sheet)
    return elements


def _notes(sheet: Sheet) -> Iterator[Xml]:
    """Write what has no element as descriptions, unless one says it already."""
    if not sheet.notes:
        return
    record = sheet.record
    known = set(map(strip_illegal, (*record.abstracts, *record.contents, *record.notes)))
    for text in dict.fromkeys(sheet.notes):
        if text not in known:
            yield sheet.words(_DESCRIPTION, text, "", _OTHER)


def _with_statements(record: BibliographicRecord) -> BibliographicRecord:
    """Add edition and title of the volume to the title, for a version without elements for them; beside a host also
    the volume.
    """
    if not record.titles:
        return record
    without = record if record.host.title or record.host.volume else structs.replace(record, volumes=())
    main = structs.replace(record.titles[0], value=display_title(without))
    return structs.replace(record, titles=(main, *record.titles[1:]))


def titles(sheet: Sheet) -> Iterator[Xml]:
    """Write one dc:title for each language, and further titles as dcterms:alternative, as IRDB requires."""
    record = sheet.record
    parallel = [title for title in record.alternatives if title.kind == "parallel"]
    used: set[str] = set()
    forms: list[Form] = []
    remaining = list(record.titles[1:])
    main = record.titles[:1] or (Title(value=substitute_title(record)),)
    for title in (*main, *parallel):
        language = title.language or ("ja" if title.transcription else "")
        reading = title.transcription if is_japanese(language) and KANA not in used else ""
        if language in used:
            remaining.append(title)
            continue
        used |= {language, KANA} if reading else {language}
        forms += ((title.value, language), (reading, KANA))
    yield sheet.forms("dc:title", forms, preferred=_preferred(record.languages))
    for title in (*remaining, *[title for title in record.alternatives if title.kind != "parallel"]):
        yield sheet.with_reading("dcterms:alternative", title)


@lru_cache(maxsize=256)
def _preferred(languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the languages by which readers choose the main title of a record in these languages."""
    return (*(TWO_LETTERS[code] for code in languages if code in TWO_LETTERS), "ja", "en")


def substitute_title(record: BibliographicRecord) -> str:
    """Return a title for a record that has none, because JPCOAR and junii2 require one. Staff may have allowed records
    without a title.
    """
    others = (*record.alternatives, *record.series, *record.volume_titles, *record.volumes)
    return record.display_title or next((title.value for title in others if title.value), "") or "[無題]"


def subjects(sheet: Sheet) -> Iterator[Xml]:
    """Write the subjects; words have a language, numbers of classes none."""
    for subject in (*sheet.record.subjects, *sheet.record.genres):
        scheme, language = _scheme(subject.scheme), subject.language
        if not language and scheme not in CLASS_FORMS:
            language = guess_language(subject.value, sheet.record)
        yield _subject(sheet.version, subject, scheme, language)


def _scheme(scheme: str) -> str:
    if scheme in SUBJECT_SCHEMES:
        return scheme
    return "NDC" if scheme.startswith("NDC") else "Other"


@lru_cache(maxsize=1024)  # classes and headings recur
def _subject(version: Version, subject: Subject, scheme: str, language: str) -> Xml:
    kind = version.attribute("jpcoar:subject", "subjectScheme", scheme)
    own = together(tag(language), kind, attribute("subjectURI", uri(subject.uri)))
    return leaf("jpcoar:subject", subject.value, own)


def descriptions(sheet: Sheet) -> Iterator[Xml]:
    record = sheet.record
    for own, texts in ((_ABSTRACT, record.abstracts), (_CONTENTS, record.contents), (_OTHER, record.notes)):
        for text in texts:
            yield sheet.words(_DESCRIPTION, text, guess_language(text, record), own)


def dates(sheet: Sheet) -> Iterator[Xml]:
    record = sheet.record
    if record.issued:
        yield _date(sheet, "issued", record.issued)
    for date in record.other_dates:
        if date.type != "dateGranted":
            yield _date(sheet, date.type, date.value)
    for value in record.dates:
        yield sheet.words("dcterms:date", value)


def _date(sheet: Sheet, kind: str, text: str) -> Xml:
    value = plain_date(text) or text  # catalogues print "© 1979"
    return sheet.typed("datacite:date", value, DATE_TYPE_OF.get(kind, kind), sheet.record.degree_names)


def languages(sheet: Sheet) -> Iterator[Xml]:
    for code in dict.fromkeys(map(iso639, sheet.record.languages)):
        yield sheet.plain("dc:language", LANGUAGE_CODES.get(code, code))


def type_and_versions(sheet: Sheet) -> Iterator[Xml]:
    """Write exactly one type ("other" for a record without one), and the versions of data and text."""
    record = sheet.record
    yield _type(sheet.version, record.material_types[0] if record.material_types else MaterialType())
    yield sheet.plain("datacite:version", record.resource_version)
    if record.version_type in VERSION_TYPES:
        own = attribute("rdf:resource", VERSION_TYPES[record.version_type])
        yield sheet.plain("oaire:version", record.version_type, own)


@lru_cache(maxsize=256)
def _type(version: Version, kind: MaterialType) -> Xml:
    term = type_term(kind)
    term = version.types.get(term, term)
    return leaf("dc:type", term, attribute("rdf:resource", RESOURCE_TYPES[term].uri))


def identifiers(sheet: Sheet) -> Iterator[Xml]:
    """Write DOIs, invalid identifiers as they came, then pages, then the record's URI. Files are in jpcoar:file.

    At least one is required: if none of these can be one, it is the first file or page that is a URI, or becomes one
    when its illegal characters are escaped, else a UUID that follows from the content.
    """
    record = sheet.record
    files = dict.fromkeys([file.uri for file in record.files if file.type == "fulltext"])
    given = [
        ("DOI", f"{DOI_URL}{number.printed or number.value}") for number in record.identifiers if number.scheme == "DOI"
    ]
    given += [(wrong.scheme, wrong.value) for wrong in record.invalid_identifiers if wrong.scheme in _KINDS]
    given += [("HDL" if "//hdl.handle.net/" in page else "URI", page) for page in pages(record) if page not in files]
    written = [sheet.typed("jpcoar:identifier", value, kind, record.degree_names) for kind, value in given]
    if not any(written):
        addresses = (*files, *pages(record))
        address = next(filter(is_uri, addresses), "") or next(filter(None, map(uri, addresses)), "")
        written = [sheet.typed("jpcoar:identifier", address or derived_uuid(record), "URI")]
    yield from written
    for number in record.registrations[:1]:
        value = number.printed or number.value
        yield sheet.typed("jpcoar:identifierRegistration", value, number.scheme, record.degree_names)


_KINDS = frozenset({"DOI", "HDL", "URI", "PMID"})


def pages(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the pages of the record, without its DOI; for a record that has neither, the URI of a number."""
    has_doi = "DOI" in [number.scheme for number in record.identifiers]
    own = common_pages(record)
    if has_doi:
        own = tuple(page for page in own if not (page == record.uri and is_doi(page)))
    return own or (() if has_doi else _numbers_as_uris(record)[:1])


def _numbers_as_uris(record: BibliographicRecord) -> tuple[str, ...]:
    """Return NDL's URIs for numbers, for books without a page: JPCOAR requires at least one identifier."""
    return tuple(
        ID_URIS[identifier.scheme] + identifier.value
        for identifier in record.identifiers
        if identifier.scheme in ID_URIS
    )


def relations(sheet: Sheet) -> Iterator[Xml]:
    """Write relations, and what has no other element: the series, and the record's own numbers."""
    record = sheet.record
    for link in record.relations:
        yield relation(sheet, link)
    for series in record.series:
        yield related(sheet, "isPartOf", "", "", [(series.value, "")])
    for number in record.identifiers:
        if number.scheme in {"ISBN", "SetISBN"}:
            kind = "isIdenticalTo" if number.scheme == "ISBN" else "isPartOf"
            yield related(sheet, kind, "ISBN", with_thirteen_digits(hyphenate(number.value)))
        elif number.scheme != "DOI":
            yield _own_number(sheet, number)


def _own_number(sheet: Sheet, number: Identifier) -> Xml:
    known = ID_URIS.get(number.scheme)
    if known:
        return related(sheet, "isIdenticalTo", "URI", known + number.value)
    return related(sheet, "isIdenticalTo", "Local", f"{number.scheme}:{number.value}".strip(":"))


def coverage(sheet: Sheet) -> Iterator[Xml]:
    for text in sheet.record.temporal:
        yield sheet.words("dcterms:temporal", text)
    for place in sheet.record.spatial:
        yield geo_location(sheet, place)


Writer = Callable[[Sheet], Iterator[Xml]]
BEFORE_NOTES: tuple[Writer, ...] = (titles, agents, rights, subjects, descriptions)
AFTER_NOTES: tuple[Writer, ...] = (
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
