"""Identifiers and links of DC-NDL: which are valid, which repeat each other, which are landing pages.

Guideline 2.1.2 (5) and (7). Invalid identifiers are stored in a field of their own and never used for matching.
"""

import re
from typing import Any
from urllib.parse import unquote

from metadata.formats.common.base import NO_HOST, Draft, Step, unique
from metadata.formats.common.codes import identifier_as_sent
from metadata.identifiers import normalise
from metadata.record import Host, Identifier, Relation, Title
from metadata.vocabularies.dcndl import DECLARED_WRONG, IDENTIFIER_SCHEMES, identifier_in_uri

Valid = dict[tuple[str, str], Identifier]  # valid identifiers by (scheme, normal form)

ELEMENT = "dcterms:identifier"
WRONG = "Incorrect"  # prefix of a scheme, as NDL names wrong ISSNs ("IncorrectISSN")
_SPELLINGS = {"setISBN": "SetISBN"}
# Forms that numbers of these schemes have in all real records. A text in this form is normal already; a text whose
# normal form is not in this form is invalid.
_SHAPES = {
    "JPNO": re.compile(r"[0-9]{8}").fullmatch,
    "NDLBibID": re.compile(r"[0-9]{7,12}").fullmatch,
    "NDLJP": re.compile(r"(?:info:ndljp/pid/)?[0-9]+").fullmatch,
    # The letters that NII's catalogue assigns; BC and BD since 2021.
    "NIIBibID": re.compile(r"(?:A[AN]|B[ABCDN])[0-9]{7,8}[0-9X]?").fullmatch,
}
_NDLJP = "info:ndljp/pid/"


def sorting_identifiers(element: str = ELEMENT) -> Step:
    """Return the step that sorts the identifiers of this element."""
    return Step(
        "identifiers id_uris",
        "identifiers invalid_identifiers see_also",
        "each is kept once in its normal form; what is wrong by its form or declared wrong is an invalid identifier; "
        "the ISBN of a set is none of the volume; identifiers that only a URI gives are added",
        lambda draft: _settle_identifiers(draft, element),
    )


def _settle_identifiers(draft: Draft, element: str) -> None:
    fields = draft.fields
    valid: Valid = {}
    for sent_scheme, text in fields.pop("identifiers", ()):
        scheme = _SPELLINGS.get(sent_scheme, sent_scheme)
        wrong = scheme in DECLARED_WRONG or scheme.startswith(WRONG)
        if scheme not in IDENTIFIER_SCHEMES and not wrong:
            draft.note("dcndl.W017", f"{element}[{sent_scheme}]" if sent_scheme else element, text)
        value = "" if wrong else _normal_form(scheme, text)
        if value.isdigit() and scheme == "NDLJP":
            value = f"{_NDLJP}{value}"
            draft.note("dcndl.N016", f"{element}[NDLJP]", text, value)
        if value:
            if (scheme, value) not in valid:
                valid[scheme, value] = identifier_as_sent(scheme, value, text)
        else:
            _settle_invalid(scheme, text, valid, draft, element)
    _compare_with_uris(valid, draft, element)
    _separate_set_isbn(valid, draft, element)
    fields["identifiers"] = list(valid.values())


def _settle_invalid(scheme: str, text: str, valid: Valid, draft: Draft, element: str) -> None:
    """Repair what can be repaired without guessing; store the rest as invalid.

    An identifier that its provider did not declare wrong also gets an issue.
    """
    repaired = _completed_with_978(scheme, text)
    if repaired:
        draft.note("dcndl.N013", f"{element}[ISBN]", text, repaired)
        valid.setdefault((scheme, repaired), identifier_as_sent(scheme, repaired, text))
        return
    if scheme not in DECLARED_WRONG and not scheme.startswith(WRONG):
        draft.note("dcndl.E013" if scheme in {"ISBN", "SetISBN"} else "dcndl.E016", f"{element}[{scheme}]", text)
    draft.fields["invalid_identifiers"].append(Identifier(scheme=_declared_scheme(scheme), value=text))


def _declared_scheme(scheme: str) -> str:
    """Return the scheme without the mark of a wrong identifier: "IncorrectISSN" → "ISSN"."""
    return DECLARED_WRONG.get(scheme) or scheme.removeprefix(WRONG)


def settle_source_identifiers(draft: Draft, name: str = "source_identifiers") -> None:
    """Read identifiers that are not used for matching: as sent, with a normal form where the scheme has one."""
    if name not in draft.fields:
        return
    settled = []
    for scheme, text in draft.fields[name]:
        value = normalise(scheme, text) or text
        settled.append(identifier_as_sent(scheme, value, text))
    draft.fields[name] = settled


def _settle_links(draft: Draft) -> None:
    fields = draft.fields
    pages = []
    for uri in fields.pop("see_also", ()):
        scheme_and_text = identifier_in_uri(uri)
        if scheme_and_text:
            fields["id_uris"].append((*scheme_and_text, uri))
        elif uri.startswith(("http://", "https://")):
            pages.append(uri)
        else:
            draft.note("dcndl.E011", "rdfs:seeAlso", uri)
    fields["see_also"] = list(dict.fromkeys(pages))


