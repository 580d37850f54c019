"""Writes the items of a record as DC-NDL(RDF): the copies of libraries, and digital objects."""

from collections.abc import Iterator
from functools import lru_cache

from metadata.formats.common.codes import number_text
from metadata.formats.dcndl.agents import LIBRARY_CODE
from metadata.formats.dcndl.readers import LOCATION_LABEL
from metadata.formats.dcndl.write_nodes import about, agent, identifier_node, in_scheme, link, literal_title, typed_as
from metadata.record import BibliographicRecord, Identifier, Item, Title
from metadata.vocabularies.dcndl import datatype
from metadata.xml.writing import NOTHING, Xml, leaf, node


def part_uri(uri: str, name: str) -> str:
    """Return the URI of a part of the description: with a fragment, of which a URI can have only one."""
    return f"{uri}{'-' if '#' in uri else '#'}{name}"


def write_items(record: BibliographicRecord, uri: str, subject: Xml) -> Iterator[Xml]:
    """Yield the items after a second node with the same subject that lists them (guideline figure 2-1).

    uri: of the record. subject: rdf:about of the resource.
    """
    if not record.items:
        return
    uris = [
        item.uri or part_uri(uri, f"item{number if number > 1 else ''}") for number, item in enumerate(record.items, 1)
    ]
    yield node("dcndl:BibResource", [link("dcndl:record", own) for own in uris], subject)
    for own, item in zip(uris, record.items, strict=True):
        yield node("dcndl:Item", _item(item), about(own))


def _item(item: Item) -> list[Xml]:
    parts = [
        _holder(
            item.holding_agent,
            item.holding_agent_transcription,
            item.library_code,
            item.holding_agent_names,
            item.holding_agent_identifiers,
        )
    ]
    parts += [link("rdfs:seeAlso", uri) for uri in item.see_also]
    for identifier in item.identifiers:
        parts.append(leaf("dcterms:identifier", number_text(identifier), in_scheme(identifier.scheme)))
    parts += [agent("dcterms:publisher", publisher) for publisher in item.publishers]
    parts += [leaf(name, value) for name, value in _item_texts(item) if value]
    return parts


@lru_cache(maxsize=1024)  # libraries hold many books
def _holder(name: str, reading: str, code: str, names: tuple[Title, ...], identifiers: tuple[Identifier, ...]) -> Xml:
    if not (name or code or identifiers):
        return NOTHING
    body = [leaf("foaf:name", name)] if name else []
    if reading:
        body.append(leaf("dcndl:transcription", reading))
    if code:
        body.append(leaf("dcterms:identifier", code, typed_as(datatype(LIBRARY_CODE))))
    body += (literal_title("foaf:name", other) for other in names)
    body += map(identifier_node, identifiers)
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
