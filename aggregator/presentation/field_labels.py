"""Names of the codes of records, in the language of the page: languages, countries, roles, schemes, types, rights.

Every function returns words unchanged, and "" for a code that has no name, so that pages leave it out. No HTTP, no
database access.
"""

import re

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from metadata.accessible import FORMATS
from metadata.vocabularies import terms
from metadata.vocabularies.access import ACCESS, access_keys, is_access_code
from metadata.vocabularies.countries import ALPHA_2
from metadata.vocabularies.countries import NAMES as COUNTRIES
from metadata.vocabularies.dcndl import MATERIAL_TYPES, Label
from metadata.vocabularies.licences import LICENCES, licence_of
from metadata.vocabularies.media_types import MEDIA_TYPES
from metadata.vocabularies.ndc import ndc_class
from metadata.vocabularies.resource_types import LABELS as RESOURCE_TYPES
from metadata.vocabularies.resource_types import resource_type
from metadata.vocabularies.terms import LANGUAGES

Labels = dict[str, str | Promise]

DATES: Labels = {
    "issued": _("Also issued"),
    "created": _("Date created"),
    "available": _("Made available"),
    "dateAccepted": _("Accepted"),
    "dateSubmitted": _("Submitted"),
    "dateCopyrighted": _("Copyright date"),
    "dateCollected": _("Collected"),
    "dateCaptured": _("Captured"),
    "dateDigitized": _("Digitised"),
    "dateGranted": _("Degree granted"),
    "coverage": _("Period covered"),
    "modified": _("Date updated"),
    "valid": _("Valid"),
}
RELATIONS: Labels = {
    "relation": _("Related"),
    "source": _("Source"),
    "isPartOf": _("Part of"),
    "hasPart": _("Has part"),
    "isVersionOf": _("Version of"),
    "hasVersion": _("Has version"),
    "isFormatOf": _("Other format of"),
    "hasFormat": _("Other format"),
    "replaces": _("Replaces"),
    "isReplacedBy": _("Replaced by"),
    "references": _("References"),
    "isReferencedBy": _("Referenced by"),
    "requires": _("Requires"),
    "isRequiredBy": _("Required by"),
    "conformsTo": _("Conforms to"),
    # further terms of JPCOAR
    "isSupplementTo": _("Supplement to"),
    "isSupplementedBy": _("Has supplement"),
    "isIdenticalTo": _("Identical to"),
    "isDerivedFrom": _("Derived from"),
    "isSourceOf": _("Source of"),
    "inSeries": _("In series"),
    "isCitedBy": _("Cited by"),
    "cites": _("Cites"),
    "isCollectedBy": _("Collected in"),
    "collects": _("Collects"),
    "continues": _("Continues"),
    "isContinuedBy": _("Continued by"),
    "isTranslationOf": _("Translation of"),
    "hasTranslation": _("Has translation"),
}
FILES: Labels = {
    "fulltext": _("Full text"),
    "abstract": _("Abstract"),
    "summary": _("Summary"),
    "thumbnail": _("Thumbnail"),
    "dataset": _("Dataset"),
    "software": _("Software"),
    "iiif": "IIIF",
}
# Terms of the COAR Version Types vocabulary.
VERSIONS: Labels = {
    "AO": _("Author’s original"),
    "SMUR": _("Submitted manuscript"),
    "AM": _("Accepted manuscript"),
    "P": _("Proof"),
    "VoR": _("Published version"),
    "CVoR": _("Corrected version"),
    "EVoR": _("Enhanced version"),
    "NA": _("Version not known"),
}


_TYPES = {uri.rsplit("/", 1)[-1]: label for uri, label in MATERIAL_TYPES.items()}
# What is a code rather than a word, wherever a vocabulary is expected.
_IS_CODE = re.compile(r"[a-z]{1,3}|\S+://\S*|info:\S+|[a-z-]+:\S+|[a-z]+(?:[A-Z][a-z]+)+").fullmatch
_IS_LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*").fullmatch
_IS_COUNTRY_CODE = re.compile(r"[A-Za-z]{2,3}").fullmatch
_IS_MEDIA_TYPE = re.compile(r"[\w.-]+/[\w.+-]+(?:;.*)?").fullmatch
_LIMIT = re.compile(r"\b(north|south|east|west)(?:limit)?=\s*(-?[0-9]{1,3}(?:\.[0-9]{1,9})?)")
_BETWEEN_ROLES = re.compile(r"[,;]\s*")


def label(labels: Labels, word: str) -> str:
    """Return the label, or the word itself if the table does not have it and it is not a code."""
    return str(labels[word]) if word in labels else unless_code(word)


def unless_code(word: str) -> str:
    return "" if _IS_CODE(word) else word


