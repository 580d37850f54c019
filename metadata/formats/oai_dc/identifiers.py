"""Identifiers and URLs in dc:identifier, dc:source and dc:relation, recognised by the form of the text."""

import re

from metadata.formats.common.base import Draft
from metadata.formats.common.codes import identifier_as_sent
from metadata.identifiers import SET_QUALIFIER, normalise, recognise
from metadata.record import Identifier, Relation
from metadata.vocabularies.dcndl import DECLARED_WRONG, IDENTIFIER_SCHEMES

# Text that claims a scheme. If `recognise` does not accept it, it is wrong, not merely unknown.
_CLAIM = re.compile(
    r"(?:urn:)?(isbn|issn)(?:-1[03])?[\s:：]*(?=[0-9０-９])|https?://(?:dx\.)?doi\.org/|doi\s*[:：]\s*|info:doi/",
    re.IGNORECASE,
)
# Numbers of the host (the publication that contains the record), in dc:source and dc:relation.
_HOST_NUMBERS = {
    "ISSN": re.compile(r"(?:urn:)?[pe]?-?issn[\s:：]*(?=[0-9])", re.IGNORECASE),
    "ISBN": re.compile(r"(?:urn:)?isbn(?:-1[03])?[\s:：]*(?=[0-9])", re.IGNORECASE),
}
_DOI = re.compile(r"https?://(?:dx\.)?doi\.org/|doi\s*[:：]\s*|info:doi/", re.IGNORECASE)
# "TRCMARCNO:12345678", "(OCoLC)123": numbers with the name of their scheme.
_NAMED = re.compile(
    rf"({'|'.join(sorted(IDENTIFIER_SCHEMES - DECLARED_WRONG.keys() - {'URI'}))}):\s*(\S.*)\Z", re.DOTALL
)
_OCLC = re.compile(r"(?:\(OCoLC\)|OCLC\s*[:：]\s*)(?:oc[mn]|on)?([0-9]+)\Z", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:pdf|jpe?g|png|gif|tiff?|zip|docx?|xlsx?|pptx?|txt|mp[34]|wav|epub|xml|csv)(?:[?#].*)?\Z", re.IGNORECASE
)
_BARE = re.compile(r"(?:[0-9A-Za-z-]+|10\.\S+)\Z")  # an identifier without other text
# A relative URL, or "submit", which repositories send from their own forms.
_RELATIVE = re.compile(r"(?:(?:\.{0,2}/|\?)\S*|submit|[\w./-]+\.(?:php|html?|aspx?|cgi|jsp)(?:[?#]\S*)?)\Z")
_ORDER = {"hasFormat": 0, "source": 1}


def settle_identifiers(draft: Draft) -> None:
    for value in draft.fields.pop("identifiers", ()):
        _settle(value, draft)
    for name in ("identifiers", "see_also"):
        if name in draft.fields:
            draft.fields[name] = list(dict.fromkeys(draft.fields[name]))


def settle_host_numbers(draft: Draft) -> None:
    rest = [relation for relation in draft.fields.pop("relations", ()) if not _move_to_host(relation, draft)]
    # Files first (they were among the identifiers), then sources: a fixed order, whatever the order of the elements.
    draft.fields["relations"] = sorted(rest, key=lambda relation: _ORDER.get(relation.type, 2))


def _move_to_host(relation: Relation, draft: Draft) -> bool:
    """Move an ISSN or ISBN to the host; returns False for anything else.

    A text that claims to be an ISSN, ISBN or DOI but is not valid gets an issue and stays a relation.
    """
    text = relation.label or relation.uri
    for scheme, form in _HOST_NUMBERS.items():
        claim = form.match(text)
        value = normalise(scheme, text[claim.end() :]) if claim else ""
        if value:
            draft.fields[f"host_{scheme.lower()}"].append(value)
            return True
        if claim:
            draft.note("oai_dc.E009", f"dc:{relation.type}", text)
    if _DOI.match(text) and not normalise("DOI", text):
        draft.note("oai_dc.E009", f"dc:{relation.type}", text)
    return False


def _named(text: str) -> tuple[str, str]:
    """Return (scheme, normal form) of a number that names its scheme; ("", "") if it names none or is not valid."""
    match = _NAMED.match(text)
    scheme, number = (match[1], match[2]) if match else ("", "")
    oclc = _OCLC.match(text)
    if oclc:
        scheme, number = "OCLCNO", oclc[1]
    value = normalise(scheme, number) if scheme else ""
    return (scheme, value) if value else ("", "")


def _settle(text: str, draft: Draft) -> None:
    fields = draft.fields
    scheme, value = recognise(text)
    claim = _CLAIM.match(text)
    if scheme:
        printed = SET_QUALIFIER.sub("", text[claim.end() :] if claim else text)
        fields["identifiers"].append(identifier_as_sent(scheme, value, printed if _BARE.match(printed) else value))
    elif text.startswith(("http://", "https://")) and not claim:
        if _FILE.search(text):
            fields["relations"].append(Relation(type="hasFormat", uri=text))
        else:
            fields["see_also"].append(text)
    elif claim:
        draft.note("oai_dc.E009", "dc:identifier", text)
        fields["invalid_identifiers"].append(Identifier(scheme=(claim[1] or "DOI").upper(), value=text))
    elif _RELATIVE.match(text):
        draft.note("oai_dc.E011", "dc:identifier", text)
    else:
        scheme, value = _named(text)
        fields["identifiers"].append(Identifier(scheme=scheme, value=value or text))
