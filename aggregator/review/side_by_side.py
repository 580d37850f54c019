"""Two records beside each other, field by field, with what differs marked. Pure but for the words of the labels."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from aggregator.presentation.fields import DESCRIPTION, NUMBERS, PUBLICATION, TABLE, Cell, Table
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

LONGEST = 300  # characters of a value that is compared letter by letter
ALIKE = 0.5  # of two values: below it, marking letters would mark everything
SHOWN = 6  # values of one field

_DATES = re.compile(r",\s*[0-9]{3,4}-(?:[0-9]{3,4})?\Z")
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
        one, other = (_values(field.read(record)) for record in (first, second))
        if one or other:
            yield _beside(str(field.label), one, other)


def _values(cells: Iterable[Cell]) -> dict[str, str]:
    """Text -> what stands behind it, its reading and note: these are shown, not compared."""
    found = {each.text: f"{each.reading} {each.note and f'({each.note})'}".strip() for each in cells if each.text}
    return dict(list(found.items())[:SHOWN])


def _beside(label: str, one: dict[str, str], other: dict[str, str]) -> Compared:
    state = "one_side" if not one or not other else "same" if _alike([*one], [*other]) else "differs"
    if state == "differs":
        pairs = [marked(left, right) for left, right in zip_longest(one, other, fillvalue="")]
    else:
        pairs = [(_plain(left), _plain(right)) for left, right in zip_longest(one, other, fillvalue="")]
    first = tuple(_with(pieces, behind) for (pieces, _right), behind in zip(pairs, one.values(), strict=False))
    second = tuple(_with(pieces, behind) for (_left, pieces), behind in zip(pairs, other.values(), strict=False))
    return Compared(label, first, second, state)


def _with(pieces: Pieces, behind: str) -> Pieces:
    return (*pieces, (f" {behind}", False)) if behind else pieces


def _alike(one: Iterable[str], other: Iterable[str]) -> bool:
    """But for spelling, punctuation, dates behind a name and the order of words: "Gries, Paul" is "Paul Gries"."""
    left, right = ([_DATES.sub("", each) for each in texts] for texts in (one, other))
    return any({form(each) for each in left} == {form(each) for each in right} for form in (fold_tight, _words))


def _words(text: str) -> str:
    return " ".join(sorted(fold_tight(each) for each in _WORD.findall(text)))


def _plain(text: str) -> Pieces:
    return ((text, False),) if text else ()


def marked(one: str, other: str) -> tuple[Pieces, Pieces]:
    """Two texts in pieces: which letters differ; nothing is marked where hardly a letter agrees."""
    found = SequenceMatcher(None, one, other, autojunk=False) if max(len(one), len(other)) <= LONGEST else None
    if found is None or _alike([one], [other]) or found.ratio() < ALIKE:
        return _plain(one), _plain(other)
    steps = found.get_opcodes()
    return (
        tuple((one[start:end], tag != "equal") for tag, start, end, _from, _to in steps if end > start),
        tuple((other[start:end], tag != "equal") for tag, _from, _to, start, end in steps if end > start),
    )
