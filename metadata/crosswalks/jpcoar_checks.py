"""What only the source tree of JPCOAR can tell: languages, attributes, forms. Notes issues; changes nothing.

The conditions are those that IRDB publishes and that its validators test; sentences are in sentences_jpcoar.
"""

import re
from collections import defaultdict
from collections.abc import Callable

from lxml import etree

from metadata.countries import ALPHA_2
from metadata.crosswalks.base import Draft
from metadata.crosswalks.dcndl_readers import RESOURCE
from metadata.crosswalks.jpcoar_names import NAME_SCHEMES, bare_identifier, is_reading, local, scheme_uri
from metadata.crosswalks.jpcoar_terms import (
    CONTRIBUTOR_TYPES,
    DATE_TYPES,
    DESCRIPTION_TYPES,
    FUNDER_IDENTIFIERS,
    OBJECT_TYPES,
    RELATED_IDENTIFIERS,
    RELATION_TYPES,
    RENAMED_RELATIONS,
    RENAMED_SCHEMES,
    SUBJECT_SCHEMES,
)
from metadata.namespaces import JPCOAR_VERSIONS, XML_LANG, shorten
from metadata.xml import children, text

Check = Callable[[etree._Element, str, Draft], None]

# Elements whose xml:lang says which language they are in; those that may stand once in each language.
_ONCE = frozenset(
    "title creatorName contributorName familyName givenName affiliationName rightsHolderName relatedTitle funderName "
    "awardTitle sourceTitle degreeName degreeGrantorName conferenceName conferenceSponsor conferenceVenue "
    "conferencePlace holdingAgentName".split()
)
_SEVERAL = frozenset(
    "alternative creatorAlternative contributorAlternative rights description publisherName publisherDescription "
    "location temporal fundingStream conferenceDate edition volumeTitle format license".split()
)
# Only where they stand right below the root: elsewhere the same name means something without a language.
_AT_TOP = frozenset({"{http://purl.org/dc/terms/}date", "{http://purl.org/dc/terms/}extent"})
_DC_PUBLISHER = "{http://purl.org/dc/elements/1.1/}publisher"
_READ_ALOUD = _ONCE | {"creatorAlternative", "contributorAlternative"}
_MEDIA_TYPE = re.compile(r"(?:application|audio|example|font|image|message|model|multipart|text|video)/\S")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*[-a-z0-9A-Z]*\Z")
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*\Z")
_CLASS_FORMS = {
    "NDC": re.compile(r"[0-9]{1,3}(?:\.[0-9]+)?\Z"),
    "NDLC": re.compile(r"[A-Z]{1,2}[0-9]*(?:-[A-Z]?[0-9]+)*\Z"),
    "DDC": re.compile(r"[0-9]{3}(?:\.[0-9]+)?\Z"),
}
_OBSOLETE_NAMES = frozenset({"NRID", "kakenhi", "GRID"})
_OBSOLETE_RELATED = frozenset({"ISSN", "NAID", "PMID"})
_SHORT_NAME = 20  # characters; the names of bodies are longer


def check_tree(root: etree._Element, draft: Draft, version: str) -> None:
    """All findings of one record, in document order. version: "1.0", "2.0", "2.1"."""
    _check_known(root, draft)
    for element in root.iter():
        if len(element):
            _check_languages(element, root, draft)
        check = _CHECKS.get(local(element.tag))
        if check is not None and (len(element) or text(element)):
            check(element, version, draft)


def _path(element: etree._Element) -> str:
    parent = element.getparent()
    name = shorten(element.tag)
    return name if parent is None or local(parent.tag) == "jpcoar" else f"{shorten(parent.tag)}/{name}"


def _check_known(root: etree._Element, draft: Draft) -> None:
    """Parts of 1.0 in a later version, and namespaces that JPCOAR does not use."""
    for child in children(root):
        if "purl.org" in child.tag or "jpcoar" in child.tag.lower():
            continue
        if shorten(child.tag).startswith("{"):
            draft.note("jpcoar.W045", child.tag, text(child))


