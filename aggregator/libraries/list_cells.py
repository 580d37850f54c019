"""What the cells of a list of libraries mean: kinds, places, dates and codes as lists write them. No database access.

A cell that cannot be read raises ValueError with a sentence for people.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date

from django.utils.translation import gettext as _

from aggregator.libraries.identify import Code, bounded, code_of, one_line
from aggregator.libraries.regions import MUNICIPALITIES, PREFECTURES, prefecture_in
from metadata.text.folding import fold_tight

KINDS: Mapping[str, tuple[str, ...]] = {
    "national": ("国立", "国立図書館", "national library"),
    "prefectural": (
        "都道府県立",
        "都道府県",
        "県立",
        "府立",
        "都立",
        "道立",
        "都道府県立図書館",
        "prefectural library",
    ),
    "municipal": (
        *("市区町村立", "市町村立", "市立", "区立", "町立", "村立", "市区町村", "市町村", "公共図書館", "公共"),
        *("市区町村立図書館", "municipal library", "public", "public library"),
    ),
    "university": (
        *("大学", "大学図書館", "国立大学", "公立大学", "私立大学", "短期大学", "短大", "高専", "高等専門学校"),
        *("university library", "academic"),
    ),
    "school": ("学校", "学校図書館", "school library"),
    "special": ("専門", "専門図書館", "special library", "博物館", "公文書館", "美術館"),
    "other": ("その他", "other library", "その他の図書館"),
}
LONG = ("remarks", "ill_terms")  # fields of several lines
POSTCODE = re.compile(r"^〒?\s*\d{3}[-‐－ー]?\d{4}\s*")


def value_of(field: str, cell: str) -> object:
    """Return the value of a field from a cell that is not empty. Raises ValueError.

    A municipality whose name is not known gives "": lists name many more than `regions` knows.
    """
    if reader := _READERS.get(field):
        return reader(cell)
    return cell.strip() if field in LONG else one_line(cell, 4 * 500)


def codes_in(cell: str) -> Iterator[Code]:
    """Yield the codes of the column of further codes: `scheme=code`, several separated by semicolons."""
    for part in filter(None, map(str.strip, cell.split(";"))):
        scheme, equals, value = part.partition("=")
        if not (equals and scheme.strip() and value.strip()):
            raise ValueError(_("“%(text)s” is not a code: write scheme=code.") % {"text": part[:60]})
        yield written_code(scheme.strip(), value.strip())


def written_code(scheme: str, value: str) -> Code:
    """Return a code as people write it. Unlike records, people may use our own schemes ("provider", "name")."""
    exact = Code(one_line(scheme, 60), bounded(one_line(value)))
    return exact if exact.scheme in ("provider", "name") else code_of(scheme, value) or exact


def cell_of(code: Code) -> str:
    """Return a code as the column of further codes writes it; "" for one that the column cannot hold."""
    return "" if "=" in code.scheme or ";" in code.scheme + code.value else f"{code.scheme}={code.value}"


def prefecture_of(address: str) -> str:
    """Return the prefecture with which an address begins, after its postal code; "" for none."""
    return prefecture_in(POSTCODE.sub("", one_line(address, 300)))


def _kind(cell: str) -> str:
    folded = fold_tight(cell)
    if folded in KINDS:
        return folded
    if found := _KIND_OF.get(folded):
        return found
    raise ValueError(
        _("“%(text)s” is not a kind of library. Kinds: %(kinds)s") % {"text": cell[:60], "kinds": ", ".join(KINDS)}
    )


def _prefecture(cell: str) -> str:
    text = one_line(cell)
    code = text.zfill(2) if text.isdecimal() else _PREFECTURE_OF.get(fold_tight(text), "")
    if code not in PREFECTURES:
        raise ValueError(_("“%(text)s” is not a prefecture (01 to 47, or its name).") % {"text": cell[:60]})
    return code


def _municipality(cell: str) -> str:
    text = one_line(cell)
    if not text.isdecimal():
        return _MUNICIPALITY_OF.get(fold_tight(text), "")
    code = text.zfill(5)[:5]  # with its check digit, the code has six digits
    if len(text) > 6 or code[:2] not in PREFECTURES:
        raise ValueError(_("“%(text)s” is not the code of a municipality (five digits).") % {"text": cell[:60]})
    return code


def _number(cell: str) -> float:
    try:
        return float(one_line(cell))
    except ValueError:
        raise ValueError(_("“%(text)s” is not a number.") % {"text": cell[:60]}) from None


def _yes_or_no(cell: str) -> bool:
    folded = one_line(cell).lower()
    if folded not in _ANSWERS:
        raise ValueError(_("“%(text)s” is neither yes nor no.") % {"text": cell[:60]})
    return _ANSWERS[folded]


def _day(cell: str) -> date:
    try:
        year, month, day = map(int, re.split(r"[-/.年月]", one_line(cell).rstrip("日")))
        return date(year, month, day)
    except ValueError:
        raise ValueError(_("“%(text)s” is not a day, such as 2026-03-31.") % {"text": cell[:60]}) from None


_KIND_OF = {fold_tight(word): kind for kind, words in KINDS.items() for word in words}
_PREFECTURE_OF = {
    fold_tight(name): place.code
    for place in PREFECTURES.values()
    for name in (place.ja, place.en, *([place.ja[:-1]] if place.code != "01" else []))
}
_MUNICIPALITY_OF = {fold_tight(name): place.code for place in MUNICIPALITIES.values() for name in (place.ja, place.en)}
_ANSWERS = dict.fromkeys(("1", "yes", "true", "y", "○", "〇", "◯", "可", "はい"), True) | dict.fromkeys(
    ("0", "no", "false", "n", "×", "✕", "不可", "否", "いいえ"), False
)
_READERS: Mapping[str, Callable[[str], object]] = {
    "kind": _kind,
    "prefecture": _prefecture,
    "municipality": _municipality,
    "latitude": _number,
    "longitude": _number,
    "lends": _yes_or_no,
    "closed_on": _day,
}