def _take_host_issn(draft: Draft) -> None:
    if "relations" not in draft.fields:
        return
    relations = []
    for relation in draft.fields.pop("relations"):
        scheme, value = identifier_in_uri(relation.uri) or ("", "") if relation.type == "isPartOf" else ("", "")
        issn = normalise(scheme, value) if scheme in {"ISSN", "ISSNL"} else ""
        if issn and relation == Relation(type=relation.type, uri=relation.uri):
            draft.fields["host_issn"].append(issn)
        else:
            relations.append(relation)
    draft.fields["relations"] = relations


def _join_host(draft: Draft) -> None:
    fields = draft.fields
    issn = tuple(unique(fields.pop("host_issn", ())))
    identifiers = tuple(fields.pop("host_identifiers", ()))
    if not ("host" in fields or issn or identifiers):
        return
    values: dict[str, Any] = {}
    titles = []
    for part in fields.pop("host", ()):
        if part.title and "title" in values:
            titles.append(Title(value=part.title, language=part.language))
        elif part.title:
            values |= {"title": part.title, "language": part.language}
        for name in ("volume", "number", "issue", "pages"):
            value = getattr(part, name)
            if value:
                values.setdefault(name, value)
    host = Host(**values, issn=issn, titles=tuple(titles), identifiers=identifiers)
    if host != NO_HOST:
        draft.single["host"] = host


def _compare_with_uris(valid: Valid, draft: Draft, element: str) -> None:
    """Compare the identifiers with their URIs, and adopt those that only a URI gives.

    Guideline 2.1.2 (5): an ISBN is given both as a literal and as a URI.
    """
    literals = [value for scheme, value in valid if scheme == "ISBN"]
    uris = []
    for scheme, text, uri in draft.fields.pop("id_uris", ()):
        if (scheme, text) in valid:  # nearly always true
            if scheme == "ISBN":
                uris.append(text)
            continue
        value = _normal_form(scheme, unquote(text) if "%" in text else text)
        if scheme == "ISBN":
            uris.append(value)
            if value not in literals and (literals or not value):
                draft.note("dcndl.W012", "rdfs:seeAlso", text, " ".join(literals))
                continue
        _adopt_from_uri(scheme, value, uri, valid, draft)
    if bool(literals) != bool(uris):
        draft.note("dcndl.N012", "rdfs:seeAlso" if literals else element, " ".join(sorted(set(literals or uris))))


def _adopt_from_uri(scheme: str, value: str, uri: str, valid: Valid, draft: Draft) -> None:
    if not value:  # not an identifier: a page after all
        draft.fields["see_also"].append(uri)
    elif not _known(scheme, value, valid):
        valid[scheme, value] = Identifier(scheme=scheme, value=value)


def _known(scheme: str, value: str, valid: Valid) -> bool:
    """Whether the identifier, given by a URI, is already among the valid ones.

    LCCN literals are printed in so many ways that any LCCN counts as the one in the URI.
    """
    return (scheme, value) in valid or (scheme == "USMARCNO" and any(known == scheme for known, _ in valid))


def _separate_set_isbn(valid: Valid, draft: Draft, element: str) -> None:
    """Remove the ISBN of a set from the ISBNs of the volume (guideline 2.1.2 (5) ②).

    Left among them, it would match volumes that are different books.
    """
    for value in [number for scheme, number in valid if scheme == "SetISBN"]:
        if valid.pop(("ISBN", value), None):
            draft.note("dcndl.E015", f"{element}[ISBN]", value)


def _normal_form(scheme: str, text: str) -> str:
    """Return the normal form, or "" if the text is not an identifier of this scheme."""
    has_shape = _SHAPES.get(scheme)
    if has_shape is None:
        return normalise(scheme, text)
    if has_shape(text):
        return text
    value = normalise(scheme, text)
    return value if has_shape(value) else ""


def _completed_with_978(scheme: str, text: str) -> str:
    """Complete an ISBN-13 whose 978 was cut off; "" if the text is no such number (guideline 2.1.2 (5) ③).

    Such a number has ten digits, and its check digit is that of the complete thirteen.
    """
    digits = text.replace("-", "")
    return normalise(scheme, f"978{digits}") if scheme == "ISBN" and len(digits) == 10 else ""


SORTING_LINKS = Step(
    "see_also",
    "see_also id_uris",
    "a URI of an identifier is compared with the identifiers; what is not a URL is reported and dropped",
    _settle_links,
)
TAKING_HOST_ISSN = Step(
    "relations",
    "relations host_issn",
    "a dcterms:isPartOf that is only the URI of an ISSN is the ISSN of the publication that contains the record",
    _take_host_issn,
)
NORMALISING_SOURCES = Step(
    "source_identifiers", "source_identifiers", "in normal form where the scheme has one", settle_source_identifiers
)
JOINING_HOST = Step(
    "host host_issn host_identifiers",
    "host",
    "all statements about the publication that contains the record together",
    _join_host,
)