def _check_languages(parent: etree._Element, root: etree._Element, draft: Draft) -> None:
    """xml:lang of the children: given, well-formed, and each language once where a text stands once in each."""
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for child in children(parent):
        name = local(child.tag)
        speaks = name in _ONCE or name in _SEVERAL or child.tag == _DC_PUBLISHER
        if (speaks or (child.tag in _AT_TOP and parent is root)) and text(child):
            by_name[child.tag].append(child.get(XML_LANG, ""))
    for tag, languages in by_name.items():
        _check_language(parent.find(tag), tag, languages, draft, parent is root)


def _check_language(element: etree._Element | None, tag: str, languages: list[str], draft: Draft, top: bool) -> None:
    field, name = _path(element) if element is not None else shorten(tag), local(tag)
    main = top and name == "title"
    if "" in languages and not (main and len(languages) == 1):
        draft.note("jpcoar.W005", field)
    for language in {*languages} - {""}:
        if not _LANGUAGE.match(language):
            draft.note("jpcoar.W006", field, language)
    twice = sorted({each for each in languages if languages.count(each) > 1})
    if twice and name in _ONCE:
        draft.note("jpcoar.E003" if main else "jpcoar.E103", field, ", ".join(each or "-" for each in twice))
    _check_readings(field, name, languages, draft, main)


def _check_readings(field: str, name: str, languages: list[str], draft: Draft, main: bool) -> None:
    if name in {"familyName", "givenName"}:
        if any(is_reading(each) for each in languages):
            draft.note("jpcoar.W024", field, ", ".join(languages))
    elif name in _READ_ALOUD and any(map(is_reading, languages)) and "ja" not in {each.lower() for each in languages}:
        draft.note("jpcoar.E004" if main else "jpcoar.E104", field, ", ".join(languages))


def _name_identifier(element: etree._Element, version: str, draft: Draft) -> None:
    sent = element.get("nameIdentifierScheme", "").strip()
    scheme, field, value = RENAMED_SCHEMES.get(sent, sent), _path(element), text(element)
    if not scheme:
        draft.note("jpcoar.E021", field, value)
        return
    parent = element.getparent()
    if (
        version != "1.0"
        and scheme in _OBSOLETE_NAMES
        and not (scheme == "kakenhi" and parent is not None and local(parent.tag) == "degreeGrantor")
    ):
        draft.note("jpcoar.W221", field, scheme)
    bare = bare_identifier(value)
    if bare != value and scheme != "ROR":
        draft.note("jpcoar.N021", f"{field}[@{scheme}]", value)
    known = NAME_SCHEMES.get(scheme)
    if known and not re.fullmatch(known.form, bare):
        draft.note("jpcoar.W021", f"{field}[@{scheme}]", value)
    elif scheme in {"ORCID", "ISNI"} and not _is_checked(bare):
        draft.note("jpcoar.W022", f"{field}[@{scheme}]", value)
    uri = element.get("nameIdentifierURI", "").strip()
    if uri and scheme_uri(scheme, bare) and bare_identifier(uri) != bare:
        draft.note("jpcoar.W121", f"{field}/@nameIdentifierURI", uri)


def _is_checked(value: str) -> bool:
    """ISO 7064 MOD 11-2, the check of ORCID and ISNI."""
    digits = value.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == digits[-1]


def _person_name(element: etree._Element, _version: str, draft: Draft) -> None:
    value = text(element)
    personal = element.get("nameType", "Personal") != "Organizational"
    if personal and len(value) < _SHORT_NAME and not re.search("[,，、]", value):
        draft.note("jpcoar.W023", _path(element), value)


def _contributor(element: etree._Element, _version: str, draft: Draft) -> None:
    kind = element.get("contributorType", "").strip()
    if kind not in CONTRIBUTOR_TYPES:
        draft.note("jpcoar.W025", _path(element), kind)


