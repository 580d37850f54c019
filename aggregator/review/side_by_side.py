"""Two records side by side, field by field, with the differences marked. No database access."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from aggregator.presentation.fields import DESCRIPTION, NUMBERS, PUBLICATION, TABLE, Cell, Table
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

LONGEST = 300  # characters; longer values are not compared letter by letter
ALIKE = 0.5  # similarity of two values; below it almost every letter would be marked
SHOWN = 6  # values of one field at most

_DATES = re.compile(r",\s*[0-9]{3,4}-(?:[0-9]{3,4})?\Z")
_WORD = re.compile(r"\w+")

type Pieces = tuple[tuple[str, bool], ...]  # text, whether it differs


@dataclass(frozen=True, slots=True)
class ComparedField:
    """One field of two records. state: "same" (apart from spelling), "differs", or "one_side"."""

    label: str
    first: tuple[Pieces, ...]
    second: tuple[Pieces, ...]
    state: str


def matching_fields(first: BibliographicRecord, second: BibliographicRecord) -> list[ComparedField]:
    """Return the fields that matching uses."""
    return [field for table in (DESCRIPTION, PUBLICATION, NUMBERS[:1]) for field in _compared(table, first, second)]


def other_fields(first: BibliographicRecord, second: BibliographicRecord) -> list[ComparedField]:
    """Return all other fields that at least one of the records has."""
    rest = [table for _group, table in TABLE if table not in (DESCRIPTION, PUBLICATION, NUMBERS)]
    return [field for table in (*rest, NUMBERS[1:]) for field in _compared(table, first, second)]


def _compared(table: Table, first: BibliographicRecord, second: BibliographicRecord) -> Iterator[ComparedField]:
    for field in table:
        one, other = (_values(field.read(record)) for record in (first, second))
        if one or other:
            yield _compared_field(str(field.label), one, other)


def _values(cells: Iterable[Cell]) -> dict[str, str]:
    """Return text -> its reading and note, which are shown after it but not compared."""
    shown = [cell.with_codes() for cell in cells]
    values = {cell.text: f"{cell.reading} {cell.note and f'({cell.note})'}".strip() for cell in shown if cell.text}
    return dict(list(values.items())[:SHOWN])


def _compared_field(label: str, one: dict[str, str], other: dict[str, str]) -> ComparedField:
    state = "one_side" if not one or not other else "same" if _alike([*one], [*other]) else "differs"
    if state == "differs":
        pairs = [marked(left, right) for left, right in zip_longest(one, other, fillvalue="")]
    else:
        pairs = [(_plain(left), _plain(right)) for left, right in zip_longest(one, other, fillvalue="")]
    first = tuple(_with_note(pieces, note) for (pieces, _right), note in zip(pairs, one.values(), strict=False))
    second = tuple(_with_note(pieces, note) for (_left, pieces), note in zip(pairs, other.values(), strict=False))
    return ComparedField(label, first, second, state)


def _with_note(pieces: Pieces, note: str) -> Pieces:
    return (*pieces, (f" {note}", False)) if note else pieces


def _alike(one: Iterable[str], other: Iterable[str]) -> bool:
    """Return whether the texts are the same apart from spelling, punctuation, dates after a name, and the order of
    words.

    "Gries, Paul" is the same as "Paul Gries".
    """
    left, right = ([_DATES.sub("", text) for text in texts] for texts in (one, other))
    return any({form(text) for text in left} == {form(text) for text in right} for form in (fold_tight, _words))


def _words(text: str) -> str:
    return " ".join(sorted(fold_tight(word) for word in _WORD.findall(text)))


def _plain(text: str) -> Pieces:
    return ((text, False),) if text else ()


def marked(one: str, other: str) -> tuple[Pieces, Pieces]:
    """Return two texts in pieces with the differing letters marked; nothing is marked if the texts hardly agree."""
    matcher = SequenceMatcher(None, one, other, autojunk=False) if max(len(one), len(other)) <= LONGEST else None
    if matcher is None or _alike([one], [other]) or matcher.ratio() < ALIKE:
        return _plain(one), _plain(other)
    steps = matcher.get_opcodes()
    return (
        tuple((one[start:end], tag != "equal") for tag, start, end, _from, _to in steps if end > start),
        tuple((other[start:end], tag != "equal") for tag, _from, _to, start, end in steps if end > start),
    )
