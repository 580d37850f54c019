"""Nodes of a JSON-LD description: agents, identifiers, hosts and series, subjects, copies. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metadata.citations.facts import Citation, hyphenated_issn, one_line, split_series
from metadata.citations.names import BODY, PERSON, Name
from metadata.formats.jpcoar.names import NAME_SCHEMES
from metadata.links import safe_href
from metadata.record import Agent, BibliographicRecord, Host, Identifier, Item, Subject
from metadata.text.numbering import bare_number
from metadata.vocabularies.dcndl import ID_URIS, class_uri

Node = dict[str, Any]

_TYPES = {PERSON: "Person", BODY: "Organization"}
_NCID = "https://ci.nii.ac.jp/ncid/"
_PAGES = {
    "DOI": "https://doi.org/",
    "NIIBibID": _NCID,
    "NCID": _NCID,
    "JPNO": ID_URIS["JPNO"],
    "NDLBibID": ID_URIS["NDLBibID"],
}
_COPIES = 50  # at most so many are listed, even of a title that every library has


def without_empty(node: Mapping[str, Any]) -> Node:
    """Return the node without empty values. A list of one becomes its value."""
    single = {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in node.items()}
    return {key: value for key, value in single.items() if key and value not in (None, "", [], {})}


def agent(name: Name) -> Node:
    """Return a person or body with readings and other forms, without a type if the record does not show which it is."""
    source = name.agent
    others = [one_line(other.value) for other in source.other_names]
    reading = one_line(source.transcription)
    return without_empty(
        {
            "@type": _TYPES.get(name.kind, ""),
            "name": name.natural,
            "familyName": name.family,
            "givenName": name.given,
            "honorificSuffix": name.suffix,
            "alternateName": list(dict.fromkeys(form for form in (reading, *others) if form)),
            "sameAs": _authorities(source),
            "affiliation" if name.kind == PERSON else "": [
                body(affiliation) for affiliation in source.affiliations if affiliation.name
            ],
        }
    )


def body(source: Agent) -> Node:
    """Return the node of a publisher, school or employer."""
    place = one_line(source.location).strip("[]［］")
    return without_empty(
        {
            "@type": "Organization",
            "name": one_line(source.name),
            "alternateName": one_line(source.transcription),
            "location": {"@type": "Place", "name": place} if place else None,
            "sameAs": _authorities(source),
        }
    )


def _authorities(source: Agent) -> list[str]:
    """Return the URIs of authority records, without repetition."""
    numbers = map(_agent_page, source.identifiers)
    return list(dict.fromkeys(filter(None, map(safe_href, (source.uri, *numbers)))))


def _agent_page(number: Identifier) -> str:
    known = NAME_SCHEMES.get(number.scheme)
    return number.uri or (known.uri.format(number.value) if known and re.fullmatch(known.form, number.value) else "")


def identifiers(record: BibliographicRecord, cited: Citation) -> list[Node]:
    """Return every number with its scheme, also an ISBN or ISSN, which have properties of their own besides."""
    own = [_property(identifier) for identifier in record.identifiers if identifier.scheme]
    thesis = [{"@type": "PropertyValue", "propertyID": "dissertation number", "value": cited.number}]
    return own + (thesis if cited.number else [])


def _property(number: Identifier) -> Node:
    page = _PAGES[number.scheme] + number.value if number.scheme in _PAGES else number.uri
    return without_empty(
        {"@type": "PropertyValue", "propertyID": number.scheme, "value": number.value, "url": safe_href(page)}
    )


def same_as(record: BibliographicRecord, cited: Citation) -> Iterator[str]:
    """Yield the pages about this very book: those of its identifiers and of its providers."""
    numbers = (
        _PAGES[identifier.scheme] + identifier.value for identifier in record.identifiers if identifier.scheme in _PAGES
    )
    yield from dict.fromkeys(filter(None, map(safe_href, (*numbers, *record.see_also, record.uri))))


def series(record: BibliographicRecord) -> list[Node]:
    """Return the publication that contains an article, and the series of a book."""
    nodes = [_host(record.host)] if record.host.title else []
    for title in record.series:
        name, number = split_series(title.value)
        node: Node = {"@type": "BookSeries", "name": name}
        volume = {"@type": "PublicationVolume", "volumeNumber": number, "isPartOf": node}
        nodes.append(volume if number else node)
    return nodes


def _host(host: Host) -> Node:
    """Return issue in volume in periodical, as far as there are numbers; a book if there is an ISBN and no ISSN."""
    books = [number.value for number in host.identifiers if number.scheme == "ISBN"]
    if books and not host.issn:
        return without_empty(
            {
                "@type": "Book",
                "name": one_line(host.title),
                "isbn": books,
                "position": bare_number(one_line(host.volume)),
            }
        )
    issn = [hyphenated_issn(value) for value in host.issn]
    others = [one_line(title.value) for title in host.titles if title.value != host.title]
    node = without_empty({"@type": "Periodical", "name": one_line(host.title), "alternateName": others, "issn": issn})
    if host.volume:
        node = {"@type": "PublicationVolume", "volumeNumber": bare_number(one_line(host.volume)), "isPartOf": node}
    number = bare_number(one_line(host.number or host.issue))
    return {"@type": "PublicationIssue", "issueNumber": number, "isPartOf": node} if number else node


def related_resources(record: BibliographicRecord, kind: str) -> list[Node]:
    """Return the resources with this kind of relation. The parts of a record count as its hasPart."""
    resources = [
        without_empty({"@type": "CreativeWork", "name": one_line(relation.label), "url": safe_href(relation.uri)})
        for relation in record.relations
        if relation.type == kind and (relation.label or safe_href(relation.uri))
    ]
    parts = record.parts if kind == "hasPart" else ()
    return resources + [{"@type": "CreativeWork", "name": one_line(part.value)} for part in parts if part.value]


def subjects(record: BibliographicRecord) -> list[Node]:
    """Return headings and classes as terms of their schemes."""
    return [_subject(subject) for subject in record.subjects if subject.value]


def _subject(subject: Subject) -> Node:
    return without_empty(
        {
            "@type": "DefinedTerm",
            "@id": safe_href(subject.uri or class_uri(subject.scheme, subject.value)),
            "name": one_line(subject.value),
            "inDefinedTermSet": subject.scheme,
        }
    )


def offers(record: BibliographicRecord) -> list[Node]:
    """Return the copies (items) that belong to a library with a name."""
    return [_offer(item) for item in record.items if item.holding_agent][:_COPIES]


def _offer(item: Item) -> Node:
    library = {"@type": "Library", "name": one_line(item.holding_agent), "identifier": item.library_code}
    return without_empty(
        {
            "@type": "Offer",
            "businessFunction": "http://purl.org/goodrelations/v1#LeaseOut",
            "offeredBy": without_empty(library),
            "sku": one_line(item.call_number),
            "url": next(filter(None, map(safe_href, item.see_also)), ""),
        }
    )
