"""Checks of what a JPCOAR record refers to: related resources, funders and awards, identifiers of the catalog
element.
"""

import re

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import check_term, parent_name, path
from metadata.formats.jpcoar.names import local_name
from metadata.formats.jpcoar.terms import FUNDER_IDENTIFIERS, RELATED_IDENTIFIERS, RELATION_TYPES, RENAMED_RELATIONS
from metadata.identifiers import normalise
from metadata.issue import where
from metadata.xml.parsing import children, text

_RELATED = dict.fromkeys(RELATED_IDENTIFIERS, "1.0") | {"CRID": "2.0", "CSTR": "2.1", "RRID": "2.1"}
_RELATIONS = (
    dict.fromkeys(RELATION_TYPES, "1.0")
    | dict.fromkeys(("inSeries", "isCitedBy"), "2.0")
    | dict.fromkeys(
        "cites isCollectedBy collects continues isContinuedBy isTranslationOf hasTranslation".split(), "2.1"
    )
)

_FUNDERS = dict.fromkeys(FUNDER_IDENTIFIERS, "1.0") | {"e-Rad_funder": "2.0", "ROR": "2.0"}
_OBSOLETE_SINCE = {"ISSN": "1.0", "NAID": "2.0", "PMID": "2.0"}
# The form of each identifier whose issuer defines one. A number may be given as its URL.
_FORMS = {
    kind: re.compile(form, re.IGNORECASE)
    for kind, form in {
        "ARK": r"(?:https?://\S+/)?ark:/?\S+",
        "arXiv": r"(?:https?://arxiv\.org/\S+|arxiv:\S+|[0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?|[a-z-]+(?:\.[a-z]{2})?/[0-9]{7})",
        "CRID": r"(?:https?://cir\.nii\.ac\.jp/crid/)?[0-9]{19}",
        "CSTR": r"(?:https?://\S*cstr\S*/|cstr:)?[0-9]{5}\.[0-9]{2}\.\S+",
        "DOI": r"https?://doi\.org/10\.\S+",
        "HDL": r"https?://hdl\.handle\.net/\S+",
        "ICHUSHI": r"(?:https?://search\.jamas\.or\.jp/\S+|[0-9A-Z]{10})",
        "NAID": r"(?:https?://ci\.nii\.ac\.jp/naid/)?[0-9]{11,13}X?/?|https?://ci\.nii\.ac\.jp/naid/[0-9]+/?",
        "NCID": r"(?:https?://ci\.nii\.ac\.jp/(?:books/)?ncid/)?(?:AA|AN|BA|BB|BC|BD|BN)[0-9]{7,8}[0-9X]?",
        "PMID": r"(?:https?://(?:www\.ncbi\.nlm\.nih\.gov/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)/)?[0-9]+/?",
        "PURL": r"https?://\S+",
        "RRID": r"(?:https?://\S+/)?RRID:\S+",
        "URI": r"[a-z][a-z0-9+.-]*:\S+",
    }.items()
}
_NUMBERS = {"ISBN": "ISBN", "ISSN": "ISSN", "PISSN": "ISSN", "EISSN": "ISSN"}  # with a check digit
# Forms that a jpcoar:identifier must begin with, by type.
_OWN = {"DOI": re.compile(r"https?://doi\.org/10\."), "HDL": re.compile(r"https?://hdl\.handle\.net/")}


def check_related(element: etree._Element, version: str, draft: Draft) -> None:
    kind, value, field = element.get("identifierType", "").strip(), text(element), path(element)
    if not check_term("", f"{field}/@identifierType", kind, _RELATED, version, draft):
        draft.note("jpcoar.E032", field, kind or value)
        return
    if _OBSOLETE_SINCE.get(kind, "9") <= version:
        draft.note("jpcoar.W032", where(field, "identifierType", kind), value)
    if not _has_form(kind, value):
        draft.note("jpcoar.W132", where(field, "identifierType", kind), value)


def _has_form(kind: str, value: str) -> bool:
    if kind in _NUMBERS:
        return bool(normalise(_NUMBERS[kind], value.removeprefix("urn:isbn:").removeprefix("urn:issn:")))
    form = _FORMS.get(kind)
    return form is None or form.fullmatch(value) is not None


def check_relation(element: etree._Element, version: str, draft: Draft) -> None:
    kind, field = element.get("relationType", "").strip(), path(element)
    if kind in RENAMED_RELATIONS:
        if version == "2.1":
            draft.note("jpcoar.N033", field, kind, RENAMED_RELATIONS[kind])
    elif kind:
        check_term("jpcoar.W033", field, kind, _RELATIONS, version, draft)


def check_source_identifier(element: etree._Element, version: str, draft: Draft) -> None:
    """Check whether the record's version of JPCOAR has the type ISBN. `identifiers` reports all other issues."""
    kind = element.get("identifierType", "").strip()
    if kind == "ISBN" and version != "2.1":
        # The vocabularies of versions 1.0 and 2.0 do not contain ISBN, and their schemas refuse it.
        draft.note("jpcoar.W145", f"{path(element)}/@identifierType", kind)


def check_own_identifier(element: etree._Element, _version: str, draft: Draft) -> None:
    """Check the identifier of a catalog element. Those of the record are checked when they are settled."""
    if parent_name(element) != "catalog":
        return
    kind, value = element.get("identifierType", "").strip(), text(element)
    form = _OWN.get(kind)
    if kind not in {"DOI", "HDL", "URI"} or (form is not None and not form.match(value)):
        draft.note("jpcoar.E110", where(path(element), "identifierType", kind), value)


def check_funding(element: etree._Element, _version: str, draft: Draft) -> None:
    if not any(local_name(child.tag) == "funderName" and text(child) for child in children(element)):
        draft.note("jpcoar.E036", path(element))


def check_funder_identifier(element: etree._Element, version: str, draft: Draft) -> None:
    kind = element.get("funderIdentifierType", "").strip()
    if kind == "GRID" and version != "1.0":
        draft.note("jpcoar.W236", path(element), kind)
    elif not check_term("", f"{path(element)}/@funderIdentifierType", kind, _FUNDERS, version, draft):
        draft.note("jpcoar.W336", path(element), kind or text(element))


def check_funding_stream(element: etree._Element, _version: str, draft: Draft) -> None:
    kind = element.get("fundingStreamIdentifierType", "").strip()
    if kind and kind not in {"Crossref Funder", "JGN_fundingStream"}:
        draft.note("jpcoar.W436", path(element), kind)


def check_award(element: etree._Element, _version: str, draft: Draft) -> None:
    kind = element.get("awardNumberType", "").strip()
    if kind == "JGN" and not re.match("JP[0-9a-zA-Z]+", text(element)):
        draft.note("jpcoar.W036", path(element), text(element))
    elif kind and kind != "JGN":
        draft.note("jpcoar.W136", path(element), kind)
