"""What a MARC record is part of, related to, and where it can be read: 76X to 78X and 856."""

import re
from typing import Any

from metadata.crosswalks.base import NO_HOST, Draft
from metadata.crosswalks.marc_fields import MarcRecord, bare
from metadata.identifiers import normalise
from metadata.record import Host, Relation

_RELATIONS = {
    "760": "isPartOf",
    "762": "hasPart",
    "765": "isVersionOf",
    "767": "hasVersion",
    "770": "hasPart",
    "772": "isPartOf",
    "774": "hasPart",
    "775": "hasVersion",
    "776": "hasFormat",
    "777": "relation",
    "780": "replaces",
    "785": "isReplacedBy",
    "787": "relation",
}
_FILE = re.compile(r"\.(?:pdf|jpe?g|png|gif|tiff?|zip|docx?|xlsx?|epub|mp[34]|txt)(?:[?#].*)?\Z", re.IGNORECASE)
_VOLUME = re.compile(r"(?:vol\.?|Bd\.?|巻|第)\s*(?P<volume>[0-9]+)", re.IGNORECASE)
_NUMBER = re.compile(r"(?:no\.?|nro|号|\()\s*(?P<number>[0-9]+)", re.IGNORECASE)
_PAGES = re.compile(r"(?:pp?\.?|s\.|ページ|Seite)\s*(?P<pages>[0-9]+(?:\s*[-–~]\s*[0-9]+)?)", re.IGNORECASE)


def settle_host(marc: MarcRecord) -> Host:
    """773: the publication that an article stands in."""
    field = next(marc.each("773"), None)
    if field is None:
        return NO_HOST
    where = field.join("g")
    issn = tuple(filter(None, (normalise("ISSN", text) for text in field.all("x"))))
    parts: dict[str, Any] = {
        name: match[name]
        for name, pattern in (("volume", _VOLUME), ("number", _NUMBER), ("pages", _PAGES))
        if (match := pattern.search(where))
    }
    title = bare(field.first("t") or field.first("s"))
    return Host(title=title, issn=issn, **parts) if title or issn or parts else NO_HOST


def settle_relations(marc: MarcRecord, draft: Draft) -> None:
    for tag, kind in _RELATIONS.items():
        for field in marc.each(tag):
            label = bare(field.first("t") or field.first("s") or field.first("a"))
            if label:
                draft.fields["relations"].append(Relation(type=kind, label=label))


def settle_links(marc: MarcRecord, draft: Draft) -> None:
    """856: the resource itself (second indicator 0, 1 or blank) or something about it (2)."""
    for field in marc.each("856"):
        for uri in (text for text in field.all("u") if text.startswith(("http://", "https://"))):
            if field.ind2 == "2":
                draft.fields["relations"].append(Relation(type="relation", uri=uri, label=bare(field.first("3yz"))))
            elif _FILE.search(uri):
                draft.fields["relations"].append(Relation(type="hasFormat", uri=uri))
            elif uri not in draft.fields["see_also"]:
                draft.fields["see_also"].append(uri)
        draft.fields["formats"] += [text for text in field.all("q") if "/" in text]
