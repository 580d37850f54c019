"""Readers of DC-NDL(RDF) for persons, bodies, titles and typed identifiers: one node in, one value out.

The first foaf:name is the name of an agent. Further foaf:name elements with xml:lang are its names in other
languages; other names are in dcndl:creatorAlternative. Writing is in `write_nodes`.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metadata.record import ORGANIZATIONAL, PERSONAL, Agent, Identifier, Title
from metadata.vocabularies.namespaces import FOAF, XML_LANG, expand
from metadata.xml.parsing import children, text

ABOUT, RESOURCE, DATATYPE = expand("rdf:about"), expand("rdf:resource"), expand("rdf:datatype")
LABEL, DESCRIPTION = expand("rdfs:label"), expand("dcterms:description")
VALUE, TRANSCRIPTION = expand("rdf:value"), expand("dcndl:transcription")
NAME, IDENTIFIER, CREATOR = expand("foaf:name"), expand("dcterms:identifier"), expand("dc:creator")
_TYPE, AFFILIATION, _SAME_AS = expand("rdf:type"), expand("jpcoar:affiliation"), expand("owl:sameAs")
_CREATOR_ALTERNATIVE = expand("dcndl:creatorAlternative")
LIBRARY_CODE = "NDLLibCode"

_AGENT_PARTS = {NAME: "name", TRANSCRIPTION: "transcription", expand("dcndl:location"): "location", DESCRIPTION: "role"}
MORE_PARTS = "dcterms:identifier rdf:type jpcoar:affiliation owl:sameAs dcndl:creatorAlternative"
KINDS = {f"{FOAF}Organization": ORGANIZATIONAL, f"{FOAF}Person": PERSONAL}
# dcterms:description of a title → its kind. Any other word in that element is the kind itself.
TITLE_KINDS = {"並列タイトル": "parallel"}


@lru_cache(maxsize=1024)
def local_name(uri: str) -> str:
    """Return the last segment of a datatype URI: "http://ndl.go.jp/dcndl/terms/ISBN" → "ISBN"."""
    return unquote(uri.rpartition("/")[2].rpartition("#")[2].strip())


def agent(element: etree._Element) -> Agent | None:
    """Read a foaf:Agent with its name. A literal is an agent with a name only."""
    nodes = children(element)
    if not nodes:
        name = text(element)
        return Agent(name=name, language=element.get(XML_LANG, "")) if name else None
    fields = agent_parts(nodes[0], element.get(XML_LANG, ""))
    return Agent(**fields) if "name" in fields else None


def agent_name(element: etree._Element) -> str:
    value = agent(element)
    return value.name if value else ""


def agent_parts(node: etree._Element, language: str = "") -> dict[str, Any]:
    """Return the fields of an Agent that a foaf:Agent node fills."""
    fields: dict[str, Any] = {"uri": node.get(ABOUT, "")}
    further = []
    for child in children(node):
        field = _AGENT_PARTS.get(child.tag)
        value = text(child) if field else ""
        if field is None or (value and field in fields):
            further.append(child)
        elif value:
            fields[field] = value
            if field == "name":
                language = child.get(XML_LANG, "") or language
    if language:
        fields["language"] = language
    for child in further:
        _FURTHER_READERS.get(child.tag, _join_repeated)(child, fields)
    return fields


def identifier_value(element: etree._Element) -> Identifier | None:
    """Read an identifier: a literal with its scheme as datatype, or a node with a URI and a printed form."""
    nodes = children(element)
    if not nodes:
        value = text(element)
        return Identifier(scheme=local_name(element.get(DATATYPE, "")), value=value) if value else None
    node, scheme, value, printed = nodes[0], "", "", ""
    for child in children(node):
        if child.tag == VALUE:
            scheme, value = local_name(child.get(DATATYPE, "")), text(child)
        elif child.tag == LABEL:
            printed = text(child)
    uri = node.get(ABOUT, "")
    return Identifier(scheme=scheme, value=value, printed=printed, uri=uri) if value or uri else None


def title(element: etree._Element) -> Title | None:
    """Read a title in both forms of the guideline: form 1, a node with its reading; form 2, a literal."""
    language = element.get(XML_LANG, "")
    nodes = children(element)
    if not nodes:
        value = text(element)
        return Title(value=value, language=language) if value else None
    inner = nodes[0]
    fields = _title_parts(children(inner)) or _title_parts(nodes)
    return Title(language=language, **fields) if "value" in fields else None


def holding_agent(element: etree._Element) -> dict[str, Any]:
    """Return the fields of an Item that its dcndl:holdingAgent fills."""
    if not len(element):
        return {"holding_agent": text(element)}
    fields = agent_parts(element[0])
    identifiers = fields.get("identifiers", ())
    codes = [identifier for identifier in identifiers if identifier.scheme in {"", LIBRARY_CODE}]
    values = {
        "holding_agent": fields.get("name", ""),
        "holding_agent_transcription": fields.get("transcription", ""),
        "library_code": codes[0].value if codes else "",
        "holding_agent_names": fields.get("other_names", ()),
        "holding_agent_identifiers": tuple(number for number in identifiers if number not in codes[:1]),
    }
    return {name: value for name, value in values.items() if value}


def _title_parts(nodes: Iterable[etree._Element]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for child in nodes:
        field = _TITLE_PARTS.get(child.tag)
        value = text(child) if field else ""
        if value and field == "kind":
            fields[field] = TITLE_KINDS.get(value, value)
        elif value and field and field not in fields:
            fields[field] = value
    return fields


_TITLE_PARTS = {
    VALUE: "value",
    expand("dcterms:title"): "value",
    TRANSCRIPTION: "transcription",
    CREATOR: "responsibility",  # of the title of a part (draft of DC-NDL version 3)
    DESCRIPTION: "kind",
    expand("dcndl:description"): "kind",  # of the title of a part, as NDL Metadata Terms spell the element
}


def _other_name(child: etree._Element, fields: dict[str, Any]) -> None:
    _append(fields, "other_names", Title(value=text(child), language=child.get(XML_LANG, "")))


def _alternative(child: etree._Element, fields: dict[str, Any]) -> None:
    name = alternative_name(child)
    if name:
        _append(fields, "other_names", name)


def alternative_name(element: etree._Element) -> Title | None:
    """Read dcndl:creatorAlternative: another name than the main one."""
    name = title(element)
    if name is None:
        return None
    return Title(value=name.value, transcription=name.transcription, language=name.language, kind="alternative")


def _same_body(child: etree._Element, fields: dict[str, Any]) -> None:
    """Read owl:sameAs: the same body under a name with a reading of its own."""
    other = agent(child)
    if other:
        _append(
            fields, "other_names", Title(value=other.name, transcription=other.transcription, language=other.language)
        )


def _identifier(child: etree._Element, fields: dict[str, Any]) -> None:
    value = identifier_value(child)
    if value:
        _append(fields, "identifiers", value)


def _affiliation(child: etree._Element, fields: dict[str, Any]) -> None:
    value = agent(child)
    if value:
        _append(fields, "affiliations", value)


def _kind(child: etree._Element, fields: dict[str, Any]) -> None:
    uri = child.get(RESOURCE, "")
    fields["kind"] = KINDS.get(uri) or text(child)


def _join_repeated(child: etree._Element, fields: dict[str, Any]) -> None:
    """Join a repeated reading, place or role to the first. Unknown elements are reported as unmapped elsewhere."""
    field = _AGENT_PARTS.get(child.tag)
    if field:
        fields[field] = f"{fields[field]} ; {text(child)}"


def _append(fields: dict[str, Any], field: str, value: object) -> None:
    fields[field] = (*fields.get(field, ()), value)


_FURTHER_READERS = {
    NAME: _other_name,
    _CREATOR_ALTERNATIVE: _alternative,
    _SAME_AS: _same_body,
    IDENTIFIER: _identifier,
    AFFILIATION: _affiliation,
    _TYPE: _kind,
}