def _rights(element: etree._Element, _version: str, draft: Draft) -> None:
    if re.search(r"creative\s*commons|\bCC[ -]BY", text(element), re.IGNORECASE) and not element.get(RESOURCE):
        draft.note("jpcoar.W026", _path(element), text(element))


def _publisher(element: etree._Element, _version: str, draft: Draft) -> None:
    if len(element) and not any(local(child.tag) == "publisherName" and text(child) for child in children(element)):
        draft.note("jpcoar.W027", _path(element))


def _country(element: etree._Element, _version: str, draft: Draft) -> None:
    if text(element) not in ALPHA_2:
        code = "jpcoar.W028" if local(element.tag) == "publicationPlace" else "jpcoar.W144"
        draft.note(code, _path(element), text(element))


def _version_form(element: etree._Element, _version: str, draft: Draft) -> None:
    if element.tag.startswith("{https://schema.datacite.org") and not _VERSION.match(text(element)):
        draft.note("jpcoar.W029", _path(element), text(element))


def _subject(element: etree._Element, _version: str, draft: Draft) -> None:
    scheme = element.get("subjectScheme", "").strip()
    if scheme not in SUBJECT_SCHEMES:
        draft.note("jpcoar.E030", _path(element), scheme or text(element))
    elif scheme in _CLASS_FORMS and not _CLASS_FORMS[scheme].match(text(element)):
        draft.note("jpcoar.W030", f"{_path(element)}[@{scheme}]", text(element))
    elif scheme not in _CLASS_FORMS and not element.get(XML_LANG):
        draft.note("jpcoar.W005", _path(element))


def _description(element: etree._Element, _version: str, draft: Draft) -> None:
    kind = element.get("descriptionType", "").strip()
    if kind not in DESCRIPTION_TYPES:
        draft.note("jpcoar.E031", _path(element), kind)


def _date(element: etree._Element, _version: str, draft: Draft) -> None:
    kind = element.get("dateType", "").strip()
    if "datacite" in element.tag and kind not in DATE_TYPES:
        draft.note("jpcoar.E016", _path(element), kind)


def _related(element: etree._Element, version: str, draft: Draft) -> None:
    kind, value, field = element.get("identifierType", "").strip(), text(element), _path(element)
    if kind not in RELATED_IDENTIFIERS:
        draft.note("jpcoar.E032", field, kind or value)
    elif kind in _OBSOLETE_RELATED and version != "1.0":
        draft.note("jpcoar.W032", f"{field}[@{kind}]", value)
    elif (kind == "DOI" and not value.startswith(("https://doi.org/10.", "http://doi.org/10."))) or (
        kind == "URI" and ":" not in value
    ):
        draft.note("jpcoar.W132", f"{field}[@{kind}]", value)


def _relation(element: etree._Element, version: str, draft: Draft) -> None:
    kind = element.get("relationType", "").strip()
    if kind in RENAMED_RELATIONS:
        if version == "2.1":
            draft.note("jpcoar.N033", _path(element), kind)
    elif kind and kind not in RELATION_TYPES:
        draft.note("jpcoar.W033", _path(element), kind)


def _funding(element: etree._Element, _version: str, draft: Draft) -> None:
    if not any(local(child.tag) == "funderName" and text(child) for child in children(element)):
        draft.note("jpcoar.E036", _path(element))


def _funder_identifier(element: etree._Element, version: str, draft: Draft) -> None:
    kind = element.get("funderIdentifierType", "").strip()
    if kind not in FUNDER_IDENTIFIERS or (kind == "GRID" and version != "1.0"):
        draft.note("jpcoar.W236", _path(element), kind or text(element))


