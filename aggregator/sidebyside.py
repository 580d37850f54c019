"""Two records beside each other, field by field, with what differs marked. Pure but for the words of the labels."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from aggregator.fields import DESCRIPTION, NUMBERS, PUBLICATION, TABLE, Cell, Table
from metadata.record import BibliographicRecord
from metadata.text import fold_tight

LONGEST = 300  # characters of a value that is compared letter by letter
ALIKE = 0.5  # of two values: below it, marking letters would mark everything
SHOWN = 6  # values of one field

_WORD = re.compile(r"\w+")

type Pieces = tuple[tuple[str, bool], ...]  # text, whether it differs


@dataclass(frozen=True, slots=True)
class Compared:
    """One field of two records. state: "same" (but for spelling), "differs", or "one_side"."""

    label: str
    first: tuple[Pieces, ...]
    second: tuple[Pieces, ...]
    state: str


def telling(first: BibliographicRecord, second: BibliographicRecord) -> list[Compared]:
    """The fields that matching goes by."""
    return [each for table in (DESCRIPTION, PUBLICATION, NUMBERS[:1]) for each in _compared(table, first, second)]


def others(first: BibliographicRecord, second: BibliographicRecord) -> list[Compared]:
    """All other fields that one of them has."""
    rest = [table for _group, table in TABLE if table not in (DESCRIPTION, PUBLICATION, NUMBERS)]
    return [each for table in (*rest, NUMBERS[1:]) for each in _compared(table, first, second)]


def _compared(table: Table, first: BibliographicRecord, second: BibliographicRecord) -> Iterator[Compared]:
    for field in table:
        one, other = (_texts(tuple(field.read(record))) for record in (first, second))
        if one or other:
            yield _beside(str(field.label), one, other)


def _texts(cells: tuple[Cell, ...]) -> list[str]:
    found = (" ".join(filter(None, (each.text, each.reading, each.note and f"({each.note})"))) for each in cells)
    return [each for each in dict.fromkeys(found) if each][:SHOWN]


def _beside(label: str, one: list[str], other: list[str]) -> Compared:
    if not one or not other:
        return Compared(label, _plain(one), _plain(other), "one_side")
    if _alike(one, other):
        return Compared(label, _plain(one), _plain(other), "same")
    pairs = [marked(left, right) for left, right in zip_longest(one, other, fillvalue="")]
    left = tuple(each for each, _right in pairs if each)
    return Compared(label, left, tuple(each for _left, each in pairs if each), "differs")


def _alike(one: list[str], other: list[str]) -> bool:
    """But for spelling, punctuation and the order of words: "Gries, Paul" is "Paul Gries"."""
    return any({form(each) for each in one} == {form(each) for each in other} for form in (fold_tight, _words))


def _words(text: str) -> str:
    return " ".join(sorted(fold_tight(each) for each in _WORD.findall(text)))


def _plain(texts: list[str]) -> tuple[Pieces, ...]:
    return tuple(((each, False),) for each in texts)


def marked(one: str, other: str) -> tuple[Pieces, Pieces]:
    """Two texts in pieces: which letters differ; nothing is marked where hardly a letter agrees."""
    found = SequenceMatcher(None, one, other, autojunk=False) if max(len(one), len(other)) <= LONGEST else None
    if found is None or _alike([one], [other]) or found.ratio() < ALIKE:
        return (((one, False),) if one else ()), (((other, False),) if other else ())
    steps = found.get_opcodes()
    return (
        tuple((one[start:end], tag != "equal") for tag, start, end, _from, _to in steps if end > start),
        tuple((other[start:end], tag != "equal") for tag, _from, _to, start, end in steps if end > start),
    )
