"""The elements and attributes of each version of JPCOAR. Reports those that belong to another version only, and those
that belong to no version.

"+" before a name: since 2.0; "-": in 1.0 only. From the schemas and element lists of the three versions.
"""

from functools import lru_cache
from typing import Any

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import path, short_name
from metadata.vocabularies.namespaces import XML, XSI
from metadata.xml.parsing import text

_AGENT = "nameIdentifier familyName givenName affiliation"
_INSIDE = {
    "jpcoar": "dc:title dcterms:alternative creator contributor dcterms:accessRights -rioxxterms:apc dc:rights "
    "rightsHolder subject datacite:description dc:publisher +publisher datacite:date +dcterms:date dc:language "
    "dc:type datacite:version oaire:version identifier identifierRegistration relation dcterms:temporal "
    "datacite:geoLocation fundingReference sourceIdentifier sourceTitle volume issue numPages pageStart pageEnd "
    "dcndl:dissertationNumber dcndl:degreeName dcndl:dateGranted degreeGrantor conference +dcndl:edition "
    "+dcndl:volumeTitle +dcndl:originalLanguage +dcterms:extent +format +holdingAgent +datasetSeries file +catalog",
    "creator": f"{_AGENT} creatorName creatorAlternative",
    "contributor": f"{_AGENT} contributorName contributorAlternative",
    "affiliation": "nameIdentifier affiliationName",
    "rightsHolder": "nameIdentifier rightsHolderName",
    "publisher": "publisherName publisherDescription dcndl:location dcndl:publicationPlace",
    "relation": "relatedIdentifier relatedTitle",
    "fundingReference": "-datacite:funderIdentifier +funderIdentifier funderName +fundingStreamIdentifier "
    "+fundingStream -datacite:awardNumber +awardNumber awardTitle dc:identifier",
    "degreeGrantor": "nameIdentifier degreeGrantorName",
    "conference": "conferenceName conferenceSequence conferenceSponsor conferenceDate conferenceVenue "
    "conferencePlace conferenceCountry",
    "holdingAgent": "holdingAgentNameIdentifier holdingAgentName",
    "file": "URI mimeType extent datacite:date datacite:version",
    "catalog": "contributor identifier dc:title datacite:description subject license dc:rights dcterms:accessRights "
    "file",
    "datacite:geoLocation": "datacite:geoLocationPoint datacite:geoLocationBox datacite:geoLocationPlace",
    "datacite:geoLocationPoint": "datacite:pointLongitude datacite:pointLatitude",
    "datacite:geoLocationBox": "datacite:westBoundLongitude datacite:eastBoundLongitude "
    "datacite:southBoundLatitude datacite:northBoundLatitude",
}
_LANG = (
    "dc:title dcterms:alternative dc:rights subject datacite:description dc:publisher dcterms:date dcterms:temporal "
    "dcterms:extent sourceTitle dcndl:degreeName dcndl:edition dcndl:volumeTitle dcndl:location format creatorName "
    "familyName givenName creatorAlternative affiliationName contributorName contributorAlternative rightsHolderName "
    "relatedTitle degreeGrantorName conferenceName conferenceSponsor conferenceVenue conferencePlace conferenceDate "
    "fundingReference funderName fundingStream awardTitle publisherName publisherDescription holdingAgentName license "
    "holdingAgentNameIdentifier"
)
_ATTRIBUTES = {
    "creator": "+creatorType",
    "contributor": "contributorType",
    "creatorName": "+nameType",
    "contributorName": "+nameType",
    "nameIdentifier": "nameIdentifierScheme nameIdentifierURI",
    "holdingAgentNameIdentifier": "nameIdentifierScheme nameIdentifierURI",
    "dcterms:accessRights": "rdf:resource",
    "dc:rights": "rdf:resource",
    "dc:type": "rdf:resource",
    "oaire:version": "rdf:resource",
    "license": "licenseType rdf:resource",
    "subject": "subjectScheme subjectURI",
    "datacite:description": "descriptionType",
    "datacite:date": "dateType",
    "identifier": "identifierType",
    "identifierRegistration": "identifierType",
    "sourceIdentifier": "identifierType",
    "dc:identifier": "identifierType",
    "relatedIdentifier": "identifierType",
    "relation": "relationType",
    "datacite:funderIdentifier": "funderIdentifierType",
    "funderIdentifier": "funderIdentifierType funderIdentifierTypeURI",
    "fundingStreamIdentifier": "fundingStreamIdentifierType fundingStreamIdentifierTypeURI",
    "datacite:awardNumber": "awardURI",
    "awardNumber": "awardURI awardNumberType",
    "conferenceDate": "startYear startMonth startDay endYear endMonth endDay",
    "URI": "objectType label",
}
Known = dict[str, dict[str, str]]  # element → name of a child or attribute → "+", "-" or ""


