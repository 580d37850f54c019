"""Reads the text of one search parameter. Each reader takes the parameter's name and text, and raises BadParameter."""

import re
import unicodedata
from base64 import urlsafe_b64decode
from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _

from aggregator.libraries.regions import PREFECTURES
from aggregator.search.base import ADDED, CHANGED, MAX_CHARACTERS, SORTS
from aggregator.search.materials import COLLECTION, STATED, TYPES
from metadata.accessible import FORMATS
from metadata.authorities import authority, is_identity
from metadata.identifiers import normalise
from metadata.vocabularies.access import ACCESS
from metadata.vocabularies.dcndl import language_code
from metadata.vocabularies.licences import LICENCES
from metadata.vocabularies.resource_types import LABELS

TEXT_LIMIT = MAX_CHARACTERS
LAST_PAGE = 500  # 10,000 hits: as many as an engine can sort without keeping all of them in memory
SIZES = range(1, 101)
MACHINE_SORTS = (*SORTS, ADDED, CHANGED)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class BadParameter(ValueError):
    """A parameter that cannot be understood: its name, and in words what is allowed.

    for_readers: the reason without the words of the interface, where `reason` lists them.
    """

    def __init__(self, name: str, reason: str, for_readers: str = "") -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason
        self.for_readers = for_readers or reason


def refuse_controls(name: str, text: str) -> None:
    """Raise BadParameter for texts that are too long or have control characters."""
    if len(text) > TEXT_LIMIT:
        raise BadParameter(name, _("At most %(limit)d characters are allowed.") % {"limit": TEXT_LIMIT})
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in text):
        raise BadParameter(name, _("Control characters are not allowed."))


def text(_name: str, value: str) -> str:
    return value


def isbn(name: str, value: str) -> str:
    """Return the 13 digits of a valid ISBN; one with a wrong check digit is searched for as typed."""
    compact = re.sub(r"[^0-9X]", "", unicodedata.normalize("NFKC", value).upper().removeprefix("ISBN"))
    if len(compact) not in (10, 13):
        raise BadParameter(
            name, _("An ISBN has 10 or 13 digits, with or without hyphens; the last digit of an ISBN-10 may be X.")
        )
    return normalise("ISBN", value) or value


def issn(name: str, value: str) -> str:
    digits = normalise("ISSN", unicodedata.normalize("NFKC", value).upper().removeprefix("ISSN").lstrip(" :"))
    if not digits:
        raise BadParameter(name, _("An ISSN has eight characters including a check digit, for example 0028-0836."))
    return f"{digits[:4]}-{digits[4:]}"


def ndc(name: str, value: str) -> str:
    digits = unicodedata.normalize("NFKC", value)
    if not re.fullmatch(r"[0-9]{1,3}|[0-9]{3}\.[0-9]{0,10}", digits):
        raise BadParameter(name, _("Enter the first digits of an NDC class number, for example 9, 91, 913 or 913.6."))
    return digits.rstrip(".")


def language(name: str, value: str) -> str:
    code = language_code(value)
    if not re.fullmatch(r"[a-z]{3}", code):
        raise BadParameter(name, _("Enter a language code of two or three letters, for example jpn or ja."))
    return code


def material_type(name: str, value: str) -> str:
    return _one_of(name, value, TYPES)


def accessible(name: str, value: str) -> str:
    return _one_of(name, value, tuple(FORMATS))


def kind(name: str, value: str) -> str:
    return _one_of(name, value, tuple(LABELS))


def access(name: str, value: str) -> str:
    return _one_of(name, value, tuple(ACCESS))


def licence(name: str, value: str) -> str:
    return _one_of(name, value, tuple(LICENCES))


def media_type(name: str, value: str) -> str:
    return _one_of(name, value, STATED)


def collection(name: str, value: str) -> str:
    """Return a collection code of NDL's digital collections."""
    if not COLLECTION.fullmatch(value):
        raise BadParameter(name, _("A collection code is A or B followed by five digits, for example A00001."))
    return value


