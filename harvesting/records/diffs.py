"""Two versions of a record beside each other as lines. Pure; bounded in time and size."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from harvesting.issues.excerpts import visible

LONGEST = 200_000  # characters of a version that are compared
MOST_LINES = 4_000  # of a version: beyond it comparing line by line takes too long
AROUND = 3  # lines that stay the same, shown around a change


@dataclass(frozen=True, slots=True)
class Line:
    """sign: "+" only in the newer, "-" only in the older, " " in both, "…" some lines are left out."""

    sign: str
    text: str


def diff(older: bytes, newer: bytes) -> list[Line]:
    """What differs, with a few lines around it; [] where nothing does."""
    first, second = lines(older), lines(newer)
    if first == second:
        return []
    return list(islice(_changes(first, second), 2 * MOST_LINES))


def lines(payload: bytes) -> list[str]:
    """The payload line by line; XML that came in one line is broken between elements, for reading only."""
    text = payload[: 4 * LONGEST].decode("utf-8", "replace")[:LONGEST]
    if text.count("\n") < len(text) // 2_000:
        text = re.sub(r">\s*<", ">\n<", text)
    return [visible(each) for each in text.splitlines()[:MOST_LINES]]


def _changes(first: Sequence[str], second: Sequence[str]) -> Iterator[Line]:
    matcher = SequenceMatcher(None, first, second, autojunk=len(first) + len(second) > 2_000)
    for place, group in enumerate(matcher.get_grouped_opcodes(AROUND)):
        if place:
            yield Line("…", "")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (Line(" ", each) for each in first[i1:i2])
                continue
            yield from (Line("-", each) for each in first[i1:i2])
            yield from (Line("+", each) for each in second[j1:j2])
