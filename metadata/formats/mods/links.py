"""What a MODS record is known by, part of and related to, where it lies and what may be done with it."""

import re
from collections.abc import Iterable

from lxml import etree

from metadata.formats.common.base import NO_HOST, Draft
from metadata.formats.common.codes import as_sent
from metadata.formats.mods.names import name
from metadata.formats.mods.readers import HREF, first, inside, number_of, pages_of, part_title, title, words
from metadata.identifiers import normalise, recognise
from metadata.record import Host, Identifier, Item, Relation, Title

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
_PURE = re.compile(r"[0-9A-Za-z-]+\Z|10\.\S+\Z")
_SET = re.compile(r"\bset\b|セット", re.IGNORECASE)
_WEB = ("http://", "https://")

Valid = dict[tuple[str, str], Identifier]


def settle_identifiers(draft: Draft) -> None:
    valid: Valid = {}
    for element in draft.fields.pop("identifiers", ()):
        text = words(element)
        scheme = _SCHEMES.get(element.get("type", "").lower(), "")
        if element.get("invalid") == "yes":
            draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))
        elif not scheme and text.startswith(_WEB) and not recognise(text)[0]:
            draft.fields["see_also"].append(text)
        else:
            _take(scheme, text, valid, draft)
    draft.fields["identifiers"] = list(valid.values())
    draft.fields["see_also"] = list(dict.fromkeys(draft.fields["see_also"]))


def _take(scheme: str, text: str, valid: Valid, draft: Draft) -> None:
    """Keep what is valid; tell and keep apart what is not."""
    if scheme == "ISBN" and _SET.search(text):
        scheme = "SetISBN"
    found, value = (scheme, normalise(scheme, text)) if scheme else recognise(text)
    if value:
        valid.setdefault((found, value), as_sent(found, value, text if _PURE.match(text) else value))
    elif text:
        draft.note("mods.E009", f"identifier[@{scheme}]", text)
        draft.fields["invalid_identifiers"].append(Identifier(scheme=scheme, value=text))


def settle_related(draft: Draft) -> Host:
    """relatedItem: series, parts, the publication around it, and what it is otherwise related to."""
    fields = draft.fields
    host = NO_HOST
    for element in fields.pop("related", ()):
        kind = element.get("type", "")
        if kind == "series":
            fields["series"] += _series(element)
        elif kind == "constituent" and inside(element, "titleInfo"):
            fields["parts"].append(_part(element))
        elif kind == "host" and host == NO_HOST and _is_publication(element):
            host = _host(element)
        else:
            _relate(kind, element, draft)
    for part in fields.pop("own_parts", ()):
        if host == NO_HOST:
            host = _host_of_part(part)
    return host


def _series(element: etree._Element) -> list[Title]:
    """As NDL writes them: the number behind the name."""
    found = []
    for each in inside(element, "titleInfo"):
        numbers = [text for number in inside(each, "partNumber") if (text := words(number).strip(" ;"))]
        named = filter(None, (title(each), *map(words, inside(each, "partName"))))
        value = " ; ".join(filter(None, (". ".join(named), *numbers)))
        if value:
            found.append(Title(value=value))
    return found


def _part(element: etree._Element) -> Title:
    statements = [words(each) for each in inside(element, "note") if each.get("type") == "statement of responsibility"]
    names = filter(None, map(name, inside(element, "name")))
    return Title(value=_label(element), responsibility=", ".join(statements or names))


def _is_publication(element: etree._Element) -> bool:
    """An article's host says where in it the article stands, or has a number; a mere title is a collection."""
    numbers = {each.get("type", "").lower() for each in inside(element, "identifier")}
    return bool(inside(element, "part")) or bool(numbers & {"issn", "issn-l", "isbn"})


def _host(element: etree._Element) -> Host:
    found = next((_host_of_part(part) for part in inside(element, "part")), NO_HOST)
    numbers = ((each.get("type", "").lower(), words(each)) for each in inside(element, "identifier"))
    issn = dict.fromkeys(filter(None, (normalise("ISSN", text) for kind, text in numbers if kind.startswith("issn"))))
    return Host(title=_label(element), volume=found.volume, number=found.number, pages=found.pages, issn=tuple(issn))


