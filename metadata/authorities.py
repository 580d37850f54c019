"""Identifiers of persons, bodies and subjects: one form for all spellings, checked by their check digits, and the page
that each leads to. Pure.

ISNI (ISO 27729) and ORCID have the check character of ISO 7064 MOD 11-2, which python-stdnum computes. ROR has a
checksum of ISO 7064 MOD 97-10 over its base32 digits (https://ror.readme.io/docs/identifier). The first digit of a
researcher number of e-Rad is its check digit (https://ja.wikipedia.org/wiki/研究者番号, after
doi:10.14864/fss.25.0.141.0); an NRID may be "10000" and such a number.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from stdnum import isni as _isni

from metadata.text.memory import remember

_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"  # without i, l, o, u
_RESEARCHER = "10000"  # what an NRID begins with whose other digits are a researcher number of e-Rad
_BLANKS_AND_HYPHENS = re.compile(r"[\s-]")


def _valid_ror(value: str) -> bool:
    number = 0
    for digit in value[:-2]:
        number = number * 32 + _BASE32.index(digit)
    return 98 - number * 100 % 97 == int(value[-2:])


def _valid_researcher(value: str) -> bool:
    digits = [int(digit) for digit in value[-8:]]
    return (sum(digits[1:]) + sum(digits[2::2])) % 10 == digits[0]


def _valid_nrid(value: str) -> bool:
    return not value.startswith(_RESEARCHER) or _valid_researcher(value)


class _Scheme(NamedTuple):
    """form: of the number alone. address: regular expression of the address before the number, "" if there is none.
    page: with {} for the number. is_valid: whether the check digits of a number in this form are right.
    """

    form: str
    address: str
    page: str
    is_valid: Callable[[str], bool] = lambda _value: True


# In the order in which pages list them.
_SCHEMES = {
    "NDLNA": _Scheme("[0-9]{8,9}", r"id\.ndl\.go\.jp/auth/(?:entity|ndlna)/", "https://id.ndl.go.jp/auth/ndlna/{}"),
    "NDLSH": _Scheme("[0-9]{8,9}", r"id\.ndl\.go\.jp/auth/ndlsh/", "https://id.ndl.go.jp/auth/ndlsh/{}"),
    "VIAF": _Scheme("[0-9]{1,22}", r"viaf\.org/viaf/", "https://viaf.org/viaf/{}"),
    "ISNI": _Scheme("[0-9]{15}[0-9X]", r"isni\.org/(?:isni/)?", "https://isni.org/isni/{}", _isni.is_valid),
    "ORCID": _Scheme(
        "[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]", r"orcid\.org/", "https://orcid.org/{}", _isni.is_valid
    ),
    "NRID": _Scheme("[0-9]{13}", r"nrid\.nii\.ac\.jp/(?:ja/|en/)?nrid/", "https://nrid.nii.ac.jp/nrid/{}", _valid_nrid),
    "ROR": _Scheme("0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}", r"ror\.org/", "https://ror.org/{}", _valid_ror),
}
_ADDRESSES = {
    name: re.compile(rf"{scheme.address}({scheme.form})/?\Z", re.IGNORECASE) for name, scheme in _SCHEMES.items()
}
_RESEARCHER_SCHEMES = frozenset({"e-Rad_Researcher", "e-Rad"})
# Schemes of research: an identifier tells one person or body from all others, at every provider.
IDENTITIES = ("ORCID", "NRID", "ISNI", "ROR")
NAMES = {"NDLNA": "Web NDL Authorities", "NDLSH": "Web NDL Authorities"}  # shown instead of the scheme's name


@remember(65_536)  # many records name the same persons; headings, search and pages ask for each
def authority(scheme: str, value: str) -> str:
    """Return an identifier in one form, scheme and number ("VIAF 98268072"); "" for one that no page is known of, or
    whose check digits are wrong.

    A researcher number of e-Rad is returned as the NRID that contains it: both are one number.
    """
    text = value.strip()
    for known, pattern in _ADDRESSES.items():
        if match := pattern.search(text):
            return _checked(known, match[1])
    if scheme in _RESEARCHER_SCHEMES:
        return _checked("NRID", f"{_RESEARCHER}{text}") if re.fullmatch("[0-9]{8}", text) else ""
    return _checked(scheme, text) if scheme in _SCHEMES else ""


def _checked(scheme: str, text: str) -> str:
    number = _normal(scheme, text)
    known = _SCHEMES[scheme]
    return f"{scheme} {number}" if re.fullmatch(known.form, number) and known.is_valid(number) else ""


def _normal(scheme: str, text: str) -> str:
    if scheme == "ROR":
        return text.lower()
    if scheme not in {"ISNI", "ORCID"}:
        return text
    compact = _BLANKS_AND_HYPHENS.sub("", text).upper()
    return compact if scheme == "ISNI" else "-".join(compact[start : start + 4] for start in range(0, len(compact), 4))


def has_valid_check_digits(scheme: str, number: str) -> bool:
    """Return whether the check digits of a number are right. Numbers of other forms and schemes have none: True."""
    if scheme in _RESEARCHER_SCHEMES:
        return not re.fullmatch("[0-9]{8}", number) or _valid_researcher(number)
    known = _SCHEMES.get(scheme)
    return known is None or not re.fullmatch(known.form, number) or known.is_valid(number)


def is_identity(identifier: str) -> bool:
    """Return whether an identifier in the form of `authority` tells a person or a body from all others."""
    return identifier.partition(" ")[0] in IDENTITIES


def order(identifier: str) -> int:
    """Return the place of an identifier among others."""
    return list(_SCHEMES).index(identifier.partition(" ")[0])


def page_of(identifier: str) -> str:
    """Return the address of the page about an identifier in the form of `authority`."""
    scheme, _blank, number = identifier.partition(" ")
    return _SCHEMES[scheme].page.format(number)


def stated_page(scheme: str, number: str, address: str) -> str:
    """Return the page about an identifier, or the stated address if none is known; "" if its check digits are wrong."""
    if known := authority(scheme, number) or authority("", address):
        return page_of(known)
    return address if has_valid_check_digits(scheme, number) else ""


def name_of(identifier: str) -> str:
    """Return the words for a link to that page: "Web NDL Authorities 00054222", "VIAF 98268072"."""
    scheme, _blank, number = identifier.partition(" ")
    return f"{NAMES.get(scheme, scheme)} {number}"


# Numbers of projects of KAKENHI: "JP15H02781", "JP23KK0001", "JP26284001", or in the address of KAKEN.
_PROJECT = re.compile(r"(?:JP|.*KAKENHI-PROJECT-)([0-9]{2}(?:[A-Z][0-9]{5}|[A-Z]{2}[0-9]{4}|[0-9]{6}))/?\Z")


def project_page(award: str) -> str:
    """Return the page of KAKEN about a project of KAKENHI; "" for the number of another grant.

    award: a Japan Grant Number, or an address. Numbers of projects have no check digits.
    """
    match = _PROJECT.match(award.strip())
    return f"https://kaken.nii.ac.jp/grant/KAKENHI-PROJECT-{match[1]}/" if match else ""
