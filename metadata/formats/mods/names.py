"""Persons and bodies of a MODS record: headings with their readings, sorted into creators and contributors."""

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.mods.readers import (
    HREF,
    Form,
    Forms,
    children_named,
    clean_text,
    first_text,
    group_forms,
    without_isbd_marks,
)
from metadata.record import MEETING, ORGANIZATIONAL, Agent, Identifier, Title
from metadata.vocabularies.namespaces import XML_LANG

# Relators (codes of the MARC list, and terms) of creators; other roles are those of contributors.
_CREATORS = frozenset("aut author cre creator cmp composer art artist 著 著者 作 作者".split())
_KINDS = {"corporate": ORGANIZATIONAL, "conference": MEETING}
_URI_ATTRIBUTES = ("valueURI", HREF)


def heading_of_name(element: etree._Element) -> str:
    """Return the heading as NDL prints it: "沢辺, 均, 1956-"; for a body, followed by its departments."""
    parts: dict[str, list[str]] = {}
    for part in children_named(element, "namePart"):
        text = without_isbd_marks(clean_text(part))
        if text:
            parts.setdefault(part.get("type", ""), []).append(text)
    untyped = parts.get("", [])
    if element.get("type") in _KINDS:
        head = ". ".join(text.rstrip(".") for text in untyped)
        return ", ".join(filter(None, (head, *parts.get("date", []))))
    personal = untyped or [*parts.get("family", []), *parts.get("given", [])]
    heading = ", ".join([*personal, *parts.get("termsOfAddress", []), *parts.get("date", [])])
    return heading or without_isbd_marks(first_text(element, "displayForm"))


def settle_names(draft: Draft) -> None:
    forms: list[Form] = draft.fields.pop("name_forms", [])
    agents = [(_agent(group), group.main.element) for group in group_forms(forms)]
    primary = any(element.get("usage") == "primary" for _, element in agents)
    creators = [named for named in agents if _is_creator(named[1], has_primary=primary)]
    chosen = creators or agents
    for named in agents:
        draft.fields["creators" if named in chosen else "contributors"].append(named[0])
    for field in ("creators", "contributors"):
        draft.fields[field] = list(dict.fromkeys(draft.fields[field]))


def _is_creator(element: etree._Element, *, has_primary: bool) -> bool:
    roles = [
        clean_text(term) for group in children_named(element, "role") for term in children_named(group, "roleTerm")
    ]
    return element.get("usage") == "primary" or any(map(is_creator, roles)) or (not has_primary and not roles)


def is_creator(role: str) -> bool:
    """Whether a role (term or code) is that of a creator."""
    return role.lower().rstrip(".,") in _CREATORS


def _agent(forms: Forms) -> Agent:
    element = forms.main.element
    others = [Title(value=form.value, language=_language(form.element)) for form in forms.other]
    others += [
        Title(value=text, language=_language(alias))
        for alias in children_named(element, "alternativeName")
        if (text := heading_of_name(alias) or clean_text(alias))
    ]
    return Agent(
        name=forms.main.value,
        transcription=forms.reading.value if forms.reading else "",
        uri=next(filter(None, map(element.get, _URI_ATTRIBUTES)), ""),
        role=role(element),
        kind=_KINDS.get(element.get("type", ""), ""),
        other_names=tuple(others),
        identifiers=tuple(_identifiers(element)),
        affiliations=tuple(
            Agent(name=text) for body in children_named(element, "affiliation") if (text := clean_text(body))
        ),
    )


def role(element: etree._Element) -> str:
    """Return the term of the role if there is one, else its code."""
    terms = [term for group in children_named(element, "role") for term in children_named(group, "roleTerm")]
    terms.sort(key=lambda term: term.get("type", "text") != "text")
    return next(filter(None, (clean_text(term).rstrip(".,") for term in terms)), "")


def _language(element: etree._Element) -> str:
    return element.get(XML_LANG, "") or element.get("lang", "")


def _identifiers(element: etree._Element) -> list[Identifier]:
    typed = [(number.get("type", ""), clean_text(number)) for number in children_named(element, "nameIdentifier")]
    return [Identifier(scheme=scheme.upper(), value=text) for scheme, text in typed if text]
