"""Checks of controlled terms of JPCOAR: types, access, versions, subjects, descriptions, dates. They only note
issues.

The conditions are those that IRDB publishes and that its validators test. The value to use is decided in
`metadata.formats.jpcoar.settle`; the issues name the same value as their result.
"""

import re

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.dcndl.readers import RESOURCE
from metadata.formats.jpcoar.checks.base import check_term, parent_name, path
from metadata.formats.jpcoar.names import local_name
from metadata.formats.jpcoar.terms import (
    ACCESS_BY_URI,
    ACCESS_RIGHTS,
    DATE_TYPES,
    DESCRIPTION_TYPES,
    RECORD_VERSIONS,
    REMOVED_TYPES,
    RENAMED_TYPES,
    SUBJECT_SCHEMES,
    VERSION_BY_URI,
    VERSION_TYPES,
)
from metadata.issue import where
from metadata.vocabularies.namespaces import XML_LANG
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from metadata.xml.parsing import children, text

_ACCESS_OF = {uri: term for term, uri in ACCESS_RIGHTS.items()}
_NEW_IN_2_0 = (
    "journal|design|other periodical|observational data|conference presentation|encoded data|industrial design|"
    "experimental data|plant patent|design patent|PCT application|utility model|layout design|"
    "plant variety protection|commentary|source code|laboratory notebook|conference output|research protocol|"
    "simulation data|aggregated data|trademark|measurement and test data|peer review|survey data|genomic data|"
    "clinical trial data|compiled data|recorded data|transcription|software patent|geospatial data"
)
_NEW_IN_2_1 = (
    "court documents|collection|research instrument|knowledge organization system|artistic work|"
    "knowledge synthesis protocol|magazine article|physical sample|archival collection"
)

_TYPES = (
    dict.fromkeys(RESOURCE_TYPES, "1.0")
    | dict.fromkeys(_NEW_IN_2_0.split("|"), "2.0")
    | dict.fromkeys(_NEW_IN_2_1.split("|"), "2.1")
)
_SUBJECTS = dict.fromkeys(SUBJECT_SCHEMES, "1.0") | dict.fromkeys(("e-Rad_field", "JEL"), "2.0")
_DATES = dict.fromkeys(DATE_TYPES, "1.0") | {"Coverage": "2.1"}
# Types of dates that may be a period: Collected and Coverage by the guideline, the others by its samples.
_SPANS = frozenset({"Collected", "Coverage", "Created", "Issued", "Valid"})
CLASS_FORMS = {
    "NDC": re.compile(r"[0-9]{1,3}(?:\.[0-9]+)?\Z"),
    "NDLC": re.compile(r"[A-Z]{1,2}[0-9]*(?:-[A-Z]?[0-9]+)*\Z"),
    "DDC": re.compile(r"[0-9]{3}(?:\.[0-9]+)?\Z"),
}


def check_type(element: etree._Element, version: str, draft: Draft) -> None:
    """Check the term of dc:type. A term of another version is read as its newest form; `settle` reports unknown
    terms.
    """
    if parent_name(element) != "jpcoar":
        return
    value = text(element)
    term = value if value in RESOURCE_TYPES else value.lower()
    if version != "1.0" and (term in RENAMED_TYPES or term in REMOVED_TYPES):
        draft.note("jpcoar.N307", path(element), value, RENAMED_TYPES.get(term, term))
    elif term in _TYPES:
        check_term("", path(element), term, _TYPES, version, draft)
    if version != "1.0" and not element.get(RESOURCE):
        draft.note("jpcoar.W107", path(element), value)


