"""Persons and bodies in DC-NDL(RDF), and identifiers with a kind: one node in, one value out.

The first foaf:name is the name; those in other languages follow it with xml:lang, and other names stand in
dcndl:creatorAlternative. Writing is in dcndl_write_agents.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metadata.record import Agent, Identifier, Title
from metadata.vocabularies.namespaces import FOAF, XML_LANG, expand
from metadata.xml.parsing import children, text

ABOUT, RESOURCE, DATATYPE = expand("rdf:about"), expand("rdf:resource"), expand("rdf:datatype")
LABEL, DESCRIPTION = expand("rdfs:label"), expand("dcterms:description")
VALUE, TRANSCRIPTION = expand("rdf:value"), expand("dcndl:transcription")
NAME, IDENTIFIER, CREATOR = expand("foaf:name"), expand("dcterms:identifier"), expand("dc:creator")
_TYPE, AFFILIATION, _SAME = expand("rdf:type"), expand("jpcoar:affiliation"), expand("owl:sameAs")
_ALTERNATIVE = expand("dcndl:creatorAlternative")
LIBRARY_CODE = "NDLLibCode"

_AGENT_PARTS = {NAME: "name", TRANSCRIPTION: "transcription", expand("dcndl:location"): "location", DESCRIPTION: "role"}
MORE_PARTS = "dcterms:identifier rdf:type jpcoar:affiliation owl:sameAs dcndl:creatorAlternative"
_KINDS = {f"{FOAF}Organization": "Organizational", f"{FOAF}Person": "Personal"}
# What a title is called by in its dcterms:description; any other word there is the kind itself.
TITLE_KINDS = {"並列タイトル": "parallel"}


@lru_cache(maxsize=1024)
def local(uri: str) -> str:
    """The last segment of a datatype URI: "http://ndl.go.jp/dcndl/terms/ISBN" → "ISBN"."""
    return unquote(uri.rpartition("/")[2].rpartition("#")[2].strip())


def agent(element: etree._Element) -> Agent | None:
    """foaf:Agent with its name; a literal is a name alone."""
    nodes = children(element)
    if not nodes:
        name = text(element)
        return Agent(name=name, language=element.get(XML_LANG, "")) if name else None
    found = agent_parts(nodes[0], element.get(XML_LANG, ""))
    return Agent(**found) if "name" in found else None


def agent_name(element: etree._Element) -> str:
    found = agent(element)
    return found.name if found else ""


def agent_parts(node: etree._Element, language: str = "") -> dict[str, Any]:
    """The fields of an Agent that a foaf:Agent node fills."""
    found: dict[str, Any] = {"uri": node.get(ABOUT, "")}
    others = []
    for child in children(node):
        part = _AGENT_PARTS.get(child.tag)
        value = text(child) if part else ""
        if part is None or (value and part in found):
            others.append(child)
        elif value:
            found[part] = value
            if part == "name":
                language = child.get(XML_LANG, "") or language
    if language:
        found["language"] = language
    for child in others:
        _MORE.get(child.tag, _again)(child, found)
    return found


def identifier_value(element: etree._Element) -> Identifier | None:
    """An identifier with its kind as datatype, or a node with its URI and its printed form."""
    nodes = children(element)
    if not nodes:
        value = text(element)
        return Identifier(scheme=local(element.get(DATATYPE, "")), value=value) if value else None
    node, scheme, value, printed = nodes[0], "", "", ""
    for child in children(node):
        if child.tag == VALUE:
            scheme, value = local(child.get(DATATYPE, "")), text(child)
        elif child.tag == LABEL:
            printed = text(child)
    uri = node.get(ABOUT, "")
    return Identifier(scheme=scheme, value=value, printed=printed, uri=uri) if value or uri else None


def title(element: etree._Element) -> Title | None:
    """Form 1, a node with its reading; form 2, a literal."""
    language = element.get(XML_LANG, "")
    nodes = children(element)
    if not nodes:
        value = text(element)
        return Title(value=value, language=language) if value else None
    inner = nodes[0]
    found = _title_parts(children(inner)) or _title_parts(nodes)
    return Title(language=language, **found) if "value" in found else None


def holder(element: etree._Element) -> dict[str, Any]:
    """The fields of an Item that its dcndl:holdingAgent fills."""
    if not len(element):
        return {"holding_agent": text(element)}
    found = agent_parts(element[0])
    codes = [each for each in found.get("identifiers", ()) if each.scheme in {"", LIBRARY_CODE}]
    values = {
        "holding_agent": found.get("name", ""),
        "holding_agent_transcription": found.get("transcription", ""),
        "library_code": codes[0].value if codes else "",
        "holding_agent_names": found.get("other_names", ()),
        "holding_agent_identifiers": tuple(each for each in found.get("identifiers", ()) if each not in codes[:1]),
    }
    return {name: value for name, value in values.items() if value}


def _title_parts(nodes: Iterable[etree._Element]) -> dict[str, str]:
    found: dict[str, str] = {}
    for child in nodes:
        part = _TITLE_PARTS.get(child.tag)
        value = text(child) if part else ""
        if value and part == "kind":
            found[part] = TITLE_KINDS.get(value, value)
        elif value and part and part not in found:
            found[part] = value
    return found


_TITLE_PARTS = {
    VALUE: "value",
    expand("dcterms:title"): "value",
    TRANSCRIPTION: "transcription",
    CREATOR: "responsibility",  # of a part (v3 draft)
    DESCRIPTION: "kind",
    expand("dcndl:description"): "kind",  # of a part, as the terms list has it
}


def _other_name(child: etree._Element, found: dict[str, Any]) -> None:
    _append(found, "other_names", Title(value=text(child), language=child.get(XML_LANG, "")))


def _alternative(child: etree._Element, found: dict[str, Any]) -> None:
    name = alternative_name(child)
    if name:
        _append(found, "other_names", name)


def alternative_name(element: etree._Element) -> Title | None:
    """dcndl:creatorAlternative: another name than the main one."""
    name = title(element)
    if name is None:
        return None
    return Title(value=name.value, transcription=name.transcription, language=name.language, kind="alternative")


def _same(child: etree._Element, found: dict[str, Any]) -> None:
    """The same body under a name that has its own reading."""
    other = agent(child)
    if other:
        _append(
            found, "other_names", Title(value=other.name, transcription=other.transcription, language=other.language)
        )


def _identifier(child: etree._Element, found: dict[str, Any]) -> None:
    value = identifier_value(child)
    if value:
        _append(found, "identifiers", value)


def _affiliation(child: etree._Element, found: dict[str, Any]) -> None:
    value = agent(child)
    if value:
        _append(found, "affiliations", value)


def _kind(child: etree._Element, found: dict[str, Any]) -> None:
    uri = child.get(RESOURCE, "")
    found["kind"] = _KINDS.get(uri) or text(child)


def _again(child: etree._Element, found: dict[str, Any]) -> None:
    """A reading, place or role that is given twice is kept with the first; an unknown element is listed elsewhere."""
    part = _AGENT_PARTS.get(child.tag)
    if part:
        found[part] = f"{found[part]} ; {text(child)}"


def _append(found: dict[str, Any], name: str, value: object) -> None:
    found[name] = (*found.get(name, ()), value)


_MORE = {
    NAME: _other_name,
    _ALTERNATIVE: _alternative,
    _SAME: _same,
    IDENTIFIER: _identifier,
    AFFILIATION: _affiliation,
    _TYPE: _kind,
}
