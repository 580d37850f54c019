"""Identifiers, related resources, locations, rights and notes of a MODS record."""

import re

from lxml import etree

from metadata.formats.common.base import NO_HOST, Draft
from metadata.formats.common.codes import identifier_as_sent
from metadata.formats.mods.holdings import items
from metadata.formats.mods.names import heading_of_name
from metadata.formats.mods.readers import (
    HREF,
    children_named,
    clean_text,
    full_title,
    number_of,
    pages_of,
    title,
)
from metadata.identifiers import normalise, recognise
from metadata.issue import where
from metadata.record import Host, Identifier, Relation, Title

_SCHEMES = {
    "isbn": "ISBN",
    "issn": "ISSN",
    "issn-l": "ISSNL",
    "doi": "DOI",
    "lccn": "USMARCNO",
    "oclc": "OCLCNO",
    "oclcnum": "OCLCNO",
    "ismn": "ISMN",
    "jpno": "JPNO",
    "jnb": "JPNO",
    "ncid": "NIIBibID",
    "ndljp": "NDLJP",
    "ndlbibid": "NDLBibID",
    "trcmarcno": "TRCMARCNO",
    "tohanmarcno": "TOHANMARCNO",
    "sici": "SICI",
    "coden": "CODEN",
}
_RELATIONS = {
    "host": "isPartOf",
    "preceding": "replaces",
    "succeeding": "isReplacedBy",
    "original": "isFormatOf",
    "otherVersion": "hasVersion",
    "otherFormat": "hasFormat",
    "constituent": "hasPart",
    "references": "references",
    "isReferencedBy": "isReferencedBy",
    "reviewOf": "references",
}
_BARE = re.compile(r"[0-9A-Za-z-]+\Z|10\.\S+\Z")
_SET = re.compile(r"\bset\b|セット", re.IGNORECASE)
_WEB = ("http://", "https://")

Valid = dict[tuple[str, str], Identifier]


def settle_identifiers(draft: Draft) -> None:
    valid: Valid = {}
    for element in draft.fields.pop("identifiers", ()):
        text = clean_text(element)
        scheme = _SCHEMES.get(element.get("type", "").lower(), "")
        if element.get("invalid") == "yes":
            draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))
        elif not scheme and text.startswith(_WEB) and not recognise(text)[0]:
            draft.fields["see_also"].append(text)
        else:
            _sort_identifier(element, scheme, text, valid, draft)
    draft.fields["identifiers"] = list(valid.values())
    draft.fields["see_also"] = list(dict.fromkeys(draft.fields["see_also"]))


def _sort_identifier(element: etree._Element, scheme: str, text: str, valid: Valid, draft: Draft) -> None:
    """Add the identifier to the valid ones, or report it and add it to the invalid ones."""
    if scheme == "ISBN" and _SET.search(text):
        scheme = "SetISBN"
    known_scheme, value = (scheme, normalise(scheme, text)) if scheme else recognise(text)
    if value:
        valid.setdefault(
            (known_scheme, value), identifier_as_sent(known_scheme, value, text if _BARE.match(text) else value)
        )
    elif text:
        sent = element.get("type", "")
        draft.note("mods.E009", where("identifier", "type", sent) if sent else "identifier", text)
        draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))


def settle_related(draft: Draft) -> None:
    """Sort relatedItem into series, parts, the host (the publication that contains an article) and other relations."""
    fields = draft.fields
    host = NO_HOST
    for element in fields.pop("related", ()):
        kind = element.get("type", "")
        if kind == "series":
            fields["series"] += _series(element)
        elif kind == "constituent" and children_named(element, "titleInfo"):
            fields["parts"].append(_part(element))
        elif kind == "host" and host == NO_HOST and _is_publication(element):
            host = _host(element)
        else:
            _add_relation(kind, element, draft)
    for part in fields.pop("own_parts", ()):
        if host == NO_HOST:
            host = _host_of_part(part)
    if host is not NO_HOST:
        draft.single["host"] = host


def _series(element: etree._Element) -> list[Title]:
    """Return the series as NDL writes them: the name, then the number."""
    series = []
    for info in children_named(element, "titleInfo"):
        numbers = [text for number in children_named(info, "partNumber") if (text := clean_text(number).strip(" ;"))]
        named = filter(None, (title(info), *map(clean_text, children_named(info, "partName"))))
        value = " ; ".join(filter(None, (". ".join(named), *numbers)))
        if value:
            series.append(Title(value=value))
    return series


