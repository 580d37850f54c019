"""The position of a document in every order of hits. Independent of the engine."""

from collections.abc import Mapping
from functools import lru_cache

from aggregator.search.analysis.fields import YEARS
from aggregator.search.base import ADDED, CHANGED, Document
from metadata.text.folding import fold

NO_YEAR = 9999  # puts documents without a year last in the order "oldest"
ID_BITS = 40
_FIRST_CHANGE = 1_577_836_800  # 2020-01-01: no changes are older
_MOST_HELD = 1 << 20
_SORTED_BY = 30  # characters of a title that determine its place in the order
_LAST = "\U0010ffff"
# Order -> the field of a document's position in it, and whether the largest come first. Every document has another
# position, so an order is the same in every search. "rest": of the hits after the ranked ones.
REST = "rest"
ORDERS = {
    "newest": ("newest", True),
    "oldest": ("oldest", False),
    "title": ("by_title", False),
    "creator": ("by_creator", False),
    "holdings": ("most_held", True),
    ADDED: ("id", True),
    CHANGED: ("latest", True),
    REST: ("newest", True),
}
_fold_cached = lru_cache(maxsize=16_384)(fold)  # for persons, who recur


def order_values(document: Document, folded: Mapping[str, str]) -> Mapping[str, object]:
    """The document's value for every sort order; the id is part of it, so that no two are equal.

    folded: texts that have already been folded.
    """
    dated = document.year if document.year in YEARS else 0
    number = document.id
    return {
        "newest": dated << ID_BITS | number,
        "oldest": (dated or NO_YEAR) << ID_BITS | number,
        "most_held": min(max(document.holdings, 0), _MOST_HELD) << ID_BITS | number,
        "latest": change_order(document.changed, number),
        "by_title": _text_order_value(document.sort_title, folded, number),
        "by_creator": _text_order_value(document.sort_creator, folded, number),
    }


def _text_order_value(text: str, folded: Mapping[str, str], number: int) -> str:
    """The folded text, then the number padded with zeros. Texts that fold to nothing sort last."""
    key = (folded[text] if text in folded else _fold_cached(text)).replace(" ", "")
    return f"{key[:_SORTED_BY] or _LAST}\0{number:013d}"


def change_order(changed: int, number: int) -> int:
    """A document's position in the order of changes. Steps of four minutes leave room for its id."""
    return max(changed - _FIRST_CHANGE, 0) // 240 << ID_BITS | number


def id_of_order(value: int | str) -> int:
    """The id in a value made by `order_values`."""
    return int(value.rpartition("\0")[2]) if isinstance(value, str) else value & (1 << ID_BITS) - 1
