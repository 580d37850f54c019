"""A record as JPCOAR 2.1, in the order of its XSD. Reading is in jpcoar.

What JPCOAR asks a language for and the record does not know it of, is given one only where the script tells it.
"""

import re
from collections.abc import Callable

from lxml import etree

from metadata.countries import ALPHA_2
from metadata.crosswalks.jpcoar_identifiers import DOI_URL
from metadata.crosswalks.jpcoar_names import KANA, is_japanese
from metadata.crosswalks.jpcoar_settle import one_a_name
from metadata.crosswalks.jpcoar_terms import (
    ACCESS_RIGHTS,
    DATE_TYPE_OF,
    RESOURCE_TYPES,
    SUBJECT_SCHEMES,
    TERM_OF_NDL,
    VERSION_TYPES,
)
from metadata.crosswalks.jpcoar_write_parts import (
    add,
    agent,
    conference,
    file,
    forms,
    funding,
    geo_location,
    holding_agent,
    relation,
)
from metadata.identifiers import hyphenate
from metadata.namespaces import (
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
from metadata.record import Agent, BibliographicRecord, Date, File, License, Relation, Subject, Title
from metadata.vocabulary import ID_URIS, LANGUAGES, material_type_uri
from metadata.xml import serialise

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
_ALPHA_3 = {two: three for three, two in ALPHA_2.items()}
# ISO 639-2 as catalogues have it → ISO 639-3.
LANGUAGE_CODES = {old: new for new, old in LANGUAGES.items() if len(new) == 3 and new.isascii() and new != old}
_KANA_OR_KANJI = re.compile("[ぁ-んァ-ヶ㐀-鿿]")
_ACCESS = re.compile(r"(open|embargoed|restricted|closed|metadata ?only) ?access\Z", re.IGNORECASE)
_COUNT = re.compile(r"([1-9][0-9]*)p\Z")


def write(record: BibliographicRecord) -> bytes:
    """A standalone jpcoar:jpcoar; empty values are left out."""
    root = etree.Element(expand("jpcoar:jpcoar"), nsmap=_NSMAP)
    root.set(SCHEMA_LOCATION, f"{JPCOAR} jpcoar_scm.xsd")
    for writer in WRITERS:
        writer(root, record)
    return serialise(root)


def guess(text: str, record: BibliographicRecord) -> str:
    """ja for kana and, in a Japanese record, kanji; "" where the script leaves it open."""
    if _KANA_OR_KANJI.search(text):
        return "zh" if "chi" in record.languages and "jpn" not in record.languages else "ja"
    return "en" if text.isascii() and "eng" in record.languages else ""


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
        _with_reading(root, "dcterms:alternative", each)


def _with_reading(root: etree._Element, name: str, each: Title) -> None:
    add(root, name, each.value, each.language or ("ja" if each.transcription else ""))
    add(root, name, each.transcription, KANA)


def agents(root: etree._Element, record: BibliographicRecord) -> None:
    for each in record.creators:
        agent(root, "creator", each, "creatorType")
    for each in record.contributors:
        agent(root, "contributor", each, "contributorType")


def rights(root: etree._Element, record: BibliographicRecord) -> None:
    access = [(each, _access_term(each)) for each in record.access_rights]
    term = next((term for _, term in access if term), "")
    add(root, "dcterms:accessRights", term, resource=ACCESS_RIGHTS.get(term, ""))
    licenses = list(record.licenses)
    for text in (*record.rights, *(each for each, known in access if not known)):
        license = next((each for each in licenses if text in {each.label, each.uri}), None)
        if license:
            licenses.remove(license)
            _license(root, license)
        else:
            add(root, "dc:rights", text, guess(text, record))
    for license in licenses:
        _license(root, license)
    known_agents = {each.name: each for each in record.rights_agents}
    for name in record.rights_holders:
        agent(root, "rightsHolder", known_agents.get(name) or Agent(name=name))


def _license(root: etree._Element, license: License) -> None:
    add(root, "dc:rights", license.label, license.language, resource=license.uri, even_empty=True)


def _access_term(text: str) -> str:
    """The term of COAR for what others write: info:eu-repo/semantics/openAccess."""
    match = _ACCESS.search(text.rpartition("/")[2])
    if not match:
        return ""
    word = match[1].lower().replace(" ", "")
    return {"closed": "restricted access", "metadataonly": "metadata only access"}.get(word, f"{word} access")


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


def publishers(root: etree._Element, record: BibliographicRecord) -> None:
    """dc:publisher where it says all, else jpcoar:publisher; the countries stand in the first one."""
    names = [Agent(name=form.value, language=form.language) for each in record.publishers for form in forms(each)]
    if not record.publication_places and one_a_name(names) == list(record.publishers):
        for name in names:
            add(root, "dc:publisher", name.name, name.language)
        return
    countries = [_ALPHA_3.get(each, each) for each in record.publication_places]
    for each in record.publishers or (Agent(name=""),):
        block = etree.SubElement(root, expand("jpcoar:publisher"))
        for form in forms(each):
            add(block, "jpcoar:publisherName", form.value, form.language)
        add(block, "jpcoar:publisherDescription", each.role, guess(each.role, record))
        add(block, "dcndl:location", each.location, guess(each.location, record))
        for country in countries:
            add(block, "dcndl:publicationPlace", country)
        countries = []


def dates(root: etree._Element, record: BibliographicRecord) -> None:
    for each in (*([Date(type="issued", value=record.issued)] if record.issued else []), *record.other_dates):
        kind = DATE_TYPE_OF.get(each.type, "")
        if kind or each.type not in {"dateGranted", "dateDigitized"}:
            add(root, "datacite:date", each.value).set("dateType", kind or each.type)
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
        if each.scheme in {"DOI", "HDL", "URI"}:
            _identifier(root, each.scheme, each.value)
    files = {each.uri for each in record.files if each.type == "fulltext"}
    for page in pages(record):
        if page not in files:
            _identifier(root, "HDL" if "//hdl.handle.net/" in page else "URI", page)
    for each in record.registrations:
        element = add(root, "jpcoar:identifierRegistration", each.printed or each.value)
        element.set("identifierType", each.scheme)


def pages(record: BibliographicRecord) -> tuple[str, ...]:
    """The record's own pages, else those of its copies, else the page that it is named by."""
    found = record.see_also or tuple(page for item in record.items for page in item.see_also)
    named = (record.uri,) if record.uri.startswith(("http://", "https://")) and not record.values("DOI") else ()
    return found or named


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
        elif number.scheme != "DOI":
            known = ID_URIS.get(number.scheme)
            uri, plain = (known + number.value, "") if known else ("", f"{number.scheme} {number.value}".strip())
            scheme = "URI" if known else "Local"
            relation(root, Relation(type="relation", term="isIdenticalTo", scheme=scheme, uri=uri, number=plain))


def coverage(root: etree._Element, record: BibliographicRecord) -> None:
    for text in record.temporal:
        add(root, "dcterms:temporal", text, guess(text, record))
    for place in record.spatial:
        geo_location(root, place)


def source(root: etree._Element, record: BibliographicRecord) -> None:
    """The publication around the record: its numbers."""
    host = record.host
    typed = {each.value for each in host.identifiers}
    for each in host.identifiers:
        text = f"{each.value[:4]}-{each.value[4:]}" if each.scheme in {"PISSN", "EISSN"} else each.printed or each.value
        add(root, "jpcoar:sourceIdentifier", text).set("identifierType", each.scheme)
    for issn in host.issn:
        if issn not in typed:
            add(root, "jpcoar:sourceIdentifier", f"{issn[:4]}-{issn[4:]}").set("identifierType", "ISSN")
    for wrong in record.invalid_identifiers:
        if wrong.scheme not in {"DOI", "HDL", "URI"}:
            add(root, "jpcoar:sourceIdentifier", wrong.value).set("identifierType", wrong.scheme)


def edition(root: etree._Element, record: BibliographicRecord) -> None:
    """Edition and extent; the first extent as number of pages where it is one."""
    for text in record.editions:
        add(root, "dcndl:edition", text, guess(text, record))
    for each in record.volume_titles:
        _with_reading(root, "dcndl:volumeTitle", each)
    for code in record.original_languages:
        add(root, "dcndl:originalLanguage", LANGUAGE_CODES.get(code, code))
    for text in record.extents[_pages(record) != "" :]:
        add(root, "dcterms:extent", text, guess(text, record))
    for item in record.items[:1]:
        holding_agent(root, item)
    add(root, "jpcoar:datasetSeries", record.dataset_series)


def _pages(record: BibliographicRecord) -> str:
    match = _COUNT.match(record.extents[0]) if record.extents else None
    return match[1] if match else ""


def journal(root: etree._Element, record: BibliographicRecord) -> None:
    """The publication around the record: title, numbering, pages."""
    host = record.host
    for each in (Title(value=host.title, language=host.language), *host.titles):
        add(root, "jpcoar:sourceTitle", each.value, each.language)
    add(root, "jpcoar:volume", host.volume or ("" if host.title else record.volume))
    add(root, "jpcoar:issue", host.number or host.issue)
    add(root, "jpcoar:numPages", _pages(record))
    start, end = halves(host.pages)
    add(root, "jpcoar:pageStart", start)
    add(root, "jpcoar:pageEnd", end)


def halves(pages: str) -> tuple[str, str]:
    """ "A-1-A-5" has its middle at the second of three hyphens."""
    pieces = pages.split("-")
    if len(pieces) % 2:
        return pages, ""
    middle = len(pieces) // 2
    return "-".join(pieces[:middle]), "-".join(pieces[middle:])


def thesis(root: etree._Element, record: BibliographicRecord) -> None:
    for number in record.dissertation_numbers[:1]:
        add(root, "dcndl:dissertationNumber", number)
    for name in record.degree_names:
        add(root, "dcndl:degreeName", name, guess(name, record) or ("en" if name.isascii() else ""))
    for each in record.other_dates:
        if each.type == "dateGranted":
            add(root, "dcndl:dateGranted", each.value)
    for grantor in record.degree_grantors:
        agent(root, "degreeGrantor", grantor)


def files(root: etree._Element, record: BibliographicRecord) -> None:
    for each in record.conferences:
        conference(root, each)
    for found in record.files:
        file(root, found)
    known = {each.uri for each in record.files}
    for uri in record.thumbnails:
        if uri not in known:
            file(root, File(uri=uri, type="thumbnail"))
    media_types = {each.media_type for each in record.files}
    for media_type in record.formats:
        if media_type not in media_types:
            file(root, File(media_type=media_type))


def fundings(root: etree._Element, record: BibliographicRecord) -> None:
    for each in record.fundings:
        funding(root, each)


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
