"""The nodes inside a JSON-LD description: agents, identifiers, hosts and series, subjects, copies. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metadata.citations.facts import Citation, hyphenated_issn, line, split_series
from metadata.citations.names import BODY, PERSON, Name
from metadata.formats.jpcoar.names import NAME_SCHEMES
from metadata.links import safe_href
from metadata.record import Agent, BibliographicRecord, Host, Identifier, Item, Subject
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
_COPIES = 50  # of a title that every library has, that many say enough


def filled(node: Mapping[str, Any]) -> Node:
    """Without what says nothing; a list of one is its value."""
    single = {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in node.items()}
    return {key: value for key, value in single.items() if key and value not in (None, "", [], {})}


def agent(name: Name) -> Node:
    """A person or body with readings and other forms; without a type where the record does not tell which it is."""
    source = name.agent
    others = [line(each.value) for each in source.other_names]
    reading = line(source.transcription)
    return filled(
        {
            "@type": _TYPES.get(name.kind, ""),
            "name": name.natural,
            "familyName": name.family,
            "givenName": name.given,
            "honorificSuffix": name.suffix,
            "alternateName": list(dict.fromkeys(each for each in (reading, *others) if each)),
            "sameAs": _authorities(source),
            "affiliation" if name.kind == PERSON else "": [body(each) for each in source.affiliations if each.name],
        }
    )


def body(source: Agent) -> Node:
    """A publisher, school or employer."""
    place = line(source.location).strip("[]［］")
    return filled(
        {
            "@type": "Organization",
            "name": line(source.name),
            "alternateName": line(source.transcription),
            "location": {"@type": "Place", "name": place} if place else None,
            "sameAs": _authorities(source),
        }
    )


def _authorities(source: Agent) -> list[str]:
    """Authority URIs, once each."""
    numbers = map(_agent_page, source.identifiers)
    return list(dict.fromkeys(filter(None, map(safe_href, (source.uri, *numbers)))))


def _agent_page(number: Identifier) -> str:
    known = NAME_SCHEMES.get(number.scheme)
    return number.uri or (known.uri.format(number.value) if known and re.fullmatch(known.form, number.value) else "")


def identifiers(record: BibliographicRecord, cited: Citation) -> list[Node]:
    """Every number with its scheme; an ISBN or ISSN that has its own property stands here as well."""
    own = [_property(each) for each in record.identifiers if each.scheme]
    thesis = [{"@type": "PropertyValue", "propertyID": "dissertation number", "value": cited.number}]
    return own + (thesis if cited.number else [])


def _property(number: Identifier) -> Node:
    page = _PAGES[number.scheme] + number.value if number.scheme in _PAGES else number.uri
    return filled(
        {"@type": "PropertyValue", "propertyID": number.scheme, "value": number.value, "url": safe_href(page)}
    )


def same_as(record: BibliographicRecord, cited: Citation) -> Iterator[str]:
    """Pages that stand for this very book: its identifiers' and its providers'."""
    numbers = (_PAGES[each.scheme] + each.value for each in record.identifiers if each.scheme in _PAGES)
    yield from dict.fromkeys(filter(None, map(safe_href, (*numbers, *record.see_also, record.uri))))


def series(record: BibliographicRecord) -> list[Node]:
    """What an article stands in, and the series of a book."""
    found = [_host(record.host)] if record.host.title else []
    for each in record.series:
        name, number = split_series(each.value)
        node: Node = {"@type": "BookSeries", "name": name}
        volume = {"@type": "PublicationVolume", "volumeNumber": number, "isPartOf": node}
        found.append(volume if number else node)
    return found


def _host(host: Host) -> Node:
    """Issue in volume in periodical, as far as the numbers go; a book for what has an ISBN and no ISSN."""
    books = [each.value for each in host.identifiers if each.scheme == "ISBN"]
    if books and not host.issn:
        return filled({"@type": "Book", "name": line(host.title), "isbn": books, "position": line(host.volume)})
    issn = [hyphenated_issn(each) for each in host.issn]
    others = [line(each.value) for each in host.titles if each.value != host.title]
    node = filled({"@type": "Periodical", "name": line(host.title), "alternateName": others, "issn": issn})
    if host.volume:
        node = {"@type": "PublicationVolume", "volumeNumber": line(host.volume), "isPartOf": node}
    number = line(host.number or host.issue)
    return {"@type": "PublicationIssue", "issueNumber": number, "isPartOf": node} if number else node


def relatives(record: BibliographicRecord, kind: str) -> list[Node]:
    """Related resources of one DCMI term; contents of a book are its parts."""
    found = [
        filled({"@type": "CreativeWork", "name": line(each.label), "url": safe_href(each.uri)})
        for each in record.relations
        if each.type == kind and (each.label or safe_href(each.uri))
    ]
    parts = record.parts if kind == "hasPart" else ()
    return found + [{"@type": "CreativeWork", "name": line(each.value)} for each in parts if each.value]


def subjects(record: BibliographicRecord) -> list[Node]:
    """Headings and classes as terms of their scheme."""
    return [_subject(each) for each in record.subjects if each.value]


def _subject(subject: Subject) -> Node:
    return filled(
        {
            "@type": "DefinedTerm",
            "@id": safe_href(subject.uri or class_uri(subject.scheme, subject.value)),
            "name": line(subject.value),
            "inDefinedTermSet": subject.scheme,
        }
    )


def offers(record: BibliographicRecord) -> list[Node]:
    """The copies of libraries that are named."""
    return [_offer(each) for each in record.items if each.holding_agent][:_COPIES]


def _offer(item: Item) -> Node:
    library = {"@type": "Library", "name": line(item.holding_agent), "identifier": item.library_code}
    return filled(
        {
            "@type": "Offer",
            "businessFunction": "http://purl.org/goodrelations/v1#LeaseOut",
            "offeredBy": filled(library),
            "sku": line(item.call_number),
            "url": next(filter(None, map(safe_href, item.see_also)), ""),
        }
    )
