"""Persons, bodies and what they may forbid, as JPCOAR: creators, contributors, rights, publishers."""

import re

import msgspec
from lxml import etree

from metadata.formats.jpcoar.settle import one_a_name
from metadata.formats.jpcoar.terms import ACCESS_RIGHTS, CONTRIBUTOR_TYPES
from metadata.formats.jpcoar.write.languages import guess
from metadata.formats.jpcoar.write.parts import add, agent, forms
from metadata.record import Agent, BibliographicRecord, License
from metadata.vocabularies.countries import ALPHA_2
from metadata.vocabularies.namespaces import expand

# Relators of MARC and what Japanese catalogues print → JPCOAR's contributorType.
_ROLES = {
    "Editor": frozenset("edt edc editor toimittaja 編 編集 編者 編著 共編 編纂 監修 責任編集 編集代表".split()),
    "Translator": frozenset("trl translator kääntäjä 訳 共訳 翻訳 訳者 監訳 抄訳 訳注 訳註 編訳".split()),
    "Supervisor": frozenset("ths dgs supervisor".split()),
    "Sponsor": frozenset("spn fnd sponsor".split()),
    "Distributor": frozenset("dst distributor 頒布 発売".split()),
}
_ALPHA_3 = {two: three for three, two in ALPHA_2.items()}
_ACCESS = re.compile(r"(open|embargoed|restricted|closed|metadata ?only) ?access\Z", re.IGNORECASE)


def agents(root: etree._Element, record: BibliographicRecord) -> None:
    for each in record.creators:
        agent(root, "creator", each, "creatorType")
    for each in record.contributors:
        agent(root, "contributor", msgspec.structs.replace(each, role=_contributor_type(each.role)), "contributorType")


def _contributor_type(role: str) -> str:
    """The term of the vocabulary; what other formats call it, where it is known; "Other" for every other role."""
    if not role or role in CONTRIBUTOR_TYPES:
        return role
    folded = role.lower().strip(" .[]")
    return next((term for term, words in _ROLES.items() if folded in words), "Other")


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