def _award(element: etree._Element, _version: str, draft: Draft) -> None:
    kind = element.get("awardNumberType", "").strip()
    if kind == "JGN" and not text(element).startswith("JP"):
        draft.note("jpcoar.W036", _path(element), text(element))
    elif kind and kind != "JGN":
        draft.note("jpcoar.W136", _path(element), kind)


def _original_language(element: etree._Element, _version: str, draft: Draft) -> None:
    if not re.fullmatch("[a-z]{3}", text(element)):
        draft.note("jpcoar.W040", _path(element), text(element))


def _file(element: etree._Element, _version: str, draft: Draft) -> None:
    for child in children(element):
        name, value = local(child.tag), text(child)
        if name == "URI" and value and not re.match(r"https?://[^\s/]", value):
            draft.note("jpcoar.E041", "jpcoar:file/jpcoar:URI", value)
        elif name == "mimeType" and not _MEDIA_TYPE.match(value):
            draft.note("jpcoar.W141", "jpcoar:file/jpcoar:mimeType", value)
        elif name == "extent" and not re.search("[0-9]", value):
            draft.note("jpcoar.W241", "jpcoar:file/jpcoar:extent", value)
        if name == "URI" and child.get("objectType", "") not in OBJECT_TYPES:
            draft.note("jpcoar.W041", "jpcoar:file/jpcoar:URI", child.get("objectType", ""))


def _positive(element: etree._Element, _version: str, draft: Draft) -> None:
    if not re.fullmatch("0*[1-9][0-9]*", text(element)):
        draft.note("jpcoar.W001", _path(element), text(element))


def _limits(element: etree._Element, _version: str, draft: Draft) -> None:
    most = 180 if "ongitude" in element.tag else 90
    try:
        fits = abs(float(text(element))) <= most
    except ValueError:
        fits = False
    if not fits:
        draft.note("jpcoar.W043", _path(element), text(element))


def _conference_date(element: etree._Element, _version: str, draft: Draft) -> None:
    ends = [[element.get(f"{end}{part}", "") for part in ("Year", "Month", "Day")] for end in ("start", "end")]
    numbers = [[int(each) for each in end if each.isdecimal()] for end in ends]
    wrong = any(each and not each.isdecimal() for end in ends for each in end)
    if wrong or (all(map(all, ends)) and numbers[0] > numbers[1]):
        draft.note("jpcoar.W044", _path(element), " ".join(each for end in ends for each in end if each))


def _old_part(element: etree._Element, version: str, draft: Draft) -> None:
    if version != "1.0" and not element.tag[1:].startswith(tuple(JPCOAR_VERSIONS)):
        draft.note("jpcoar.N042", _path(element), text(element))


def _old_funder(element: etree._Element, version: str, draft: Draft) -> None:
    _old_part(element, version, draft)
    _funder_identifier(element, version, draft)


def _old_award(element: etree._Element, version: str, draft: Draft) -> None:
    _old_part(element, version, draft)
    _award(element, version, draft)


_CHECKS: dict[str, Check] = {
    "nameIdentifier": _name_identifier,
    "creatorName": _person_name,
    "contributorName": _person_name,
    "rightsHolderName": _person_name,
    "contributor": _contributor,
    "rights": _rights,
    "publisher": _publisher,
    "publicationPlace": _country,
    "conferenceCountry": _country,
    "version": _version_form,
    "subject": _subject,
    "description": _description,
    "date": _date,
    "relatedIdentifier": _related,
    "relation": _relation,
    "fundingReference": _funding,
    "funderIdentifier": _old_funder,
    "awardNumber": _old_award,
    "originalLanguage": _original_language,
    "file": _file,
    "numPages": _positive,
    "conferenceSequence": _positive,
    "conferenceDate": _conference_date,
    "apc": _old_part,
    "pointLongitude": _limits,
    "pointLatitude": _limits,
    "westBoundLongitude": _limits,
    "eastBoundLongitude": _limits,
    "southBoundLatitude": _limits,
    "northBoundLatitude": _limits,
}
