"""Licences and statements of rights that are of a closed list: Creative Commons, and rightsstatements.org. Pure."""

import re
from functools import lru_cache
from typing import NamedTuple

from metadata.vocabularies.labels import read_labels

LICENCES = read_labels("licences")
CREATIVE_COMMONS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses/([a-z-]{2,12})|publicdomain/(zero|mark))/([0-9.]{1,5})"
    r"(?:/([a-z]{2}))?(?:/.*)?",
    re.IGNORECASE,
)
_RIGHTS_STATEMENT = re.compile(r"https?://rightsstatements\.org/(?:vocab|page|data)/([A-Za-z-]+)/1\.0(?:/.*)?")
_NAMED = re.compile(
    r"creative ?commons|クリエイティブ・?コモンズ|\bCC[ -]?(?:BY|0|Zero)\b|public domain mark|\bPDM\b", re.IGNORECASE
)
_ZERO = re.compile(r"\bCC[ -]?0\b|\bzero\b|パブリック・?ドメイン提供", re.IGNORECASE)
_MARK = re.compile(r"public domain mark|\bPDM\b|パブリック・?ドメイン・?マーク", re.IGNORECASE)
_BY = re.compile(r"\bBY\b|attribution|表示", re.IGNORECASE)
_CONDITIONS = (
    ("nc", re.compile(r"\bNC\b|non-? ?commercial|非営利", re.IGNORECASE)),
    ("nd", re.compile(r"\bND\b|no-? ?deriv|改変禁止", re.IGNORECASE)),
    ("sa", re.compile(r"\bSA\b|share-? ?alike|継承", re.IGNORECASE)),
)
# The same in statements that name no licence of Creative Commons.
_CONDITIONS_IN_WORDS = (
    (
        "nc",
        re.compile(
            r"non-? ?commercial|非営利|(?:営利|商用)(?:目的)?(?:の|での)?利用(?:は|を)?(?:禁|不可|でき)", re.IGNORECASE
        ),
    ),
    ("nd", re.compile(r"no-? ?deriv|改変(?:は|を|等)*(?:禁|不可|認め|でき)", re.IGNORECASE)),
)
_VERSION = re.compile(r"\b[1-4]\.[0-9]\b")
_LONGEST = 120  # characters of a licence in words; longer statements say more than its name


class Licence(NamedTuple):
    """A licence of LICENCES. name: with its version, "CC BY-SA 4.0"; of rightsstatements.org "InC"."""

    key: str
    name: str


@lru_cache(maxsize=4096)  # catalogues have few different statements
def licence_of(statement: str) -> Licence | None:
    """Return the licence that a statement of rights is, an address or words; None if it is none of the list."""
    statement = statement.strip()
    if match := CREATIVE_COMMONS.fullmatch(statement):
        return _creative_commons(match)
    if match := _RIGHTS_STATEMENT.fullmatch(statement):
        return Licence(match[1].lower(), match[1]) if match[1].lower() in LICENCES else None
    if len(statement) > _LONGEST or "://" in statement:
        return None
    return _in_words(statement) if _NAMED.search(statement) else _by_label(statement)


@lru_cache(maxsize=4096)
def conditions_of(statement: str) -> frozenset[str]:
    """Return the conditions that a statement of rights sets.

    "nc": no commercial use; "nd": only unchanged copies; "sa": changed copies under the same licence. Attribution is no
    condition here: every record names its providers.
    """
    if match := CREATIVE_COMMONS.fullmatch(statement.strip()):
        return frozenset(code for code, _words in _CONDITIONS if code in (match[1] or "").lower().split("-"))
    conditions = _CONDITIONS if _NAMED.search(statement) else _CONDITIONS_IN_WORDS
    return frozenset(code for code, words in conditions if words.search(statement))


def is_public_domain(statement: str) -> bool:
    """Whether a statement of rights is CC0 or the public domain mark."""
    licence = licence_of(statement)
    return licence is not None and licence.key in ("cc0", "pdm")


def _creative_commons(match: re.Match[str]) -> Licence | None:
    kind = f"cc-{match[1].lower()}" if match[1] else "cc0" if match[2].lower() == "zero" else "pdm"
    name = f"CC {match[1].upper()}" if match[1] else "CC0" if kind == "cc0" else "Public Domain Mark"
    named = " ".join(filter(None, (name, match[3], (match[4] or "").upper())))
    return Licence(kind, named) if kind in LICENCES else None


def _in_words(statement: str) -> Licence | None:
    version = _VERSION.search(statement)
    if _ZERO.search(statement) or _MARK.search(statement):
        key, name = ("cc0", "CC0") if _ZERO.search(statement) else ("pdm", "Public Domain Mark")
    elif _BY.search(statement):
        parts = ("by", *(code for code, pattern in _CONDITIONS if pattern.search(statement)))
        key, name = f"cc-{'-'.join(parts)}", f"CC {'-'.join(parts).upper()}"
    else:
        return None
    return Licence(key, f"{name} {version[0]}" if version else name) if key in LICENCES else None


def _by_label(statement: str) -> Licence | None:
    key = _KEY_BY_WORDS.get(_letters(statement), "")
    return Licence(key, statement) if key else None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


_IN_WORDS = {key: label for key, label in LICENCES.items() if not key.startswith(("cc", "pdm"))}
_KEY_BY_WORDS = {_letters(label.en): key for key, label in _IN_WORDS.items()}
