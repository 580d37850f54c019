"""Reads the term of a clause: escapes, masking characters, numbers and dates. Independent of the indexes."""

import re
from typing import NamedTuple

from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.query.values import moments
from aggregator.search.base import MAX_CHARACTERS
from aggregator.search.query.segment import is_character
from aggregator.search.tree import Field, Masked, Word
from metadata.text.folding import fold_tight
from metadata.xml.parsing import strip_illegal

MIN_LETTERS = 3  # letters before the first masking character; with fewer, too many words would match
MAX_MARKS = 4  # masking characters in a word
_PIECE = re.compile(r"\\(?P<escaped>.)|(?P<mark>[*?])|(?P<anchor>\^)|(?P<text>[^\\*?^]+)", re.DOTALL)
_ESCAPABLE = '*?^"\\'
_YEAR = re.compile(r"([0-9]{4})(?:-[0-9]{2}(?:-[0-9]{2})?)?")


class Span(NamedTuple):
    """Seconds since 1970, both included."""

    first: int
    last: int


class _ParsedWord(NamedTuple):
    """A word without backslashes. text: without masking characters. pattern: with them. marks: how many there are."""

    text: str
    pattern: str
    marks: int


def check(term: str) -> None:
    """Raise Diagnostic for terms that no index accepts."""
    if not term.strip():
        raise Diagnostic(27)
    if len(term) > MAX_CHARACTERS:
        raise Diagnostic(23, str(MAX_CHARACTERS))
    if strip_illegal(term) != term:
        raise Diagnostic(36, strip_illegal(term))


def words(term: str, field: Field) -> list[Word | Masked]:
    """Return the words of a term, separated by blanks. Raises Diagnostic."""
    return [_word(_read(word), field) for word in term.split()]


def plain(term: str) -> str:
    """Return a term that must not have masking characters. Raises Diagnostic."""
    parsed = _read(term)
    if parsed.marks:
        raise Diagnostic(28, term)
    return parsed.text.strip()


def beginning(term: str) -> str:
    """Return a term without a final "*", for indexes that match beginnings anyway. Raises Diagnostic."""
    return plain(term.removesuffix("*"))


def _read(word: str) -> _ParsedWord:
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
    return _ParsedWord(text, pattern, marks)


def _word(parsed: _ParsedWord, field: Field) -> Word | Masked:
    if not parsed.marks:
        return Word(parsed.text, field)
    if any(map(is_character, fold_tight(parsed.text))):
        # Japanese text is matched inside longer text anyway, so a "*" at either end of the term changes nothing.
        inner = parsed.pattern.strip("*")
        if "*" in inner or "?" in inner:
            raise Diagnostic(28, parsed.pattern)
        return Word(inner, field)
    if parsed.marks > MAX_MARKS:
        raise Diagnostic(30, parsed.pattern)
    if len(fold_tight(re.split("[*?]", parsed.pattern)[0])) < MIN_LETTERS:
        raise Diagnostic(29, parsed.pattern)
    return Masked(parsed.pattern, field)


def year(term: str) -> int:
    """Return the year of "1990", "1990-04" or "1990-04-01". Raises Diagnostic 36."""
    match = _YEAR.fullmatch(term.strip())
    if not match or not int(match[1]):
        raise Diagnostic(36, term, "1990, 1990-04, 1990-04-01")
    return int(match[1])


def moment(term: str) -> Span:
    """Return the day of "2026-04-01", or the second of "2026-04-01T09:30:00Z" (UTC). Raises Diagnostic 36."""
    try:
        return Span(*moments(term.strip()))
    except ValueError as error:
        raise Diagnostic(36, term, "2026-04-01, 2026-04-01T09:30:00Z") from error
