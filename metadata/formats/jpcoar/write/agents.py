"""Writes creators, contributors, rights and publishers as JPCOAR."""

import re

import msgspec

from metadata.formats.jpcoar.settle import group_by_publisher
from metadata.formats.jpcoar.terms import ACCESS_RIGHTS, CONTRIBUTOR_TYPES
from metadata.formats.jpcoar.write.languages import guess_language
from metadata.formats.jpcoar.write.parts import ALPHA_3, add, agent, names_in_languages
from metadata.record import Agent, BibliographicRecord, License
from metadata.xml.writing import Element

# JPCOAR's contributorType ← relators of MARC, and roles in Japanese and Finnish catalogues.
_ROLES = {
    "Editor": frozenset("edt edc editor toimittaja 編 編集 編者 編著 共編 編纂 監修 責任編集 編集代表".split()),
    "Translator": frozenset("trl translator kääntäjä 訳 共訳 翻訳 訳者 監訳 抄訳 訳注 訳註 編訳".split()),
    "Supervisor": frozenset("ths dgs supervisor".split()),
    "Sponsor": frozenset("spn fnd sponsor".split()),
    "Distributor": frozenset("dst distributor 頒布 発売".split()),
}
_ACCESS = re.compile(r"(open|embargoed|restricted|closed|metadata ?only) ?access\Z", re.IGNORECASE)


def agents(root: Element, record: BibliographicRecord) -> None:
    for creator in record.creators:
        agent(root, "creator", creator, "creatorType")
    for contributor in record.contributors:
        typed = msgspec.structs.replace(contributor, role=_contributor_type(contributor.role))
        agent(root, "contributor", typed, "contributorType")


def _contributor_type(role: str) -> str:
    """Return the role as a term of the vocabulary if it is known, else "Other"; "" if there is no role."""
    if not role or role in CONTRIBUTOR_TYPES:
        return role
    folded = role.lower().strip(" .[]")
    return next((term for term, words in _ROLES.items() if folded in words), "Other")


def rights(root: Element, record: BibliographicRecord) -> None:
    access = [(text, _access_term(text)) for text in record.access_rights]
    term = next((term for _, term in access if term), "")
    add(root, "dcterms:accessRights", term, resource=ACCESS_RIGHTS.get(term, ""))
    licenses = list(record.licenses)
    for text in (*record.rights, *(text for text, known in access if not known)):
        license = next((statement for statement in licenses if text in {statement.label, statement.uri}), None)
        if license:
            licenses.remove(license)
            _license(root, license)
        else:
            add(root, "dc:rights", text, guess_language(text, record))
    for license in licenses:
        _license(root, license)
    known_agents = {holder.name: holder for holder in record.rights_agents}
    for name in record.rights_holders:
        agent(root, "rightsHolder", known_agents.get(name) or Agent(name=name))


def _license(root: Element, license: License) -> None:
    add(root, "dc:rights", license.label, license.language, resource=license.uri, even_empty=True)


def _access_term(text: str) -> str:
    """Return the COAR term for a term of another vocabulary (info:eu-repo/semantics/openAccess); "" if unknown."""
    match = _ACCESS.search(text.rpartition("/")[2])
    if not match:
        return ""
    word = match[1].lower().replace(" ", "")
    return {"closed": "restricted access", "metadataonly": "metadata only access"}.get(word, f"{word} access")


def publishers(root: Element, record: BibliographicRecord) -> None:
    """Write dc:publisher if it can hold everything, else jpcoar:publisher; its first element holds the countries."""
    known = [_with_languages(publisher, record) for publisher in record.publishers]
    names = [
        Agent(name=form.value, language=form.language) for publisher in known for form in names_in_languages(publisher)
    ]
    if not record.publication_places and group_by_publisher(names) == known:
        for name in names:
            add(root, "dc:publisher", name.name, name.language)
        return
    countries = [ALPHA_3.get(code, code) for code in record.publication_places]
    for publisher in known or (Agent(name=""),):
        block = root.add("jpcoar:publisher")
        for form in names_in_languages(publisher):
            add(block, "jpcoar:publisherName", form.value, form.language)
        add(block, "jpcoar:publisherDescription", publisher.role, guess_language(publisher.role, record))
        add(block, "dcndl:location", publisher.location, guess_language(publisher.location, record))
        for country in countries:
            add(block, "dcndl:publicationPlace", country)
        countries = []


def _with_languages(publisher: Agent, record: BibliographicRecord) -> Agent:
    """Return the publisher with the language of its name, as far as the script shows it."""
    language = publisher.language or ("ja" if publisher.transcription else guess_language(publisher.name, record))
    return msgspec.structs.replace(publisher, language=language)
