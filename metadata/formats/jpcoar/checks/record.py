"""Checks of the source tree of JPCOAR: the table that says which check handles which element. They only note issues.

The conditions are those that IRDB publishes and that its validators test. To add a check: a function in the module of
its topic, a line in the table, its texts in rules.toml.
"""

from collections import Counter
from functools import lru_cache

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import Check, short_name
from metadata.formats.jpcoar.checks.details import (
    check_box,
    check_conference_date,
    check_coordinate,
    check_country,
    check_degree_date,
    check_degree_name,
    check_degree_number,
    check_file,
    check_grantor,
    check_positive,
)
from metadata.formats.jpcoar.checks.known import check_known
from metadata.formats.jpcoar.checks.languages import check_languages
from metadata.formats.jpcoar.checks.names import (
    check_contributor,
    check_holder_identifier,
    check_name_identifier,
    check_person_name,
    check_place_of_publication,
    check_publisher,
    check_rights,
)
from metadata.formats.jpcoar.checks.relations import (
    check_award,
    check_funder_identifier,
    check_funding,
    check_funding_stream,
    check_own_identifier,
    check_related,
    check_relation,
    check_source_identifier,
)
from metadata.formats.jpcoar.checks.terms import (
    check_access,
    check_data_set,
    check_date,
    check_description,
    check_license,
    check_subject,
    check_type,
    check_version,
)
from metadata.formats.jpcoar.names import local_name
from metadata.issue import where
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import children, text

_AGENCY = "JaLC"  # which was once stopped by two abstracts in one language


def check_tree(elements: list[etree._Element], draft: Draft, version: str) -> None:
    """Note all issues of one record, in document order.

    elements: the root and all elements below; version: "1.0", "2.0" or "2.1". The caller should keep the list until
    the record is read too: lxml creates new objects for elements that nobody refers to, which takes time.
    """
    reported: set[str] = set()
    for element in elements:
        parts = children(element)
        if parts:
            check_languages(element, parts, version, draft)
        check_known(element, parts, version, draft, reported)
        check = _check_of(element.tag)
        if check is not None and (parts or text(element)):
            check(element, version, draft)
    check_registration(elements[0], draft)


_CHECKS: dict[str, Check] = {
    "nameIdentifier": check_name_identifier,
    "holdingAgentNameIdentifier": check_holder_identifier,
    "creatorName": check_person_name,
    "contributorName": check_person_name,
    "rightsHolderName": check_person_name,
    "contributor": check_contributor,
    "rights": check_rights,
    "publisher": check_publisher,
    "publicationPlace": check_place_of_publication,
    "type": check_type,
    "accessRights": check_access,
    "version": check_version,
    "subject": check_subject,
    "description": check_description,
    "date": check_date,
    "license": check_license,
    "datasetSeries": check_data_set,
    "identifier": check_own_identifier,
    "relatedIdentifier": check_related,
    "relation": check_relation,
    "sourceIdentifier": check_source_identifier,
    "fundingReference": check_funding,
    "funderIdentifier": check_funder_identifier,
    "fundingStreamIdentifier": check_funding_stream,
    "awardNumber": check_award,
    "file": check_file,
    "numPages": check_positive,
    "pageStart": check_positive,
    "pageEnd": check_positive,
    "conferenceSequence": check_positive,
    "conferenceDate": check_conference_date,
    "conferenceCountry": check_country,
    "dissertationNumber": check_degree_number,
    "degreeName": check_degree_name,
    "dateGranted": check_degree_date,
    "degreeGrantor": check_grantor,
    "pointLongitude": check_coordinate,
    "pointLatitude": check_coordinate,
    "westBoundLongitude": check_coordinate,
    "eastBoundLongitude": check_coordinate,
    "southBoundLatitude": check_coordinate,
    "northBoundLatitude": check_coordinate,
    "geoLocationBox": check_box,
}


@lru_cache(maxsize=1024)
def _check_of(tag: str) -> Check | None:
    return _CHECKS.get(local_name(tag))


def check_registration(root: etree._Element, draft: Draft) -> None:
    """Check that there is one jpcoar:identifierRegistration, and one abstract in each language for it.

    Only the XML shows these. What the agencies need is checked in the record that was read: metadata.deposits.needs.
    """
    elements = [(short_name(child.tag), child) for child in children(root)]
    registrations = [element for name, element in elements if name == "jpcoar:identifierRegistration"]
    if len(registrations) > 1:
        draft.note("jpcoar.W212", "jpcoar:identifierRegistration", ", ".join(map(text, registrations[:3])))
    if not any(element.get("identifierType") == _AGENCY for element in registrations[:1]):
        return
    languages = Counter(
        element.get(XML_LANG, "")
        for name, element in elements
        if name == "datacite:description" and element.get("descriptionType") == "Abstract" and text(element)
    )
    for language, count in languages.items():
        if language and count > 1:
            draft.note("doi.E016", where("datacite:description", "descriptionType", "Abstract"), language)