def check_access(element: etree._Element, _version: str, draft: Draft) -> None:
    """Compare text and URI of dcterms:accessRights. The text is used, or the URI if the text is no term."""
    field, value, uri = path(element), text(element), element.get(RESOURCE, "").strip()
    term, term_of_uri = value.lower(), _ACCESS_OF.get(uri, "")
    used = term if term in ACCESS_RIGHTS else ACCESS_BY_URI.get(_last_segment(uri), "")
    if not uri:
        draft.note("jpcoar.E013", field, value, ACCESS_RIGHTS.get(used, ""))
    elif not term_of_uri:
        draft.note("jpcoar.E213", field, uri, used)
    elif term == term_of_uri:
        if value != term_of_uri:
            draft.note("jpcoar.N113", field, value, term_of_uri)
    else:
        draft.note("jpcoar.E113", field, f"{value} {uri}", used)
    if not used:
        draft.note("jpcoar.E313", field, value)


def check_version(element: etree._Element, _version: str, draft: Draft) -> None:
    """Check oaire:version and datacite:version.

    Of oaire:version the URI is used, or the text if the URI is unknown. datacite:version must have its form.
    """
    if element.tag.startswith("{https://schema.datacite.org"):
        if not re.fullmatch(r"[0-9]+(?:\.[0-9]+)*[-a-z0-9A-Z]*", text(element)):
            draft.note("jpcoar.W029", path(element), text(element))
        return
    value, uri = text(element), element.get(RESOURCE, "").strip()
    used = VERSION_BY_URI.get(_last_segment(uri), "") or (value if value in VERSION_TYPES else "")
    if VERSION_TYPES.get(value, "-") != uri:
        draft.note("jpcoar.E019", path(element), f"{value} {uri}".strip(), used)
    if used and used not in RECORD_VERSIONS and not _links_published_version(element):
        draft.note("jpcoar.W020", where("jpcoar:relation", "relationType", "isVersionOf"), used)


def _last_segment(uri: str) -> str:
    """Return the last segment, also of a URI that is nearly right: https, a slash at the end."""
    return uri.rstrip("/").rpartition("/")[2]


def _links_published_version(element: etree._Element) -> bool:
    root = element.getparent()
    siblings = () if root is None else children(root)
    return any(
        sibling.get("relationType") == "isVersionOf" for sibling in siblings if local_name(sibling.tag) == "relation"
    )


def check_subject(element: etree._Element, version: str, draft: Draft) -> None:
    field, value, scheme = path(element), text(element), element.get("subjectScheme", "").strip()
    if scheme not in _SUBJECTS:
        draft.note("jpcoar.E030", field, scheme or value, "Other")
        return
    check_term("", f"{field}/@subjectScheme", scheme, _SUBJECTS, version, draft)
    if scheme in CLASS_FORMS:
        if not CLASS_FORMS[scheme].match(value):
            draft.note("jpcoar.W030", where(field, "subjectScheme", scheme), value)
    elif parent_name(element) != "catalog" and not element.get(XML_LANG):
        draft.note("jpcoar.W005", field, value)


def check_description(element: etree._Element, _version: str, draft: Draft) -> None:
    kind = element.get("descriptionType", "").strip()
    if kind not in DESCRIPTION_TYPES:
        draft.note("jpcoar.E031", path(element), kind, "Other")


def check_date(element: etree._Element, version: str, draft: Draft) -> None:
    """Check datacite:date of the record or of a file. dcterms:date is free text."""
    if "datacite" not in element.tag:
        return
    field, kind, value = path(element), element.get("dateType", "").strip(), text(element)
    if check_term("jpcoar.E016", field, kind, _DATES, version, draft) and "/" in value and kind not in _SPANS:
        draft.note("jpcoar.W017", where(field, "dateType", kind), value)


def check_license(element: etree._Element, _version: str, draft: Draft) -> None:
    """Check the license of a catalog element: licenseType is mandatory."""
    if element.get("licenseType", "").strip() not in {"file", "metadata", "thumbnail"}:
        draft.note("jpcoar.W245", path(element), element.get("licenseType", ""))


def check_data_set(element: etree._Element, _version: str, draft: Draft) -> None:
    if text(element) not in {"True", "False"}:
        draft.note("jpcoar.W042", path(element), text(element))
