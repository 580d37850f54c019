"""The host of a MARC record, its related resources, and where it can be read: 76X to 78X and 856."""

import re
from typing import Any

from metadata.formats.common.base import NO_HOST, Draft
from metadata.formats.marc.fields import Field, MarcRecord
from metadata.identifiers import normalise
from metadata.record import Host, Identifier, Relation
from metadata.vocabularies.dcndl import RELATION_TYPES

RELATIONS = {
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
# "volume:12" in a $g of its own, as German libraries and this project write it.
_LABELLED = re.compile(r"(?P<name>volume|number|issue|pages):(?P<value>.+)", re.DOTALL)
_PICTURES = frozenset({"thumbnail", "cover image", "cover", "umschlagbild", "書影", "表紙画像"})
WEB = ("http://", "https://")


def is_file(uri: str) -> bool:
    return _FILE.search(uri) is not None


def read_host(marc: MarcRecord, draft: Draft) -> None:
    field = next(marc.fields("773"), None)
    if field is None:
        return
    issn = tuple(filter(None, (normalise("ISSN", text) for text in field.all("x"))))
    books = tuple(filter(None, (normalise("ISBN", text) for text in field.all("z"))))
    host = Host(
        title=_label(field),
        issn=tuple(dict.fromkeys(issn)),
        identifiers=tuple(Identifier(scheme="ISBN", value=isbn) for isbn in dict.fromkeys(books)),
        **_place_in_host(field),
    )
    draft.single["host"] = NO_HOST if host == NO_HOST else host


def _place_in_host(field: Field) -> dict[str, Any]:
    """Return volume, number and pages: labelled, else found in the text, else in the enumeration ("12:168<4")."""
    labelled = {match["name"]: match["value"] for text in field.all("g") if (match := _LABELLED.fullmatch(text))}
    if labelled:
        return labelled
    in_text = {name: match[name] for name, form in _IN_TEXT if (match := form.search(field.join("g")))}
    enumeration, _, page = field.first("q").partition("<")
    volume, _, number = enumeration.partition(":")
    enumerated = {"volume": volume, "number": number, "pages": page}
    return {name: text for name, text in enumerated.items() if text} | in_text


def _label(field: Field) -> str:
    return field.clean(field.first("t") or field.first("s"))


def read_relations(marc: MarcRecord, draft: Draft) -> None:
    hosts = list(marc.fields("773"))[:1]
    for field in marc.fields(*RELATIONS):
        if field not in hosts:
            relation = _relation(field)
            draft.fields["relations"] += [relation] if relation.label or relation.uri or relation.number else []


def _relation(field: Field) -> Relation:
    """Read a relation. $i may give its kind more exactly; the first usable number is taken."""
    explanations = field.all("i")
    kind = next((text for text in explanations if text in RELATION_TYPES), RELATIONS[field.tag])
    term = next((field.clean(text) for text in explanations if text not in RELATION_TYPES), "")
    uri = next((text for text in field.all("ou1") if text.startswith(WEB)), "")
    numbers = [(NUMBERS[code], text) for code, text in field.subfields if code in NUMBERS and text and not uri]
    scheme, number = next(iter(numbers), ("", "" if uri else field.first("w")))
    label = _label(field) or field.clean(field.first("a"))
    return Relation(type=kind, term=term, label=label, uri=uri, scheme=scheme, number=number)


def read_links(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    for field in marc.fields("856"):
        label = field.clean(field.first("3") or field.first("y") or field.first("z"))
        for uri in (text for text in field.all("u") if text.startswith(WEB)):
            if label.lower() in _PICTURES:
                fields["thumbnails"].append(uri)
            elif field.ind2 == "2":
                fields["relations"].append(Relation(type="relation", uri=uri, label=label))
            elif is_file(uri):
                fields["relations"].append(Relation(type="hasFormat", uri=uri))
            elif uri not in fields["see_also"]:
                fields["see_also"].append(uri)
        if field.ind2 != "2":  # the format of another resource is not that of this one
            fields["formats"] += [text for text in field.all("q") if "/" in text and text not in fields["formats"]]
