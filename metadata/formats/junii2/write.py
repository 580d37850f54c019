"""Writes a record as junii2 3.1, in the order of its elements. Reading is in `read`.

junii2 has one language per title, no names in several forms and no funding: `metadata.formats.jpcoar` loses less.
"""

from collections.abc import Callable, Iterator, Sequence

from metadata.display_title import display_title
from metadata.formats.common.codes import number_text, relation_number
from metadata.formats.common.uris import as_uri, is_uri
from metadata.formats.jpcoar.identifiers import DOI_URL, derived_uuid
from metadata.formats.jpcoar.names import identifier_uri
from metadata.formats.jpcoar.settle import plain_date
from metadata.formats.jpcoar.terms import DATE_TYPE_OF, DOCTORAL, TERM_OF_NDL
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES
from metadata.formats.jpcoar.write.record import pages, substitute_title
from metadata.formats.jpcoar.write.source import bare_number, split_pages
from metadata.formats.jpcoar.write.values import iso639
from metadata.formats.junii2.conform import Value, conform
from metadata.formats.junii2.terms import ORDER, RELATIONS, SCHEMES
from metadata.record import Agent, BibliographicRecord, Relation, Subject, Title
from metadata.text.dates import read_date
from metadata.vocabularies.namespaces import JUNII2, XSI
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from metadata.xml.parsing import has_text
from metadata.xml.writing import NOTHING, Xml, attribute, attributes, declarations, document, leaf, node, together

SCHEMA = "http://irdb.nii.ac.jp/oai/junii2-3-1.xsd"

_ROOT = attributes(
    {
        **declarations({"": JUNII2, "xsi": XSI}),
        "xsi:schemaLocation": f"{JUNII2} {SCHEMA}",
        "version": "3.1",
    }
)

Values = Iterator[Value]
_RANKS = {name: rank for rank, name in enumerate(ORDER)}


def write(record: BibliographicRecord) -> bytes:
    """Return a complete junii2 element. Empty values are left out."""
    return write_all([record])[0]