def _host_of_part(part: etree._Element) -> Host:
    volume, pages = number_of(part, "volume"), pages_of(part)
    number = number_of(part, "issue") or number_of(part, "number")
    return Host(volume=volume, number=number, pages=pages) if volume or number or pages else NO_HOST


def _relate(kind: str, element: etree._Element, draft: Draft) -> None:
    """A link to another resource; numbers of the original are those that a copy must not be matched by."""
    urls = [text for place in inside(element, "location") for each in inside(place, "url") if (text := words(each))]
    uris = [uri for uri in (element.get(HREF, ""), *urls) if uri.startswith(_WEB)]
    label = _label(element)
    if kind == "original":
        for each in inside(element, "identifier"):
            scheme, text = _SCHEMES.get(each.get("type", "").lower(), ""), words(each)
            if text:
                value = normalise(scheme, text) or text
                draft.fields["source_identifiers"].append(as_sent(scheme, value, text))
    if uris or label:
        uri = next(iter(uris), "")
        draft.fields["relations"].append(Relation(type=_RELATIONS.get(kind, "relation"), uri=uri, label=label))


def _label(element: etree._Element) -> str:
    return next(filter(None, map(part_title, inside(element, "titleInfo"))), "")


def settle_locations(draft: Draft) -> None:
    """Pages (the primary one first), thumbnails, files; and the copies that libraries hold."""
    fields = draft.fields
    pages: list[tuple[bool, str]] = []
    for element in fields.pop("locations", ()):
        for url in inside(element, "url"):
            uri = words(url)
            if not uri.startswith(_WEB):
                draft.note("mods.E011", "location/url", uri)
            elif url.get("access") == "preview":
                fields["thumbnails"].append(uri)
            elif url.get("access") == "raw object":
                fields["relations"].append(Relation(type="hasFormat", uri=uri))
            else:
                is_first = "primary" in url.get("usage", "") or url.get("access") == "object in context"
                pages.append((not is_first, uri))
        fields["items"] += _items(element)
    pages.sort(key=lambda each: each[0])  # stable
    fields["see_also"] = [uri for _rank, uri in pages]


def _items(location: etree._Element) -> Iterable[Item]:
    """One for each copyInformation; without any, one for the location if it names a library or a shelf."""
    places = inside(location, "physicalLocation")
    code = next((words(each) for each in places if each.get("authority", "") in {"isil", "marcorg", "oclcorg"}), "")
    agent = next((words(each) for each in places if words(each) != code), "") or code
    shelf = " ; ".join(filter(None, map(words, inside(location, "shelfLocator"))))
    copies = [copy for each in inside(location, "holdingSimple") for copy in inside(each, "copyInformation")]
    if not copies and (agent or shelf):
        yield Item(holding_agent=agent, call_number=shelf)
    for copy in copies:
        yield Item(
            holding_agent=agent,
            location=first(copy, "subLocation"),
            call_number=first(copy, "shelfLocator") or shelf,
            notes=tuple(filter(None, map(words, inside(copy, "note")))),
            holding_issues=first(copy, "enumerationAndChronology"),
        )


def settle_conditions(draft: Draft) -> None:
    """accessCondition by its type: who may see it, or what may be done with it."""
    for element in draft.fields.pop("conditions", ()):
        text = words(element) or element.get(HREF, "")
        name_of = "access_rights" if "restriction" in element.get("type", "").lower() else "rights"
        if text:
            draft.fields[name_of].append(text)


def settle_notes(draft: Draft) -> None:
    """Statements of responsibility stand among the notes."""
    fields = draft.fields
    for element in fields.pop("note_elements", ()):
        text = words(element)
        if text:
            is_statement = element.get("type") == "statement of responsibility"
            fields["responsibility" if is_statement else "notes"].append(text)
