"""Writes the persons and bodies of a record as MODS name. Reading is in `metadata.formats.mods.names`."""

from metadata.formats.mods.names import is_creator
from metadata.formats.mods.write.parts import add
from metadata.record import MEETING, ORGANIZATIONAL, PERSONAL, Agent, BibliographicRecord
from metadata.xml.writing import Element

_NAME_TYPES = {ORGANIZATIONAL: "corporate", PERSONAL: "personal", MEETING: "conference"}


def names(root: Element, record: BibliographicRecord) -> None:
    """Add a name for each creator and contributor."""
    for agent in record.creators:
        _name(root, agent, (agent.role, "" if not agent.role or is_creator(agent.role) else "creator"))
    for agent in record.contributors:
        _name(root, agent, (agent.role or "contributor", ""))


def _name(root: Element, agent: Agent, roles: tuple[str, str]) -> None:
    """Write a name and, if it has a reading, the reading as a second name of the same group.

    roles: the printed role, or "contributor" for a contributor without one; and "creator" for a creator whose printed
    role does not say so. Empty ones are left out.
    """
    kind = _NAME_TYPES.get(agent.kind, "")
    group = str(len(root.children)) if agent.transcription else ""
    for text, script in ((agent.name, ""), (agent.transcription, "Kana")):
        if text:
            element = add(root, "name", type=kind, altRepGroup=group, script=script, valueURI=agent.uri)
            add(element, "namePart", text)
            for role in filter(None, roles):
                add(add(element, "role"), "roleTerm", role, type="text")
            if not script:
                _agent_details(element, agent)


def _agent_details(element: Element, agent: Agent) -> None:
    """Write affiliations, identifiers and other names; the name element with the reading does not repeat them."""
    for body in agent.affiliations:
        add(element, "affiliation", body.name)
    for number in agent.identifiers:
        add(element, "nameIdentifier", number.value, type=number.scheme.lower())
    for other in agent.other_names:
        alias = add(element, "alternativeName")
        add(alias, "namePart", other.value)
        if other.language:
            alias.attributes["xml:lang"] = other.language
