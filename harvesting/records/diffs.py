"""Line-by-line differences between two versions of a record, limited in time and size. No database access."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, islice, zip_longest

from harvesting.issues.excerpts import show_invisible

LONGEST = 200_000  # characters of a version that are compared
MOST_LINES = 4_000  # lines of a version that are compared; more would take too long
CONTEXT = 3  # unchanged lines that are shown around a change


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the comparison.

    sign: "+" only in the newer version, "-" only in the older one, " " in both, "…" in place of omitted lines.
    """

    sign: str
    text: str


def diff(older: bytes, newer: bytes) -> list[Line]:
    """The lines that differ, with CONTEXT lines around them; [] if the versions are the same."""
    first, second = lines(older), lines(newer)
    if first == second:
        return []
    return list(islice(_changes(first, second), 2 * MOST_LINES))


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of the older version beside that of the newer one. kind: same, changed, or gap in place of omitted lines.

    before, after: "" if there is no such line.
    """

    before: str
    after: str
    kind: str


def beside(compared: Iterable[Line]) -> Iterator[Pair]:
    """The lines of a comparison as pairs: the lines of a change stand beside those that replace them."""
    for sign, group in groupby(compared, key=lambda line: line.sign if line.sign in " …" else "±"):
        own = list(group)
        if sign != "±":
            yield from (Pair(line.text, line.text, "same" if sign == " " else "gap") for line in own)
            continue
        before, after = ([line.text for line in own if line.sign == mark] for mark in "-+")
        yield from (Pair(old, new, "changed") for old, new in zip_longest(before, after, fillvalue=""))


def lines(payload: bytes) -> list[str]:
    """The payload as lines. XML in very long lines is broken between elements, only to make it readable."""
    text = payload[: 4 * LONGEST].decode("utf-8", "replace")[:LONGEST]
    if text.count("\n") < len(text) // 2_000:
        text = re.sub(r">\s*<", ">\n<", text)
    return [show_invisible(line) for line in text.splitlines()[:MOST_LINES]]


def _changes(first: Sequence[str], second: Sequence[str]) -> Iterator[Line]:
    matcher = SequenceMatcher(None, first, second, autojunk=len(first) + len(second) > 2_000)
    for index, group in enumerate(matcher.get_grouped_opcodes(CONTEXT)):
        if index:
            yield Line("…", "")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (Line(" ", text) for text in first[i1:i2])
                continue
            yield from (Line("-", text) for text in first[i1:i2])
            yield from (Line("+", text) for text in second[j1:j2])
