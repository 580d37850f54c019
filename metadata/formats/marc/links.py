"""What a MARC record is part of, related to, and where it can be read: 76X to 78X and 856."""

import re
from typing import Any

from metadata.formats.common.base import NO_HOST, Draft
from metadata.formats.marc.fields import Field, MarcRecord
from metadata.identifiers import normalise
from metadata.record import Host, Identifier, Relation
from metadata.vocabularies.dcndl import RELATION_TYPES

_RELATIONS = {
    "760": "isPartOf",
    "762": "hasPart",
    "765": "isVersionOf",
    "767": "hasVersion",
    "770": "hasPart",
    "772": "isPartOf",
    "773": "isPartOf",
    "774": "hasPart",
    "775": "hasVersion",
    "776": "hasFormat",
    "777": "relation",
    "780": "replaces",
    "785": "isReplacedBy",
    "786": "source",
    "787": "relation",
}
NUMBERS = {"x": "ISSN", "z": "ISBN"}
_FILE = re.compile(r"\.(?:pdf|jpe?g|png|gif|tiff?|zip|docx?|xlsx?|epub|mp[34]|txt)(?:[?#].*)?\Z", re.IGNORECASE)
_VOLUME = re.compile(r"(?:vol\.?|Bd\.?|Roč\.|årg\.?|巻|第)\s*(?P<volume>[0-9]+)", re.IGNORECASE)
_NUMBER = re.compile(r"(?:no\.?|nro|nr\.?|č\.|号|\()\s*(?P<number>[0-9]+)", re.IGNORECASE)
_PAGES = re.compile(r"(?:pp?\.?|s\.|ページ|Seite)\s*(?P<pages>[0-9]+(?:\s*[-–~]\s*[0-9]+)?)", re.IGNORECASE)
_IN_TEXT = (("volume", _VOLUME), ("number", _NUMBER), ("pages", _PAGES))
# "volume:12" in a $g of its own, as German libraries write it and we do.
_LABELLED = re.compile(r"(?P<name>volume|number|issue|pages):(?P<value>.+)", re.DOTALL)
_PICTURES = frozenset({"thumbnail", "cover image", "cover", "umschlagbild", "書影", "表紙画像"})
WEB = ("http://", "https://")


def is_file(uri: str) -> bool:
    return _FILE.search(uri) is not None


def settle_host(marc: MarcRecord) -> Host:
    """773: the publication that an article stands in."""
    field = next(marc.each("773"), None)
    if field is None:
        return NO_HOST
    issn = tuple(filter(None, (normalise("ISSN", text) for text in field.all("x"))))
    books = tuple(filter(None, (normalise("ISBN", text) for text in field.all("z"))))
    found = Host(
        title=_label(field),
        issn=tuple(dict.fromkeys(issn)),
        identifiers=tuple(Identifier(scheme="ISBN", value=each) for each in dict.fromkeys(books)),
        **_where(field),
    )
    return NO_HOST if found == NO_HOST else found


def _where(field: Field) -> dict[str, Any]:
    """Volume, number, pages: labelled, else found in the text, else in the enumeration ("12:168<4")."""
    labelled = {match["name"]: match["value"] for text in field.all("g") if (match := _LABELLED.fullmatch(text))}
    if labelled:
        return labelled
    found = {name: match[name] for name, form in _IN_TEXT if (match := form.search(field.join("g")))}
    enumeration, _, page = field.first("q").partition("<")
    volume, _, number = enumeration.partition(":")
    told = {"volume": volume, "number": number, "pages": page}
    return {name: text for name, text in told.items() if text} | found


def _label(field: Field) -> str:
    return field.bare(field.first("t") or field.first("s"))


def settle_relations(marc: MarcRecord, draft: Draft) -> None:
    hosts = list(marc.each("773"))[:1]
    for field in marc.each(*_RELATIONS):
        if field not in hosts:
            found = _relation(field)
            draft.fields["relations"] += [found] if found.label or found.uri or found.number else []


def _relation(field: Field) -> Relation:
    """$i tells the kind more exactly; the first number that can be used is kept."""
    said = field.all("i")
    kind = next((each for each in said if each in RELATION_TYPES), _RELATIONS[field.tag])
    term = next((field.bare(each) for each in said if each not in RELATION_TYPES), "")
    uri = next((text for text in field.all("ou1") if text.startswith(WEB)), "")
    numbers = [(NUMBERS[code], text) for code, text in field.subfields if code in NUMBERS and text and not uri]
    scheme, number = next(iter(numbers), ("", "" if uri else field.first("w")))
    label = _label(field) or field.bare(field.first("a"))
    return Relation(type=kind, term=term, label=label, uri=uri, scheme=scheme, number=number)


def settle_links(marc: MarcRecord, draft: Draft) -> None:
    """856: the resource itself (second indicator 0, 1 or blank) or something about it (2)."""
    fields = draft.fields
    for field in marc.each("856"):
        label = field.bare(field.first("3") or field.first("y") or field.first("z"))
        for uri in (text for text in field.all("u") if text.startswith(WEB)):
            if label.lower() in _PICTURES:
                fields["thumbnails"].append(uri)
            elif field.ind2 == "2":
                fields["relations"].append(Relation(type="relation", uri=uri, label=label))
            elif is_file(uri):
                fields["relations"].append(Relation(type="hasFormat", uri=uri))
            elif uri not in fields["see_also"]:
                fields["see_also"].append(uri)
        if field.ind2 != "2":  # the format of another resource says nothing of this one
            fields["formats"] += [text for text in field.all("q") if "/" in text and text not in fields["formats"]]
