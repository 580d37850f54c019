"""What dc:identifier, dc:source and dc:relation hold of identifiers and addresses, told by the form of the text."""

import re

from metadata.formats.common.base import Draft
from metadata.formats.common.codes import as_sent
from metadata.identifiers import OF_SET, normalise, recognise
from metadata.record import Identifier, Relation
from metadata.vocabularies.dcndl import DECLARED_WRONG, IDENTIFIER_SCHEMES

# Text that claims to be of a scheme; what `recognise` does not accept is then wrong, not merely unknown.
_CLAIM = re.compile(
    r"(?:urn:)?(isbn|issn)(?:-1[03])?[\s:：]*(?=[0-9０-９])|https?://(?:dx\.)?doi\.org/|doi\s*[:：]\s*|info:doi/",
    re.IGNORECASE,
)
# Numbers of the publication around, in source and relation.
_HOST_NUMBERS = {
    "ISSN": re.compile(r"(?:urn:)?[pe]?-?issn[\s:：]*(?=[0-9])", re.IGNORECASE),
    "ISBN": re.compile(r"(?:urn:)?isbn(?:-1[03])?[\s:：]*(?=[0-9])", re.IGNORECASE),
}
_DOI = re.compile(r"https?://(?:dx\.)?doi\.org/|doi\s*[:：]\s*|info:doi/", re.IGNORECASE)
# "TRCMARCNO:12345678", "(OCoLC)123": numbers with the name of who gave them.
_NAMED = re.compile(
    rf"({'|'.join(sorted(IDENTIFIER_SCHEMES - DECLARED_WRONG.keys() - {'URI'}))}):\s*(\S.*)\Z", re.DOTALL
)
_OCLC = re.compile(r"(?:\(OCoLC\)|OCLC\s*[:：]\s*)(?:oc[mn]|on)?([0-9]+)\Z", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:pdf|jpe?g|png|gif|tiff?|zip|docx?|xlsx?|pptx?|txt|mp[34]|wav|epub|xml|csv)(?:[?#].*)?\Z", re.IGNORECASE
)
_BARE = re.compile(r"(?:[0-9A-Za-z-]+|10\.\S+)\Z")  # an identifier without anything around it
# An address without its beginning; repositories send the "submit" of their own forms.
_RELATIVE = re.compile(r"(?:(?:\.{0,2}/|\?)\S*|submit|[\w./-]+\.(?:php|html?|aspx?|cgi|jsp)(?:[?#]\S*)?)\Z")
_ORDER = {"hasFormat": 0, "source": 1}


def settle_identifiers(draft: Draft) -> None:
    """Part dc:identifier into identifiers, pages and files; take the ISSN and ISBN of the host out of the others."""
    for value in draft.fields.pop("identifiers", ()):
        _settle(value, draft)
    for name in ("identifiers", "see_also"):
        if name in draft.fields:
            draft.fields[name] = list(dict.fromkeys(draft.fields[name]))
    rest = [each for each in draft.fields.pop("relations", ()) if not _is_of_host(each, draft)]
    # Files were found among the identifiers; sources and relations come in any order.
    draft.fields["relations"] = sorted(rest, key=lambda each: _ORDER.get(each.type, 2))


def _is_of_host(each: Relation, draft: Draft) -> bool:
    """Take an ISSN or ISBN for the host. What claims to be one of them or a DOI and is none is told, and stays."""
    text = each.label or each.uri
    for scheme, form in _HOST_NUMBERS.items():
        claim = form.match(text)
        value = normalise(scheme, text[claim.end() :]) if claim else ""
        if value:
            draft.fields[f"host_{scheme.lower()}"].append(value)
            return True
        if claim:
            draft.note("oai_dc.E009", f"dc:{each.type}", text)
    if _DOI.match(text) and not normalise("DOI", text):
        draft.note("oai_dc.E009", f"dc:{each.type}", text)
    return False


def _named(text: str) -> tuple[str, str]:
    """(scheme, normal form) of a number that names its scheme; two empty texts where it is none or not valid."""
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
        printed = OF_SET.sub("", text[claim.end() :] if claim else text)
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
        scheme, value = _named(text)
        fields["identifiers"].append(Identifier(scheme=scheme, value=value or text))
