"""What dc:identifier, dc:source and dc:relation hold of identifiers and addresses, told by the form of the text."""

import re

from metadata.crosswalks.base import Draft
from metadata.crosswalks.codes import as_sent
from metadata.identifiers import normalise, recognise
from metadata.record import Identifier, Relation

# Text that claims to be of a scheme; what `recognise` does not accept is then wrong, not merely unknown.
_CLAIM = re.compile(
    r"(?:urn:)?(isbn|issn)(?:-1[03])?[\s:：]*(?=[0-9０-９])|https?://(?:dx\.)?doi\.org/|doi\s*[:：]\s*|info:doi/",
    re.IGNORECASE,
)
_ISSN = re.compile(r"(?:urn:)?[pe]?-?issn[\s:：]*(?=[0-9])", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:pdf|jpe?g|png|gif|tiff?|zip|docx?|xlsx?|pptx?|txt|mp[34]|wav|epub|xml|csv)(?:[?#].*)?\Z", re.IGNORECASE
)
_BARE = re.compile(r"(?:[0-9A-Za-z-]+|10\.\S+)\Z")  # an identifier without anything around it
_RELATIVE = re.compile(r"(?:\.{0,2}/|\?)\S*\Z")
_ORDER = {"hasFormat": 0, "source": 1}


def settle_identifiers(draft: Draft) -> None:
    """Part dc:identifier into identifiers, pages and files; take the ISSN of the host out of source and relation."""
    for value in draft.fields.pop("identifiers", ()):
        _settle(value, draft)
    for name in ("identifiers", "see_also"):
        if name in draft.fields:
            draft.fields[name] = list(dict.fromkeys(draft.fields[name]))
    rest = []
    for each in draft.fields.pop("relations", ()):
        claim = _ISSN.match(each.label)
        issn = normalise("ISSN", each.label[claim.end() :]) if claim else ""
        if issn:
            draft.fields["host_issn"].append(issn)
        else:
            rest.append(each)
            if claim:
                draft.note("oai_dc.E009", f"dc:{each.type}", each.label)
    # Files were found among the identifiers; sources and relations come in any order.
    draft.fields["relations"] = sorted(rest, key=lambda each: _ORDER.get(each.type, 2))


def _settle(text: str, draft: Draft) -> None:
    fields = draft.fields
    scheme, value = recognise(text)
    claim = _CLAIM.match(text)
    if scheme:
        printed = text[claim.end() :] if claim else text
        fields["identifiers"].append(as_sent(scheme, value, printed if _BARE.match(printed) else value))
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
        fields["identifiers"].append(Identifier(value=text))
