"""Identifiers and links of DC-NDL: which are valid, which repeat each other, which are pages to read.

Guideline 2.1.2 (5) and (7). An identifier that is not valid is kept apart and never used for matching.
"""

import re
from typing import Any
from urllib.parse import unquote

from metadata.formats.common.base import NO_HOST, Draft, unique
from metadata.formats.common.codes import as_sent
from metadata.identifiers import normalise
from metadata.record import Host, Identifier, Relation, Title
from metadata.vocabularies.dcndl import DECLARED_WRONG, IDENTIFIER_SCHEMES, identifier_in_uri

Valid = dict[tuple[str, str], Identifier]  # by (scheme, normal form)

ELEMENT = "dcterms:identifier"
WRONG = "Incorrect"  # before the scheme, as NDL names wrong ISSNs
_SPELLINGS = {"setISBN": "SetISBN"}
# Forms that real records have without exception. A text that has its form already needs no normalising.
_SHAPES = {
    "JPNO": re.compile(r"[0-9]{8}").fullmatch,
    "NDLBibID": re.compile(r"[0-9]{7,12}").fullmatch,
    "NDLJP": re.compile(r"(?:info:ndljp/pid/)?[0-9]+").fullmatch,
    # The letters that NII's catalogue gives out; BC and BD since 2021.
    "NIIBibID": re.compile(r"(?:A[AN]|B[ABCDN])[0-9]{7,8}[0-9X]?").fullmatch,
}
_NDLJP = "info:ndljp/pid/"


def settle_identifiers(draft: Draft, element: str = ELEMENT) -> None:
    """Sort identifiers into valid and invalid, each once, and compare them with the URIs in rdfs:seeAlso."""
    fields = draft.fields
    valid: Valid = {}
    for sent_scheme, text in fields.pop("identifiers", ()):
        scheme = _SPELLINGS.get(sent_scheme, sent_scheme)
        wrong = scheme in DECLARED_WRONG or scheme.startswith(WRONG)
        if scheme not in IDENTIFIER_SCHEMES and not wrong:
            draft.note("dcndl.W017", f"{element}[@{sent_scheme}]" if sent_scheme else element, text)
        value = "" if wrong else _valid(scheme, text)
        if value.isdigit() and scheme == "NDLJP":
            value = f"{_NDLJP}{value}"
            draft.note("dcndl.N016", f"{element}[@NDLJP]", text, value)
        if value:
            if (scheme, value) not in valid:
                valid[scheme, value] = as_sent(scheme, value, text)
        else:
            _settle_invalid(scheme, text, valid, draft, element)
    _compare_with_uris(valid, draft, element)
    _separate_set_isbn(valid, draft, element)
    fields["identifiers"] = list(valid.values())


def _settle_invalid(scheme: str, text: str, valid: Valid, draft: Draft, element: str) -> None:
    """Repair what can be repaired without guessing; keep the rest apart, with an issue unless it was declared wrong."""
    repaired = _without_978(scheme, text)
    if repaired:
        draft.note("dcndl.N013", f"{element}[@ISBN]", text, repaired)
        valid.setdefault((scheme, repaired), as_sent(scheme, repaired, text))
        return
    if scheme not in DECLARED_WRONG and not scheme.startswith(WRONG):
        draft.note("dcndl.E013" if scheme in {"ISBN", "SetISBN"} else "dcndl.E016", f"{element}[@{scheme}]", text)
    draft.fields["invalid_identifiers"].append(Identifier(scheme=_claimed(scheme), value=text))


def _claimed(scheme: str) -> str:
    """The scheme that a wrong identifier claims."""
    return DECLARED_WRONG.get(scheme) or scheme.removeprefix(WRONG)


def settle_source_identifiers(draft: Draft, name: str = "source_identifiers") -> None:
    """Identifiers that are no match keys: kept as they are, in normal form where they have one."""
    if name not in draft.fields:
        return
    settled = []
    for scheme, text in draft.fields[name]:
        value = normalise(scheme, text) or text
        settled.append(as_sent(scheme, value, text))
    draft.fields[name] = settled


