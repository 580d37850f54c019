"""Writes creators, contributors, rights and publishers as JPCOAR."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from metadata.formats.common.uris import is_uri
from metadata.formats.jpcoar.names import identifier_uri, scheme_uri
from metadata.formats.jpcoar.settle import group_by_publisher
from metadata.formats.jpcoar.terms import ACCESS_RIGHTS, CONTRIBUTOR_TYPES
from metadata.formats.jpcoar.write.languages import Form, forms_of, guess_language
from metadata.formats.jpcoar.write.parts import ALPHA_3
from metadata.formats.jpcoar.write.sheet import Sheet, tag, uri
from metadata.record import ORGANIZATIONAL, PERSONAL, Agent, BibliographicRecord, Identifier, License
from metadata.xml.parsing import has_text, strip_illegal
from metadata.xml.writing import NOTHING, Xml, attribute, node

# JPCOAR's contributorType ← relators of MARC, and roles in Japanese and Finnish catalogues.
_ROLES = {
    "Editor": frozenset("edt edc editor toimittaja 編 編集 編者 編著 共編 編纂 監修 責任編集 編集代表".split()),
    "Translator": frozenset("trl translator kääntäjä 訳 共訳 翻訳 訳者 監訳 抄訳 訳注 訳註 編訳".split()),
    "Supervisor": frozenset("ths dgs supervisor".split()),
    "Sponsor": frozenset("spn fnd sponsor".split()),
    "Distributor": frozenset("dst distributor 頒布 発売".split()),
}
_ACCESS = re.compile(r"(open|embargoed|restricted|closed|metadata ?only) ?access\Z", re.IGNORECASE)
_WITH_DETAILS = frozenset({"creator", "contributor"})  # have types of names, variant names and affiliations
_NAME_TYPES = frozenset({ORGANIZATIONAL, PERSONAL})


def agents(sheet: Sheet) -> Iterator[Xml]:
    for creator in sheet.record.creators:
        yield agent(sheet, "creator", creator, sheet.attribute("creatorType", creator.role))
    for contributor in sheet.record.contributors:
        term = _contributor_type(contributor.role)
        own = sheet.version.attribute("jpcoar:contributor", "contributorType", term)
        yield agent(sheet, "contributor", contributor, own)


def _contributor_type(role: str) -> str:
    """Return the role as a term of the vocabulary if it is known, else "Other"; "" if there is no role."""
    if not role or role in CONTRIBUTOR_TYPES:
        return role
    folded = role.lower().strip(" .[]")
    return next((term for term, words in _ROLES.items() if folded in words), "Other")


def agent(sheet: Sheet, name: str, value: Agent, own: Xml = NOTHING) -> Xml:
    """Return a person or body with identifiers, names and affiliations; nothing if none of these can be written."""
    names = forms_of(value)
    if value.identifiers:
        names = [form for form in names if not _is_number(form[0], value.identifiers[0])]
    parts = [_name_identifier(sheet, number, names) for number in value.identifiers]
    if name in _WITH_DETAILS:
        parts.append(sheet.forms(f"jpcoar:{name}Name", names, _name_type(sheet, value)))
        others = [other for other in value.other_names if other.kind == "alternative"]
        parts += [sheet.words(f"jpcoar:{name}Alternative", other.value, other.language) for other in others]
        parts += [agent(sheet, "affiliation", body) for body in value.affiliations]
    else:
        parts.append(sheet.forms(f"jpcoar:{name}Name", names))
    return node(f"jpcoar:{name}", parts, own) if any(parts) else NOTHING


def _name_type(sheet: Sheet, value: Agent) -> Xml:
    if not value.kind:
        return NOTHING
    kind = ORGANIZATIONAL if value.is_body else value.kind
    return sheet.attribute("nameType", kind) if kind in _NAME_TYPES else NOTHING


def _is_number(name: str, first: Identifier) -> bool:
    """Whether the name is only the first identifier, which reading takes as the name if there is no other."""
    return name == f"{first.scheme} {first.value}".strip()


def _name_identifier(sheet: Sheet, number: Identifier, names: Sequence[Form]) -> Xml:
    address = identifier_uri(number)  # derived from a number that may be wrong
    return name_identifier(sheet, "jpcoar:nameIdentifier", number, uri(address) if is_uri(address) else "", names)


def name_identifier(sheet: Sheet, name: str, number: Identifier, address: str, names: Sequence[Form]) -> Xml:
    """Return an identifier of a person or body. address: its URI, or "". names: of the same person or body."""
    value = scheme_uri("ROR", number.value) if number.scheme == "ROR" else number.value
    if not has_text(value):
        return NOTHING
    owner = [text for text, _language in names]
    return sheet.typed_with(name, value, number.scheme, {"nameIdentifierURI": address}, owner)


def rights(sheet: Sheet) -> Iterator[Xml]:
    record = sheet.record
    if not (record.access_rights or record.rights or record.licenses or record.rights_holders):
        return
    access = [(text, _access_term(text)) for text in record.access_rights]
    if term := next((term for _, term in access if term), ""):
        yield sheet.plain("dcterms:accessRights", term, attribute("rdf:resource", ACCESS_RIGHTS[term]))
    licenses = list(record.licenses)
    for text in (*record.rights, *(text for text, known in access if not known)):
        license = next((statement for statement in licenses if text in {statement.label, statement.uri}), None)
        if license:
            licenses.remove(license)
            yield _license(sheet, license)
        else:
            yield sheet.words("dc:rights", text)
    for license in licenses:
        yield _license(sheet, license)
    known_agents = {holder.name: holder for holder in record.rights_agents}
    for name in record.rights_holders:
        yield agent(sheet, "rightsHolder", known_agents.get(name) or Agent(name=name))


def _license(sheet: Sheet, license: License) -> Xml:
    own = attribute("rdf:resource", uri(license.uri))
    return sheet.in_language("dc:rights", strip_illegal(license.label), license.language, own)


def _access_term(text: str) -> str:
    """Return the COAR term for a term of another vocabulary (info:eu-repo/semantics/openAccess); "" if unknown."""
    match = _ACCESS.search(text.rpartition("/")[2])
    if not match:
        return ""
    word = match[1].lower().replace(" ", "")
    return {"closed": "restricted access", "metadataonly": "metadata only access"}.get(word, f"{word} access")


def publishers(sheet: Sheet) -> Iterator[Xml]:
    """Write dc:publisher if it can hold everything, else jpcoar:publisher; its first element holds the countries."""
    record = sheet.record
    names = () if record.publication_places else _only_names(record)
    if names:
        for name, language in names:
            yield sheet.plain("dc:publisher", name, tag(language))
        return
    countries = record.publication_places
    for publisher in record.publishers or ((Agent(name=""),) if countries else ()):
        yield sheet.block("jpcoar:publisher", _publisher(sheet, publisher, countries))
        countries = ()


def _only_names(record: BibliographicRecord) -> list[Form]:
    """Return the names of all publishers if nothing more is known of them, and their languages tell them apart."""
    known = [_with_language(publisher, record) for publisher in record.publishers]
    names = [form for publisher in known for form in forms_of(publisher)]
    same = [Agent(name=name, language=language) for name, language in names]
    return names if group_by_publisher(same) == known else []


def _with_language(publisher: Agent, record: BibliographicRecord) -> Agent:
    """Return the publisher with the language of its name, as far as the script shows it."""
    language = publisher.language or ("ja" if publisher.transcription else guess_language(publisher.name, record))
    return msgspec.structs.replace(publisher, language=language)


def _publisher(sheet: Sheet, publisher: Agent, countries: Sequence[str]) -> Iterator[Xml]:
    for name, language in forms_of(publisher):
        yield sheet.words("jpcoar:publisherName", name, language)
    yield sheet.words("jpcoar:publisherDescription", publisher.role)
    yield sheet.words("dcndl:location", publisher.location)
    for code in countries:
        yield sheet.plain("dcndl:publicationPlace", ALPHA_3.get(code, code))
