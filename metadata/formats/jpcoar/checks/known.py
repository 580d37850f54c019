"""Which elements and attributes each version of JPCOAR has. Tells what is of another version, and what is of none.

"+" before a name: since 2.0; "-": in 1.0 only. After the schemas and element lists of the three versions.
"""

from functools import lru_cache
from typing import Any

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import named, path
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
Known = dict[str, dict[str, str]]  # element → name of a part → "+", "-" or ""


def _prefixed(name: str) -> str:
    mark = name[0] if name[0] in "+-" else ""
    bare = name.removeprefix(mark)
    return f"{mark}{bare}" if ":" in bare else f"{mark}jpcoar:{bare}"


def _table(rows: dict[str, str], *, of_elements: bool) -> Known:
    found: Known = {}
    for name, parts in rows.items():
        marked = [_prefixed(each) if of_elements else each for each in parts.split()]
        found[_prefixed(name)] = {each.lstrip("+-"): each[: each[0] in "+-"] for each in marked}
    return found


_ELEMENTS = _table(_INSIDE, of_elements=True)
_OF_ELEMENTS = _table(_ATTRIBUTES, of_elements=False)
_SPEAKING = frozenset(map(_prefixed, _LANG.split()))
_ANYWHERE = (f"{{{XSI}}}", f"{{{XML}}}base", f"{{{XML}}}space", f"{{{XML}}}id")


def check_known(
    element: etree._Element, parts: list[etree._Element], version: str, draft: Draft, told: set[str]
) -> None:
    """The parts and the attributes of one element. told: the fields that were told already, each is told once."""
    name = element.tag
    for child in parts:
        mark = _mark_of_part(name, child.tag)
        if mark:
            _tell(mark, path(child), text(child), version, draft, told)
    keys: Any = element.keys()  # the stubs allow bytes in it
    for key, mark in _marked(named(name), tuple(keys)) if keys else ():
        _tell(mark, f"{path(element)}/@{named(key)}", element.get(key, ""), version, draft, told)


@lru_cache(maxsize=2048)
def _mark_of_part(tag: str, part: str) -> str:
    known = _ELEMENTS.get(named(tag))
    return "" if known is None else known.get(named(part), "?")


@lru_cache(maxsize=2048)  # elements come with the same attributes again and again
def _marked(name: str, keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The attributes that are not in all versions, with what is known of each."""
    marks = ((key, _mark(name, key)) for key in keys if not key.startswith(_ANYWHERE))
    return tuple((key, mark) for key, mark in marks if mark)


def _mark(name: str, key: str) -> str:
    if named(key) == "xml:lang":
        return "" if name in _SPEAKING else "?"
    return _OF_ELEMENTS.get(name, {}).get(named(key), "?")


def _tell(mark: str, field: str, value: str, version: str, draft: Draft, told: set[str]) -> None:
    """What came later than the record, what is gone since, and what never was."""
    code = {"+": "jpcoar.N142" if version == "1.0" else "", "-": "" if version == "1.0" else "jpcoar.N042"}.get(
        mark, "jpcoar.W045"
    )
    if code and field not in told:
        told.add(field)
        draft.note(code, field, value)