def identity(name: str, value: str) -> str:
    """Return an ORCID, NRID, ISNI or ROR in the form of `metadata.authorities`. It may be an address."""
    found = authority(*value.split(" ", 1)) if " " in value else authority("", value)
    if not is_identity(found):
        raise BadParameter(
            name, _("Enter ORCID, NRID, ISNI or ROR and the number, or its address: ORCID 0000-0002-1825-0097.")
        )
    return found


def flag(name: str, value: str) -> str:
    return _one_of(name, value, ("1",))


def is_set(name: str, value: str) -> bool:
    return bool(flag(name, value))


def number(name: str, value: str) -> str:
    if not re.fullmatch(r"R[0-9]{9}", value):
        raise BadParameter(name, _("A repository number is R followed by nine digits, for example R900000001."))
    return value


def region(name: str, value: str) -> str:
    """Return the code of a prefecture (JIS X 0401) or municipality (JIS X 0402)."""
    code = unicodedata.normalize("NFKC", value)
    if not re.fullmatch(r"[0-9]{2}|[0-9]{5}", code) or code[:2] not in PREFECTURES:
        raise BadParameter(
            name,
            _("Enter the JIS code of a prefecture or municipality: two or five digits, for example 27 or 27100."),
        )
    return code


def year(name: str, value: str) -> int:
    digits = unicodedata.normalize("NFKC", value)
    if not re.fullmatch(r"[0-9]{1,4}", digits) or not int(digits):
        raise BadParameter(name, _("Enter a year from 1 to 9999."))
    return int(digits)


def sort(name: str, value: str) -> str:
    return _one_of(name, value, SORTS)


def any_sort(name: str, value: str) -> str:
    return _one_of(name, value, MACHINE_SORTS)


def moments(value: str) -> tuple[int, int]:
    """Return the first and last second of a day ("2026-04-01") or of a moment ("2026-04-01T09:30:00Z"), in seconds
    since 1970. Without a time zone it is UTC. Raises ValueError.
    """
    begin = datetime.fromisoformat(value)
    if not 1970 <= begin.year <= 9998:
        raise ValueError(value)
    begin = begin if begin.tzinfo else begin.replace(tzinfo=UTC)
    end = begin + timedelta(days=1, seconds=-1) if _DAY.fullmatch(value) else begin
    return max(int(begin.timestamp()), 1), max(int(end.timestamp()), 1)


def from_moment(name: str, value: str) -> int:
    return _moment(name, value)[0]


def until_moment(name: str, value: str) -> int:
    return _moment(name, value)[1]


def _moment(name: str, value: str) -> tuple[int, int]:
    try:
        return moments(value.replace(" ", "+"))  # the space was a plus sign, not percent-encoded
    except ValueError as error:
        reason = _("Enter a date, or a date and time, for example 2026-04-01 or 2026-04-01T09:30:00Z.")
        raise BadParameter(name, reason) from error


def page(name: str, value: str) -> int:
    return within(name, value, range(1, LAST_PAGE + 1))


def size(name: str, value: str) -> int:
    return within(name, value, SIZES)


def cursor(name: str, value: str) -> str:
    """Return the index's own cursor (for `Query.after`) that a program's cursor encodes."""
    try:
        return urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode()
    except ValueError as error:
        raise BadParameter(
            name, _("Use the value of “next” from the previous response unchanged, with the same search.")
        ) from error


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        reason = _("Allowed: %(names)s.") % {"names": ", ".join(allowed)}
        raise BadParameter(name, reason, _("The address asks for something that cannot be chosen here."))
    return value


def within(name: str, value: str, allowed: range) -> int:
    """Return a number of this range. Raises BadParameter."""
    if not re.fullmatch(r"[0-9]{1,6}", value) or int(value) not in allowed:
        raise BadParameter(
            name, _("Enter a number from %(first)d to %(last)d.") % {"first": allowed[0], "last": allowed[-1]}
        )
    return int(value)
