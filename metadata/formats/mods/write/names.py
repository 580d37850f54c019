"""Persons and bodies as MODS: readings and other scripts in one group. Reading is in mods_names."""

from lxml import etree

from metadata.formats.mods.names import is_creator
from metadata.formats.mods.write.parts import add
from metadata.record import Agent, BibliographicRecord
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import legal


def names(root: etree._Element, record: BibliographicRecord) -> None:
    for each in record.creators:
        _name(root, each, (each.role, "" if not each.role or is_creator(each.role) else "creator"))
    for each in record.contributors:
        _name(root, each, (each.role or "contributor", ""))


def _name(root: etree._Element, agent: Agent, roles: tuple[str, str]) -> None:
    """roles: as printed, and the one that makes somebody a creator whose printed role does not."""
    kind = "corporate" if agent.kind else ""
    group = str(len(root)) if agent.transcription else ""
    for text, script in ((agent.name, ""), (agent.transcription, "Kana")):
        if text:
            element = add(root, "name", type=kind, altRepGroup=group, script=script, valueURI=agent.uri)
            add(element, "namePart", text)
            for role in filter(None, roles):
                add(add(element, "role"), "roleTerm", role, type="text")
            if not script:
                _about(element, agent)


def _about(element: etree._Element, agent: Agent) -> None:
    """What only the form in the publication's script has."""
    for body in agent.affiliations:
        add(element, "affiliation", body.name)
    for number in agent.identifiers:
        add(element, "nameIdentifier", number.value, type=number.scheme.lower())
    for other in agent.other_names:
        alias = add(element, "alternativeName")
        add(alias, "namePart", other.value)
        if other.language:
            alias.set(XML_LANG, legal(other.language))