def localised_term(term: Label | None, otherwise: str) -> str:
    """Return a term in the language of the page; `otherwise` if the term is not known."""
    return term.in_language(get_language()) if term else otherwise


def language_name(code: str) -> str:
    known = LANGUAGES.get("mis" if code == "other" else code)
    return localised_term(known, "" if _IS_LANGUAGE_CODE(code) else code)


def country_name(code: str) -> str:
    """Return the name of a country by its ISO 3166 code, of two or three letters; other words unchanged."""
    folded = code.upper()
    return localised_term(COUNTRIES.get(ALPHA_2.get(folded, folded)), "" if _IS_COUNTRY_CODE(code) else code)


def role_name(text: str) -> str:
    """Return the name of a role, or of several separated by commas."""
    names = [localised_term(terms.role(role), unless_code(role)) for role in _BETWEEN_ROLES.split(text)]
    return "; ".join(dict.fromkeys(filter(None, names)))


def subject_scheme(scheme: str) -> str:
    return localised_term(terms.SUBJECT_SCHEMES.get(scheme), "")


def identifier_scheme(scheme: str) -> str:
    return localised_term(terms.IDENTIFIER_SCHEMES.get(scheme), "")


def class_name(number: str) -> str:
    """Return an NDC class with its name, or that of the narrowest class around it that has one."""
    return f"{number} {localised_term(ndc_class(number), '')}".rstrip()


def ndlc_name(number: str) -> str:
    """Return a class of the National Diet Library with the name of its main class."""
    return f"{number} {localised_term(terms.ndlc_class(number), '')}".rstrip()


def media_type_name(text: str) -> str:
    """Return the name of a media type in words; other words about the form of a resource unchanged."""
    return localised_term(terms.media_type(text), "" if _IS_MEDIA_TYPE(text) else text)


def audience_name(text: str) -> str:
    return localised_term(terms.AUDIENCES.get(text.lower()), text)


def place_words(text: str) -> str:
    """Return a place in words; for DCMI's Box and Point its latitudes and longitudes: "34.5°N–35°N, 135°E–136°E"."""
    limits = dict(_LIMIT.findall(text))
    if not limits:
        return text
    latitudes = [_degrees(limits[end], "NS") for end in ("south", "north") if end in limits]
    longitudes = [_degrees(limits[end], "EW") for end in ("west", "east") if end in limits]
    return ", ".join(filter(None, ("–".join(latitudes), "–".join(longitudes))))


def _degrees(number: str, directions: str) -> str:
    degrees = float(number)
    return f"{abs(degrees):g}°{directions[degrees < 0]}"


def type_label(value: str) -> str:
    """Return the name of a material type of the NDL's list, given by its URI or the last part of it."""
    term = value.rstrip("/").rsplit("/", 1)[-1] if "://" in value else value
    return localised_term(_TYPES.get(term), "" if "://" in value else value)


def kind_name(term: str) -> str:
    """Return the name of a resource type of COAR and JPCOAR ("departmental bulletin paper")."""
    return localised_term(RESOURCE_TYPES.get(term), "")


def material_type_name(uri: str, text: str) -> str:
    """Return the name of a material type: the resource type that the provider names, else the type of the NDL's list,
    else the provider's words.
    """
    if text not in MATERIAL_TYPES.get(uri, ()):
        kind = kind_name(resource_type(text))
        if kind:
            return kind
    return type_label(uri) if uri else unless_code(text)


def accessible_label(form: str) -> str:
    """Return the name of an accessible format, given by its key."""
    return localised_term(FORMATS.get(form), "")


def material_name(key: str) -> str:
    """Return the name of a mediatype of NDL Search, given by its key."""
    return localised_term(MEDIA_TYPES.get(key), "")


def access_name(key: str) -> str:
    return localised_term(ACCESS.get(key), "")


def access_statement(text: str) -> str:
    """Return a statement about access in words."""
    named = "; ".join(access_name(key) for key in access_keys(text))
    return named or ("" if is_access_code(text) else unless_code(text))


def licence_name(key: str) -> str:
    """Return the name of a licence by its key: "CC BY-SA (attribution, share alike)", "In copyright"."""
    words = localised_term(LICENCES.get(key), "")
    if not key.startswith(("cc", "pdm")):
        return words
    name = "Public Domain Mark" if key == "pdm" else key.upper().replace("CC-", "CC ")
    return gettext("%(licence)s (%(conditions)s)") % {"licence": name, "conditions": words}


def licence_badge(text: str) -> tuple[str, str]:
    """Return a licence as a badge shows it, and its conditions; ("", "") for other statements of rights."""
    licence = licence_of(text)
    if not licence:
        return "", ""
    words = localised_term(LICENCES[licence.key], "")
    return (licence.name, words) if licence.key.startswith(("cc", "pdm")) else (words, "")
