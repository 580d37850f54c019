"""How a resource can be read: COAR's access rights, and the ways in which the National Diet Library (NDL) opens what it
has digitised. A closed list of keys, and the statements of records that stand for them. Pure.
"""

import re
from functools import lru_cache

from metadata.vocabularies.labels import read_labels

ACCESS = read_labels("access")
# COAR's terms, their codes and those of info:eu-repo, without spaces and in small letters.
_COAR = {
    "openaccess": "open",
    "c_abf2": "open",
    "embargoedaccess": "embargoed",
    "c_f1cf": "embargoed",
    "restrictedaccess": "restricted",
    "c_16ec": "restricted",
    "metadataonlyaccess": "metadata",
    "closedaccess": "metadata",
    "c_14cb": "metadata",
}
# The NDL's own codes (external interface specification, appendix 3).
NDL_RIGHTS = {
    "ARinternet": ("internet",),
    "ARkannai": ("premises",),
    "ARsoshin": ("persons", "libraries"),
    "ARrekion": ("recordings",),
}
_WORDS = (
    (re.compile(r"\Aopen access"), ("open",)),
    (re.compile(r"\Aインターネット公開"), ("internet",)),
    (re.compile(r"送信対象外"), ()),  # says only what is not allowed
    (re.compile(r"個人送信"), ("persons", "libraries")),  # everything for persons may also be read in libraries
    (re.compile(r"図書館(?:向け)?送信|送信参加館"), ("libraries",)),
    (re.compile(r"歴史的音源配信|配信参加館"), ("recordings",)),
    (re.compile(r"(?:国立国会図書)?館内(?:限定|公開)"), ("premises",)),
)
# Codes of a service, a place and a user, whose meaning the NDL does not publish. Where the services 02 and 03 have the
# place 01, the same records say 国立国会図書館内公開; S01P99U99 is in nearly every record of the NDL, even of books
# that were never digitised.
_SERVICE_CODE = re.compile(r"S[0-9]{2}P[0-9]{2}U[0-9]{2}")
_PREMISES_CODE = re.compile(r"S0[23]P01U[0-9]{2}")
_LONGEST = 80  # characters; longer statements explain more than one way


@lru_cache(maxsize=1024)  # catalogues have few different statements
def access_keys(statement: str) -> tuple[str, ...]:
    """Return the keys (see ACCESS) that a statement about access stands for; () if it is not of a vocabulary."""
    word = statement.rpartition("/")[2].replace(" ", "").lower()
    if word in _COAR:
        return (_COAR[word],)
    if _SERVICE_CODE.fullmatch(statement):
        return ("premises",) if _PREMISES_CODE.fullmatch(statement) else ()
    if statement in NDL_RIGHTS or len(statement) > _LONGEST:
        return NDL_RIGHTS.get(statement, ())
    return next((keys for pattern, keys in _WORDS if pattern.search(statement)), ())


def is_access_code(statement: str) -> bool:
    """Whether the statement is a code of the NDL, known or not, rather than words for readers."""
    return statement in NDL_RIGHTS or bool(_SERVICE_CODE.fullmatch(statement))
