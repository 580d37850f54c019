"""Writes the items of a record as DC-NDL(RDF): the copies of libraries, and digital objects."""

from collections.abc import Iterator

from metadata.formats.common.codes import number_text
from metadata.formats.dcndl.agents import LIBRARY_CODE
from metadata.formats.dcndl.readers import LOCATION_LABEL
from metadata.formats.dcndl.write_nodes import about, agent, identifier_node, in_scheme, link, literal_title, typed_as
from metadata.record import BibliographicRecord, Item
from metadata.vocabularies.dcndl import datatype
from metadata.xml.writing import NOTHING, Xml, leaf, node


def part_uri(uri: str, name: str) -> str:
    """Return the URI of a part of the description: with a fragment, of which a URI can have only one."""
    return f"{uri}{'-' if '#' in uri else '#'}{name}"


def write_items(record: BibliographicRecord, uri: str) -> Iterator[Xml]:
    """Yield the items after a second node with the same subject that lists them (guideline figure 2-1)."""
    if not record.items:
        return
    uris = [
        item.uri or part_uri(uri, f"item{number if number > 1 else ''}") for number, item in enumerate(record.items, 1)
    ]
    links = (link("dcndl:record", own) for own in uris)
    yield node("dcndl:BibResource", links, about(part_uri(uri, "material")))
    for own, item in zip(uris, record.items, strict=True):
        yield node("dcndl:Item", _item(item), about(own))


def _item(item: Item) -> Iterator[Xml]:
    yield _holder(item)
    for uri in item.see_also:
        yield link("rdfs:seeAlso", uri)
    for identifier in item.identifiers:
        yield leaf("dcterms:identifier", number_text(identifier), in_scheme(identifier.scheme))
    for publisher in item.publishers:
        yield agent("dcterms:publisher", publisher)
    for name, value in _item_texts(item):
        if value:
            yield leaf(name, value)


def _holder(item: Item) -> Xml:
    if not (item.holding_agent or item.library_code or item.holding_agent_identifiers):
        return NOTHING
    body = [leaf("foaf:name", item.holding_agent)] if item.holding_agent else []
    if item.holding_agent_transcription:
        body.append(leaf("dcndl:transcription", item.holding_agent_transcription))
    if item.library_code:
        body.append(leaf("dcterms:identifier", item.library_code, typed_as(datatype(LIBRARY_CODE))))
    body += (literal_title("foaf:name", other) for other in item.holding_agent_names)
    body += map(identifier_node, item.holding_agent_identifiers)
    return node("dcndl:holdingAgent", (node("foaf:Agent", body),))


def _item_texts(item: Item) -> Iterator[tuple[str, str]]:
    yield "dcndl:callNumber", item.call_number
    yield "dcndl:localCallNumber", item.local_call_number
    yield "dcndl:availability", item.availability
    yield "dcndl:holdingIssues", item.holding_issues
    yield "dcndl:absentIssues", item.absent_issues
    yield "dcterms:issued", item.issued
    for date in item.dates:
        yield "dcterms:date", date
    yield "dcterms:description", f"{LOCATION_LABEL} : {item.location}" if item.location else ""
    for note in item.notes:
        yield "dcterms:description", note