def settle_links(draft: Draft) -> None:
    """Part rdfs:seeAlso and dcterms:isPartOf into id URIs, which say an identifier again, and real links."""
    fields = draft.fields
    pages = []
    for uri in fields.pop("see_also", ()):
        found = identifier_in_uri(uri)
        if found:
            fields["id_uris"].append((*found, uri))
        elif uri.startswith(("http://", "https://")):
            pages.append(uri)
        else:
            draft.note("dcndl.E011", "rdfs:seeAlso", uri)
    fields["see_also"] = list(dict.fromkeys(pages))
    if "relations" in fields:
        _settle_relations(draft)


def _settle_relations(draft: Draft) -> None:
    """An ISSN that the record is part of belongs to the publication around it."""
    relations = []
    for each in draft.fields.pop("relations"):
        scheme, value = identifier_in_uri(each.uri) or ("", "") if each.type == "isPartOf" else ("", "")
        issn = normalise(scheme, value) if scheme in {"ISSN", "ISSNL"} else ""
        if issn and each == Relation(type=each.type, uri=each.uri):
            draft.fields["host_issn"].append(issn)
        else:
            relations.append(each)
    draft.fields["relations"] = relations


def settle_host(draft: Draft) -> Host:
    """All that is said of the publication around an article, with the ISSN out of the links."""
    fields = draft.fields
    issn = tuple(unique(fields.pop("host_issn", ())))
    identifiers = tuple(fields.pop("host_identifiers", ()))
    if not ("host" in fields or issn or identifiers):
        return NO_HOST
    found: dict[str, Any] = {}
    titles = []
    for each in fields.pop("host", ()):
        if each.title and "title" in found:
            titles.append(Title(value=each.title, language=each.language))
        elif each.title:
            found |= {"title": each.title, "language": each.language}
        for name in ("volume", "number", "issue", "pages"):
            value = getattr(each, name)
            if value:
                found.setdefault(name, value)
    host = Host(**found, issn=issn, titles=tuple(titles), identifiers=identifiers)
    return NO_HOST if host == NO_HOST else host


def _compare_with_uris(valid: Valid, draft: Draft, element: str) -> None:
    """Guideline 2.1.2 (5): an ISBN stands as literal and as URI. What only the URI says is taken over."""
    literals = [value for scheme, value in valid if scheme == "ISBN"]
    uris = []
    for scheme, text, uri in draft.fields.pop("id_uris", ()):
        if (scheme, text) in valid:  # as nearly always
            if scheme == "ISBN":
                uris.append(text)
            continue
        value = _valid(scheme, unquote(text) if "%" in text else text)
        if scheme == "ISBN":
            uris.append(value)
            if value not in literals and (literals or not value):
                draft.note("dcndl.W012", "rdfs:seeAlso", text, " ".join(literals))
                continue
        _take_over(scheme, value, uri, valid, draft)
    if bool(literals) != bool(uris):
        draft.note("dcndl.N012", "rdfs:seeAlso" if literals else element, " ".join(sorted(set(literals or uris))))


def _take_over(scheme: str, value: str, uri: str, valid: Valid, draft: Draft) -> None:
    if not value:  # a page after all
        draft.fields["see_also"].append(uri)
    elif not _known(scheme, value, valid):
        valid[scheme, value] = Identifier(scheme=scheme, value=value)


def _known(scheme: str, value: str, valid: Valid) -> bool:
    """LCCN literals are printed in many ways, so that any of them counts as the one in the URI."""
    return (scheme, value) in valid or (scheme == "USMARCNO" and any(each == scheme for each, _ in valid))


def _separate_set_isbn(valid: Valid, draft: Draft, element: str) -> None:
    """Guideline 2.1.2 (5) ②: the ISBN of a set among those of the volume joins what does not belong together."""
    for value in [value for scheme, value in valid if scheme == "SetISBN"]:
        if valid.pop(("ISBN", value), None):
            draft.note("dcndl.E015", f"{element}[@ISBN]", value)


def _valid(scheme: str, text: str) -> str:
    """The normal form, "" if the text is not an identifier of this scheme."""
    has_shape = _SHAPES.get(scheme)
    if has_shape is None:
        return normalise(scheme, text)
    if has_shape(text):
        return text
    value = normalise(scheme, text)
    return value if has_shape(value) else ""


def _without_978(scheme: str, text: str) -> str:
    """Guideline 2.1.2 (5) ③: an ISBN-13 whose 978 was cut off has ten digits and the check digit of thirteen."""
    digits = text.replace("-", "")
    return normalise(scheme, f"978{digits}") if scheme == "ISBN" and len(digits) == 10 else ""