def _prefixed(name: str) -> str:
    mark = name[0] if name[0] in "+-" else ""
    bare = name.removeprefix(mark)
    return f"{mark}{bare}" if ":" in bare else f"{mark}jpcoar:{bare}"


def _table(rows: dict[str, str], *, of_elements: bool) -> Known:
    table: Known = {}
    for name, parts in rows.items():
        marked_names = [_prefixed(part) if of_elements else part for part in parts.split()]
        table[_prefixed(name)] = {part.lstrip("+-"): part[: part[0] in "+-"] for part in marked_names}
    return table


_CHILDREN_OF = _table(_INSIDE, of_elements=True)
_ATTRIBUTES_OF = _table(_ATTRIBUTES, of_elements=False)
_WITH_LANGUAGE = frozenset(map(_prefixed, _LANG.split()))
_ANYWHERE = (f"{{{XSI}}}", f"{{{XML}}}base", f"{{{XML}}}space", f"{{{XML}}}id")


def check_known(
    element: etree._Element, parts: list[etree._Element], version: str, draft: Draft, reported: set[str]
) -> None:
    """Check the children and attributes of one element. reported: the fields that already have an issue; a field gets
    only one.
    """
    name = element.tag
    for child in parts:
        mark = _mark_of_part(name, child.tag)
        if mark:
            _report(mark, path(child), text(child), version, draft, reported)
    keys: Any = element.keys()  # the type stubs of lxml allow bytes in it
    for key, mark in _marked_attributes(short_name(name), tuple(keys)) if keys else ():
        _report(mark, f"{path(element)}/@{short_name(key)}", element.get(key, ""), version, draft, reported)


@lru_cache(maxsize=2048)
def _mark_of_part(tag: str, part: str) -> str:
    known = _CHILDREN_OF.get(short_name(tag))
    return "" if known is None else known.get(short_name(part), "?")


@lru_cache(maxsize=2048)  # the same attributes come again and again
def _marked_attributes(name: str, keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the attributes that some or all versions of JPCOAR lack, as pairs of attribute and mark.

    The mark is "+" for an attribute that exists since 2.0, "-" for one in 1.0 only, "?" for one in no version.
    """
    marks = ((key, _mark(name, key)) for key in keys if not key.startswith(_ANYWHERE))
    return tuple((key, mark) for key, mark in marks if mark)


def _mark(name: str, key: str) -> str:
    if short_name(key) == "xml:lang":
        return "" if name in _WITH_LANGUAGE else "?"
    return _ATTRIBUTES_OF.get(name, {}).get(short_name(key), "?")


def _report(mark: str, field: str, value: str, version: str, draft: Draft, reported: set[str]) -> None:
    """Report what is newer than the record's version, what is only in 1.0, and what is in no version."""
    code = {"+": "jpcoar.N142" if version == "1.0" else "", "-": "" if version == "1.0" else "jpcoar.N042"}.get(
        mark, "jpcoar.W045"
    )
    if code and field not in reported:
        reported.add(field)
        draft.note(code, field, value)
