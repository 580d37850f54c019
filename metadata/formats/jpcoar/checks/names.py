"""Checks of persons and bodies in JPCOAR: names, identifiers, types of contribution, rights."""

import re

from lxml import etree

from metadata.authorities import has_valid_check_digits
from metadata.formats.common.base import Draft
from metadata.formats.dcndl.readers import RESOURCE
from metadata.formats.jpcoar.checks.base import check_term, parent_name, path
from metadata.formats.jpcoar.names import NAME_SCHEMES, bare_identifier, local_name
from metadata.formats.jpcoar.terms import CONTRIBUTOR_TYPES, RENAMED_SCHEMES
from metadata.issue import where
from metadata.record import ORGANIZATIONAL
from metadata.vocabularies.countries import ALPHA_2
from metadata.xml.parsing import children, text

_OBSOLETE = frozenset({"NRID", "kakenhi", "GRID"})  # since 2.0; kakenhi stays valid for degree grantors
_SINCE = dict.fromkeys(NAME_SCHEMES, "1.0") | {"e-Rad_Researcher": "2.0", "ROR": "2.0"}
_HOLDERS = _SINCE | dict.fromkeys(("FANO", "ISIL", "MARC", "OCLC"), "2.0")
_CONTRIBUTORS = dict.fromkeys(CONTRIBUTOR_TYPES, "1.0") | {"Translator": "2.1"}
_BODIES = frozenset({"HostingInstitution", "ResearchGroup"})  # types of contributors that are bodies
# Forms of the URIs. The schema has URIs of ISNI with and without www, and its own samples use both.
_URI_FORMS = {
    "ORCID": r"https://orcid\.org/[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]",
    "ISNI": r"https?://(?:www\.)?isni\.org/(?:isni/)?[0-9]{15}[0-9X]",
    "VIAF": r"https?://(?:www\.)?viaf\.org/viaf/[0-9]+/?",
    "NRID": r"https://nrid\.nii\.ac\.jp/(?:ja/|en/)?nrid/[0-9]{13}/?",
    "GRID": r"https://www\.grid\.ac/institutes/grid\.[0-9]+\.[0-9a-z]+",
    "ROR": r"https://ror\.org/0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}",
}
_SHORT_NAME = 20  # characters; the names of bodies are longer
_WEB = ("http://", "https://")


def check_name_identifier(element: etree._Element, version: str, draft: Draft) -> None:
    sent = element.get("nameIdentifierScheme", "").strip()
    scheme, field, value = RENAMED_SCHEMES.get(sent, sent), path(element), text(element)
    if not scheme:
        draft.note("jpcoar.E021", field, value)
        return
    if sent != scheme:
        if version != "1.0":
            draft.note("jpcoar.N042", f"{field}/@nameIdentifierScheme", sent, scheme)
    elif not check_term("jpcoar.W145", f"{field}/@nameIdentifierScheme", scheme, _SINCE, version, draft):
        return
    if version != "1.0" and scheme in _OBSOLETE and parent_name(element) != "degreeGrantor":
        draft.note("jpcoar.W221", field, scheme)
    _check_value(scheme, value, where(field, "nameIdentifierScheme", scheme), draft)
    _check_uri(scheme, value, element, draft)


def check_holder_identifier(element: etree._Element, version: str, draft: Draft) -> None:
    scheme = element.get("nameIdentifierScheme", "").strip()
    if not scheme:
        draft.note("jpcoar.E021", path(element), text(element))
    else:
        check_term("jpcoar.W145", f"{path(element)}/@nameIdentifierScheme", scheme, _HOLDERS, version, draft)


def _check_value(scheme: str, value: str, field: str, draft: Draft) -> None:
    """Check the bare identifier. A URL of a known host is shortened to it; for ROR a URL is usual and recommended."""
    bare = bare_identifier(value)
    if value.startswith(_WEB) and scheme != "ROR":
        if bare == value:
            draft.note("jpcoar.W321", field, value)
        else:
            draft.note("jpcoar.N021", field, value, bare)
    known = NAME_SCHEMES.get(scheme)
    if known and not re.fullmatch(known.form, bare):
        draft.note("jpcoar.W021", field, value)
    elif not has_valid_check_digits(scheme, bare):
        draft.note("jpcoar.W022", field, value)


def _check_uri(scheme: str, value: str, element: etree._Element, draft: Draft) -> None:
    uri, form = element.get("nameIdentifierURI", "").strip(), _URI_FORMS.get(scheme)
    if not uri or form is None:
        return
    field = f"{path(element)}/@nameIdentifierURI"
    if not re.fullmatch(form, uri):
        draft.note("jpcoar.W421", field, uri)
    elif bare_identifier(uri) != bare_identifier(value):
        draft.note("jpcoar.W121", field, uri)


def check_person_name(element: etree._Element, _version: str, draft: Draft) -> None:
    parent = element.getparent()
    is_body = element.get("nameType") == ORGANIZATIONAL or (
        parent is not None and parent.get("contributorType") in _BODIES
    )
    value = text(element)
    if not is_body and len(value) < _SHORT_NAME and not re.search(".+, .+", value):
        draft.note("jpcoar.W023", path(element), value)


def check_contributor(element: etree._Element, version: str, draft: Draft) -> None:
    field, kind = path(element), element.get("contributorType", "").strip()
    check_term("jpcoar.W025", field, kind, _CONTRIBUTORS, version, draft)
    if parent_name(element) == "catalog" and not _has_text(element, "contributorName"):
        draft.note("jpcoar.E045", f"{field}/jpcoar:contributorName")


def check_rights(element: etree._Element, _version: str, draft: Draft) -> None:
    value = text(element)
    if not element.get(RESOURCE) and re.search(r"creative[\s-]*commons|\bCC[ -]BY", value, re.IGNORECASE):
        draft.note("jpcoar.W026", path(element), value)


def check_publisher(element: etree._Element, _version: str, draft: Draft) -> None:
    """Check jpcoar:publisher. dc:publisher has no children and is skipped."""
    if len(element) and not _has_text(element, "publisherName"):
        draft.note("jpcoar.W027", path(element))


def check_place_of_publication(element: etree._Element, _version: str, draft: Draft) -> None:
    value = text(element)
    if value.upper() in ALPHA_2:
        if value not in ALPHA_2:
            draft.note("jpcoar.N028", path(element), value, value.upper())
    else:
        draft.note("jpcoar.W028", path(element), value)


def _has_text(element: etree._Element, name: str) -> bool:
    return any(local_name(child.tag) == name and text(child) for child in children(element))
