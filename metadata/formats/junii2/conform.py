"""Makes the values of a junii2 record valid. What cannot have the type of its element goes to one for any text."""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from metadata.formats.common.uris import as_uri
from metadata.formats.jpcoar.write.values import language_tag
from metadata.formats.junii2.terms import ONCE, RELATIONS

_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_WITH_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T")
_LANGUAGE_ATTRIBUTE = frozenset(
    "title alternative creator subject description publisher contributor jtitle degreename grantor".split()
)
_AGENCIES = frozenset({"JaLC", "CrossRef", "DataCite"})


class Value(msgspec.Struct, frozen=True, gc=False):
    """One element: its name, its text, and attributes, "" for those that it does not have."""

    name: str
    text: str
    lang: str = ""
    id: str = ""
    version: str = ""
    ra: str = ""


def _matching(pattern: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)
    return lambda text: text if compiled.fullmatch(text) else ""


def _day(text: str) -> str:
    """Return a date; of a date with a time of day, the day."""
    match = _WITH_TIME.match(text)
    return match[1] if match else text if _DATE.fullmatch(text) else ""


# Element -> its value in valid form ("" if there is none), the element for other values, the label to put before them.
_TYPED: dict[str, tuple[Callable[[str], str], str, str]] = {
    "URI": (as_uri, "identifier", ""),
    "fullTextURL": (as_uri, "identifier", ""),
    "ichushi": (as_uri, "relation", ""),
    **dict.fromkeys(RELATIONS, (as_uri, "relation", "")),
    "pmid": (_matching("info:pmid/[0-9]+"), "relation", ""),
    "doi": (_matching(r"info:doi/10\..+"), "relation", ""),
    "NAID": (_matching("https?://ci[.]nii[.]ac[.]jp/naid/[0-9]+/?"), "relation", ""),
    "selfDOI": (_matching(r"(?:info:doi/|https?://(?:dx\.)?doi\.org/)10\..+"), "identifier", ""),
    "issn": (_matching("[0-9]{4}-?[0-9]{3}[0-9Xx]"), "identifier", ""),
    "date": (_day, "description", "日付 : "),
    "dateofissued": (_day, "description", "出版日 : "),
    "dateofgranted": (_matching("[0-9]{4}-[0-9]{2}-[0-9]{2}"), "description", "学位授与年月日 : "),
    "grantid": (_matching("[0-9]{5}(?:.*第.*[0-9]+号|[ABZ][0-9]+)"), "description", "学位授与番号 : "),
}
# Elements that occur once -> the element for further values.
_FURTHER = {"dateofgranted": "description", "grantid": "description", "selfDOI": "identifier"}


def conform(values: Iterable[Value]) -> Iterator[Value]:
    """Yield the values in valid form."""
    seen: set[str] = set()
    for value in values:
        checked = _checked(value)
        if checked.name in ONCE and checked.name in seen:
            name = _FURTHER.get(checked.name, "relation")
            checked = Value(name, _TYPED.get(checked.name, (None, "", ""))[2] + checked.text)
        seen.add(checked.name)
        yield checked


def _checked(value: Value) -> Value:
    if not (value.lang or value.ra or value.name in _TYPED):
        return value
    lang = language_tag(value.lang) if value.lang and value.name in _LANGUAGE_ATTRIBUTE else ""
    ra = value.ra if value.ra in _AGENCIES else ""
    text = value.text
    if value.name in _TYPED:
        valid, other, label = _TYPED[value.name]
        text = valid(value.text)
        if not text:
            return Value(other, label + value.text)
    return msgspec.structs.replace(value, text=text, lang=lang, ra=ra)