def write_all(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write`, for many at once."""
    found: list[list[Value]] = [[] for _record in records]
    for writer in WRITERS:
        for record, values in zip(records, found, strict=True):
            values += [value for value in writer(record) if has_text(value.text)]
    ordered = [sorted(conform(values), key=_rank) for values in found]
    return [document(node("junii2", map(_element, values), _ROOT)) for values in ordered]


def _element(value: Value) -> Xml:
    own = NOTHING
    if value.lang or value.id or value.version or value.ra:  # most values have none
        own = together(
            attribute("lang", value.lang),
            attribute("id", value.id),
            attribute("version", value.version),
            attribute("ra", value.ra),
        )
    return leaf(value.name, value.text, own)


def _rank(value: Value) -> int:
    return _RANKS[value.name]


def titles(record: BibliographicRecord) -> Values:
    main = record.titles[0] if record.titles else Title()
    shown = display_title(record)
    yield Value("title", shown if has_text(shown) else substitute_title(record), main.language)
    yield Value("alternative", main.transcription, "ja-Kana")
    for title in (*record.titles[1:], *record.alternatives):
        yield Value("alternative", title.value, title.language)
        yield Value("alternative", title.transcription, "ja-Kana")


def agents(record: BibliographicRecord) -> Values:
    for creator in record.creators:
        yield Value("creator", creator.name, creator.language, id=_id(creator))
        yield Value("creator", creator.transcription, "ja-Kana")
    for contributor in record.contributors:
        yield Value("contributor", contributor.name, contributor.language, id=_id(contributor))
    for publisher in record.publishers:
        yield Value("publisher", publisher.name, publisher.language)
        for other in publisher.other_names:
            yield Value("publisher", other.value, other.language)


def _id(agent: Agent) -> str:
    return next(((identifier_uri(number) or number.value) for number in agent.identifiers), "")


def subjects(record: BibliographicRecord) -> Values:
    for subject in (*record.subjects, *record.genres):
        scheme, version = _scheme(subject)
        yield Value(scheme, subject.value, subject.language if scheme == "subject" else "", version=version)


def _scheme(subject: Subject) -> tuple[str, str]:
    if subject.scheme.startswith("NDC"):
        return "NDC", subject.scheme[3:]
    return (subject.scheme if subject.scheme in SCHEMES else "subject"), ""


def texts(record: BibliographicRecord) -> Values:
    for text in (*record.abstracts, *record.contents, *record.notes):
        yield Value("description", text)
    for text in record.rights:
        yield Value("rights", text)
    for text in record.temporal:
        yield Value("temporal", text)
    for text in record.spatial:
        yield Value("spatial", text)
    for code in dict.fromkeys(map(iso639, record.languages)):
        yield Value("language", LANGUAGE_CODES.get(code, code))


def dates(record: BibliographicRecord) -> Values:
    """Yield the date of issue, the date of the degree, and all other dates as plain dates."""
    printed = next((date.value for date in record.other_dates if date.type == "issued"), "")
    yield Value("dateofissued", record.issued or printed)
    for date in record.other_dates:
        if date.type == "dateGranted":
            yield Value("dateofgranted", date.value)
        elif date.type in DATE_TYPE_OF and date.type != "issued":
            yield Value("date", plain_date(date.value) or date.value)
    for value in map(read_date, record.dates):  # dates as printed: "昭62.10"
        if value != record.issued:
            yield Value("date", value)


def types(record: BibliographicRecord) -> Values:
    first = record.material_types[0] if record.material_types else None
    term = first.label if first else ""
    if term not in RESOURCE_TYPES:
        term = TERM_OF_NDL.get(first.uri if first else "", "other")
    yield Value("NIItype", RESOURCE_TYPES[term].nii)
    version = record.version_type
    known = {"AM": "author", "AO": "author", "SMUR": "author", "P": "author", "NA": "none", "": ""}
    yield Value("textversion", known.get(version, "ETD" if term == DOCTORAL else "publisher"))


def links(record: BibliographicRecord) -> Values:
    """Yield URI, selfDOI with its registration agency, files and formats.

    URI is the address of the record, else its first page, a DOI, or a file; other pages become relations (`conform`).
    """
    files = [file.uri for file in record.files if file.uri and file.type in {"fulltext", ""}]
    own = [as_uri(page) or page for page in pages(record) if page not in files]
    dois = [doi.printed or doi.value for doi in record.identifiers if doi.scheme == "DOI"]
    registered = {doi.value: doi.scheme.replace("Crossref", "CrossRef") for doi in record.registrations}
    others = (*(f"{DOI_URL}{doi}" for doi in dois[:1]), *files)
    uri = next(filter(is_uri, own), "") or next(filter(None, map(as_uri, others)), "")
    for page in dict.fromkeys((uri or derived_uuid(record), *own)):
        yield Value("URI", page)
    for doi in dois if own or registered else dois[1:]:
        yield Value("selfDOI", f"info:doi/{doi}", ra=registered.get(doi.lower(), ""))
    for uri in files:
        yield Value("fullTextURL", uri)
    media_types = [file.media_type for file in record.files]
    for media_type in (*media_types, *(name for name in record.formats if name not in media_types)):
        yield Value("format", media_type)


def numbers(record: BibliographicRecord) -> Values:
    for identifier in record.identifiers:
        if identifier.scheme == "ISBN":
            yield Value("isbn", number_text(identifier))
        elif identifier.scheme == "NIIBibID":
            yield Value("NCID", identifier.value)
    for identifier in record.invalid_identifiers:
        if identifier.scheme in {"ISBN", "ISSN", "NCID"}:
            yield Value("NCID" if identifier.scheme == "NCID" else identifier.scheme.lower(), identifier.value)


def host(record: BibliographicRecord) -> Values:
    publication = record.host
    start, end = split_pages(publication.pages)
    for issn in publication.issn:
        yield Value("issn", f"{issn[:4]}-{issn[4:]}")
    for number in publication.identifiers:
        if number.scheme == "NCID":
            yield Value("NCID", number_text(number))
    yield Value("jtitle", publication.title, publication.language)
    yield Value("volume", bare_number(publication.volume))
    yield Value("issue", bare_number(publication.number or publication.issue))
    yield Value("spage", start)
    yield Value("epage", end)


_NUMBERED = {"PMID": ("pmid", "info:pmid/"), "NAID": ("NAID", ""), "ICHUSHI": ("ichushi", ""), "ISBN": ("isbn", "")}


def relations(record: BibliographicRecord) -> Values:
    for relation in record.relations:
        yield _relation(relation)


def _relation(relation: Relation) -> Value:
    if relation.scheme in _NUMBERED:
        name, prefix = _NUMBERED[relation.scheme]
        return Value(name, prefix + (relation.uri or relation_number(relation)))
    if relation.scheme == "DOI" and relation.type == "isVersionOf":
        return Value("doi", relation.uri.replace(DOI_URL, "info:doi/") or relation.number)
    name = relation.type if relation.type in RELATIONS else "relation"
    return Value(name, relation.uri or relation.label or relation.number, "" if relation.uri else relation.language)


def thesis(record: BibliographicRecord) -> Values:
    institution = next(
        (
            number.value
            for grantor in record.degree_grantors
            for number in grantor.identifiers
            if number.scheme == "kakenhi"
        ),
        "",
    )
    for number in record.dissertation_numbers[:1]:
        yield Value("grantid", institution + number)
    for name in record.degree_names[:1]:
        yield Value("degreename", name)
    for grantor in record.degree_grantors[:1]:
        yield Value("grantor", grantor.name, grantor.language)


WRITERS: tuple[Callable[[BibliographicRecord], Values], ...] = (
    titles,
    agents,
    subjects,
    texts,
    dates,
    types,
    links,
    numbers,
    host,
    relations,
    thesis,
)
