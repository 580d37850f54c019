"""Names of languages, roles, schemes, media types, audiences and main classes, by the codes and words of the
vocabularies.
"""

from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.labels import read_labels

LANGUAGES = read_labels("languages")  # by the ISO 639-2 codes that libraries use
SUBJECT_SCHEMES = read_labels("subject_schemes")
IDENTIFIER_SCHEMES = read_labels("identifier_schemes")
AUDIENCES = read_labels("audiences")  # MODS and MARC
_MEDIA_TYPES = read_labels("media_types")
_NDLC = read_labels("ndlc")
_ROLES = read_labels("roles")  # MARC relators, and JPCOAR's contributor types in small letters


def role(text: str) -> Label | None:
    """Return the name of a role: "edt", "http://id.loc.gov/vocabulary/relators/edt", "Editor", "ProjectLeader"."""
    word = text.rpartition("/")[2] if "://" in text else text
    return _ROLES.get(word.lower().rstrip(".").replace(" ", ""))


def media_type(text: str) -> Label | None:
    """Return the name of a media type, without its parameters: "application/pdf", "text/html; charset=UTF-8"."""
    return _MEDIA_TYPES.get(text.partition(";")[0].strip().lower())


def ndlc_class(number: str) -> Label | None:
    """Return the name of the main class of a class of the National Diet Library Classification: KH321 is in K."""
    return _NDLC.get(number[:1])