def _part(element: etree._Element) -> Title:
    statements = [
        clean_text(note)
        for note in children_named(element, "note")
        if note.get("type") == "statement of responsibility"
    ]
    names = filter(None, map(heading_of_name, children_named(element, "name")))
    return Title(value=_label(element), responsibility=", ".join(statements or names))


def _is_publication(element: etree._Element) -> bool:
    """Whether a relatedItem is the host of an article: it says where the article is, or has an ISSN or ISBN.

    An item with only a title is a collection.
    """
    types = {identifier.get("type", "").lower() for identifier in children_named(element, "identifier")}
    return bool(children_named(element, "part")) or bool(types & {"issn", "issn-l", "isbn"})


def _host(element: etree._Element) -> Host:
    place = next((_host_of_part(part) for part in children_named(element, "part")), NO_HOST)
    numbers = (
        (identifier.get("type", "").lower(), clean_text(identifier))
        for identifier in children_named(element, "identifier")
    )
    issn = dict.fromkeys(filter(None, (normalise("ISSN", text) for kind, text in numbers if kind.startswith("issn"))))
    return Host(title=_label(element), volume=place.volume, number=place.number, pages=place.pages, issn=tuple(issn))


def _host_of_part(part: etree._Element) -> Host:
    volume, pages = number_of(part, "volume"), pages_of(part)
    number = number_of(part, "issue") or number_of(part, "number")
    return Host(volume=volume, number=number, pages=pages) if volume or number or pages else NO_HOST


def _add_relation(kind: str, element: etree._Element, draft: Draft) -> None:
    """Add a link to another resource. The numbers of an original are stored separately, because a copy must not be
    matched by them.
    """
    urls = [
        text
        for place in children_named(element, "location")
        for url in children_named(place, "url")
        if (text := clean_text(url))
    ]
    uris = [uri for uri in (element.get(HREF, ""), *urls) if uri.startswith(_WEB)]
    label = _label(element)
    if kind == "original":
        for identifier in children_named(element, "identifier"):
            scheme, text = _SCHEMES.get(identifier.get("type", "").lower(), ""), clean_text(identifier)
            if text:
                scheme = "SetISBN" if scheme == "ISBN" and _SET.search(text) else scheme
                value = normalise(scheme, text) or text
                draft.fields["source_identifiers"].append(
                    identifier_as_sent(scheme, value, text if _BARE.match(text) else value)
                )
    if uris or label:
        uri = next(iter(uris), "")
        draft.fields["relations"].append(Relation(type=_RELATIONS.get(kind, "relation"), uri=uri, label=label))


def _label(element: etree._Element) -> str:
    return next(filter(None, map(full_title, children_named(element, "titleInfo"))), "")


def settle_locations(draft: Draft) -> None:
    fields = draft.fields
    pages: list[tuple[bool, str]] = []
    for element in fields.pop("locations", ()):
        for url in children_named(element, "url"):
            uri = clean_text(url)
            if not uri.startswith(_WEB):
                draft.note("mods.E011", "location/url", uri)
            elif url.get("access") == "preview":
                fields["thumbnails"].append(uri)
            elif url.get("access") == "raw object":
                fields["relations"].append(Relation(type="hasFormat", uri=uri))
            else:
                is_first = "primary" in url.get("usage", "") or url.get("access") == "object in context"
                pages.append((not is_first, uri))
        fields["items"] += items(element)
    pages.sort(key=lambda page: page[0])  # a stable sort: the other pages keep their order
    fields["see_also"] = [uri for _rank, uri in pages]


def settle_conditions(draft: Draft) -> None:
    for element in draft.fields.pop("conditions", ()):
        text = clean_text(element) or element.get(HREF, "")
        field = "access_rights" if "restriction" in element.get("type", "").lower() else "rights"
        if text:
            draft.fields[field].append(text)


def settle_notes(draft: Draft) -> None:
    fields = draft.fields
    for element in fields.pop("note_elements", ()):
        text = clean_text(element)
        if text:
            is_statement = element.get("type") == "statement of responsibility"
            fields["responsibility" if is_statement else "notes"].append(text)
