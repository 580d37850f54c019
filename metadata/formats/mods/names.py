"""Persons and bodies of a MODS record: headings with their readings, who is a creator and who a contributor."""

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.mods.readers import HREF, Form, Forms, bare, by_group, first, inside, words
from metadata.record import Agent, Identifier, Title
from metadata.vocabularies.namespaces import XML_LANG

# Relators (MARC code list and terms) that make somebody a creator.
_CREATORS = frozenset("aut author cre creator cmp composer art artist 著 著者 作 作者".split())
_ORGANISATIONS = frozenset({"corporate", "conference"})
_URI_ATTRIBUTES = ("valueURI", HREF)


def name(element: etree._Element) -> str:
    """The heading as NDL prints it: "沢辺, 均, 1956-"; of a body, its departments behind it."""
    parts: dict[str, list[str]] = {}
    for part in inside(element, "namePart"):
        text = bare(words(part))
        if text:
            parts.setdefault(part.get("type", ""), []).append(text)
    plain = parts.get("", [])
    if element.get("type") in _ORGANISATIONS:
        head = ". ".join(text.rstrip(".") for text in plain)
        return ", ".join(filter(None, (head, *parts.get("date", []))))
    own = plain or [*parts.get("family", []), *parts.get("given", [])]
    found = ", ".join([*own, *parts.get("termsOfAddress", []), *parts.get("date", [])])
    return found or bare(first(element, "displayForm"))


def settle_names(forms: list[Form], draft: Draft) -> None:
    """Who is marked as primary or has a creator's role is a creator; all are where nobody is."""
    agents = [(_agent(each), each.main.element) for each in by_group(forms)]
    primary = any(element.get("usage") == "primary" for _found, element in agents)
    creators = [each for each in agents if _is_creator(each[1], alone=not primary)]
    chosen = creators or agents
    for each in agents:
        draft.fields["creators" if each in chosen else "contributors"].append(each[0])
    for field in ("creators", "contributors"):
        draft.fields[field] = list(dict.fromkeys(draft.fields[field]))


def _is_creator(element: etree._Element, *, alone: bool) -> bool:
    roles = [words(term) for each in inside(element, "role") for term in inside(each, "roleTerm")]
    return element.get("usage") == "primary" or any(map(is_creator, roles)) or (alone and not roles)


def is_creator(role_: str) -> bool:
    """Whether it is a role (term or code) that makes somebody a creator."""
    return role_.lower().rstrip(".,") in _CREATORS


def _agent(forms: Forms) -> Agent:
    element = forms.main.element
    others = [Title(value=each.value, language=_language(each.element)) for each in forms.other]
    others += [
        Title(value=text, language=_language(alias))
        for alias in inside(element, "alternativeName")
        if (text := name(alias) or words(alias))
    ]
    return Agent(
        name=forms.main.value,
        transcription=forms.reading.value if forms.reading else "",
        uri=next(filter(None, map(element.get, _URI_ATTRIBUTES)), ""),
        role=role(element),
        kind="Organizational" if element.get("type") in _ORGANISATIONS else "",
        other_names=tuple(others),
        identifiers=tuple(_identifiers(element)),
        affiliations=tuple(Agent(name=text) for each in inside(element, "affiliation") if (text := words(each))),
    )


def role(element: etree._Element) -> str:
    """The term where there is one, else the code."""
    terms = [term for each in inside(element, "role") for term in inside(each, "roleTerm")]
    terms.sort(key=lambda term: term.get("type", "text") != "text")
    return next(filter(None, (words(term).rstrip(".,") for term in terms)), "")


def _language(element: etree._Element) -> str:
    return element.get(XML_LANG, "") or element.get("lang", "")


def _identifiers(element: etree._Element) -> list[Identifier]:
    found = [(each.get("type", ""), words(each)) for each in inside(element, "nameIdentifier")]
    return [Identifier(scheme=scheme.upper(), value=text) for scheme, text in found if text]
