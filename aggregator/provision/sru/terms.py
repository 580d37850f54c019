"""The term of a clause: what stands for itself, what is masked, and numbers and dates. Pure; knows no index."""

import re
from typing import NamedTuple

from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.query.values import moments
from aggregator.search.base import MAX_CHARACTERS
from aggregator.search.query.segment import is_character
from aggregator.search.tree import Field, Masked, Word
from metadata.text.folding import fold_tight
from metadata.xml.parsing import legal

SHORTEST = 3  # letters before the first mark of a masked word: with fewer it would be half of all words
MOST_MARKS = 4
_PIECE = re.compile(r"\\(?P<escaped>.)|(?P<mark>[*?])|(?P<anchor>\^)|(?P<text>[^\\*?^]+)", re.DOTALL)
_ESCAPABLE = '*?^"\\'
_YEAR = re.compile(r"([0-9]{4})(?:-[0-9]{2}(?:-[0-9]{2})?)?")


class Span(NamedTuple):
    """Seconds since 1970, both included."""

    first: int
    last: int


class _Read(NamedTuple):
    """A word with its backslashes gone. pattern: the same with the marks that were meant."""

    text: str
    pattern: str
    marks: int


def check(term: str) -> None:
    """Raises Diagnostic for what no index can be asked for."""
    if not term.strip():
        raise Diagnostic(27)
    if len(term) > MAX_CHARACTERS:
        raise Diagnostic(23, str(MAX_CHARACTERS))
    if legal(term) != term:
        raise Diagnostic(36, legal(term))


def words(term: str, field: Field) -> list[Word | Masked]:
    """The words of a term, which blanks part. Raises Diagnostic."""
    return [_word(_read(each), field) for each in term.split()]


def plain(term: str) -> str:
    """A term without marks. Raises Diagnostic."""
    found = _read(term)
    if found.marks:
        raise Diagnostic(28, term)
    return found.text.strip()


def beginning(term: str) -> str:
    """A term that a mark may end: it is looked for as a beginning anyway. Raises Diagnostic."""
    return plain(term.removesuffix("*"))


def _read(word: str) -> _Read:
    text, pattern, marks = "", "", 0
    if word.endswith("\\") and (len(word) - len(word.rstrip("\\"))) % 2:
        raise Diagnostic(26, word)
    for piece in _PIECE.finditer(word):
        if piece["anchor"]:
            raise Diagnostic(31, word)
        escaped = piece["escaped"]
        if escaped and escaped not in _ESCAPABLE:
            raise Diagnostic(26, f"\\{escaped}")
        if piece["mark"]:
            pattern, marks = pattern + piece["mark"], marks + 1
        else:
            text += escaped or piece["text"]
            pattern += "" if escaped else piece["text"]
    return _Read(text, pattern, marks)


def _word(read: _Read, field: Field) -> Word | Masked:
    if not read.marks:
        return Word(read.text, field)
    if any(map(is_character, fold_tight(read.text))):
        # Where blanks part no words, every text is found inside longer ones: a mark at an end changes nothing.
        inner = read.pattern.strip("*")
        if "*" in inner or "?" in inner:
            raise Diagnostic(28, read.pattern)
        return Word(inner, field)
    if read.marks > MOST_MARKS:
        raise Diagnostic(30, read.pattern)
    if len(fold_tight(re.split("[*?]", read.pattern)[0])) < SHORTEST:
        raise Diagnostic(29, read.pattern)
    return Masked(read.pattern, field)


def year(term: str) -> int:
    """The year of "1990", "1990-04" or "1990-04-01". Raises Diagnostic 36."""
    found = _YEAR.fullmatch(term.strip())
    if not found or not int(found[1]):
        raise Diagnostic(36, term, "1990, 1990-04, 1990-04-01")
    return int(found[1])


def moment(term: str) -> Span:
    """The day of "2026-04-01", or the second of "2026-04-01T09:30:00Z". UTC. Raises Diagnostic 36."""
    try:
        return Span(*moments(term.strip()))
    except ValueError as error:
        raise Diagnostic(36, term, "2026-04-01, 2026-04-01T09:30:00Z") from error
