"""What a library says about the copies of a book: one value for all of them, whatever the interface. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from aggregator.libraries.identify import one_line
from metadata.links import safe_href

LONGEST_TEXT = 120  # characters of a note or a place
MOST_COPIES = 500  # copies that are looked at; an answer with more is cut
MOST_NUMBER = 100_000  # a larger count is a mistake


class State(StrEnum):
    """The state of a copy, the best for the reader first; of several copies the best counts."""

    AVAILABLE = "available"  # 貸出可
    IN_HOUSE = "in_house"  # 館内のみ
    ON_LOAN = "on_loan"  # 貸出中
    RESERVED = "reserved"  # 予約あり
    NOT_LENT = "not_lent"  # 貸出できない
    UNKNOWN = "unknown"  # 不明


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """What a library says about one copy or about all of them.

    copies: how many the answer is about, 0 = not said. lendable: of these, how many can be borrowed now.
    due: ISO date on which a copy is expected back, "" = not said. queue: readers who wait for it.
    delayed: it has to be fetched first. interloan: it can be lent to other libraries.
    place: where a copy is, or its call number. note: a condition in the library's words.
    """

    state: State = State.UNKNOWN
    copies: int = 0
    lendable: int = 0
    due: str = ""
    queue: int = 0
    delayed: bool = False
    interloan: bool = False
    place: str = ""
    note: str = ""
    href: str = ""


class UnreadableAnswer(ValueError):
    """The answer of a library cannot be used. code: "availability.…", of which `failures` has the sentence.

    detail: the words of the parser, or what was found instead.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code} {detail}".strip())
        self.code = code
        self.detail = detail[:200]


def together(copies: Sequence[Availability], href: str = "") -> Availability:
    """Return the state of the best copy with the counts of all. href: the library's page about the book."""
    if not copies:
        return Availability(href=href)
    best = min(copies, key=_rank)
    expected = min((copy.due for copy in copies if copy.due), default="")
    return replace(
        best,
        copies=sum(copy.copies for copy in copies),
        lendable=sum(copy.lendable for copy in copies),
        interloan=any(copy.interloan for copy in copies),
        due=best.due or ("" if best.state is State.AVAILABLE else expected),
        href=best.href or href,
    )


def _rank(copy: Availability) -> tuple[int, bool, int, str]:
    return _ORDER.index(copy.state), copy.delayed, copy.queue, copy.due or "9999"


_ORDER = tuple(State)


def text_of(value: object) -> str:
    """Return a short text of one line; "" for anything that is neither a text nor a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return one_line(str(value), LONGEST_TEXT)


def join_texts(values: Iterable[object]) -> str:
    """Return texts beside each other, without repetitions."""
    return " ".join(dict.fromkeys(filter(None, map(text_of, values))))[:LONGEST_TEXT]


def link_of(value: object) -> str:
    """Return an address that a page may link to; "" for anything else."""
    return safe_href(value) if isinstance(value, str) and len(value) <= 2000 else ""


def number_of(value: object) -> int:
    """Return a count; 0 for anything else."""
    text = text_of(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 and int(text) <= MOST_NUMBER else 0


def date_of(value: object) -> str:
    """Return the ISO date at the beginning of a text such as 2026-12-01T10:00, 2026/12/1 or 2026年12月1日; else ""."""
    match = _DATE.match(text_of(value))
    if not match:
        return ""
    try:
        return date(*map(int, match.groups())).isoformat()
    except ValueError:
        return ""


_DATE = re.compile(r"([12]\d{3})\D?(\d{1,2})\D?(\d{1,2})(?!\d)", re.ASCII)
