"""A typed word or phrase split into search terms, and read as an identifier. Independent of the search engine."""

import re
from typing import NamedTuple

from aggregator.search.query.segment import segment, terms
from aggregator.search.tree import Field, Masked, Word
from metadata.identifiers import normalise, recognise
from metadata.text.folding import fold_tight
from metadata.text.romaji import sound

# These characters separate words typed without spaces: 夏目漱石、こころ. A middle dot or a hyphen does not.
_SEPARATORS = re.compile(r"[、。，．,;:；：/／|｜()（）\[\]［］「」『』【】〔〕〈〉《》<>＜＞…!?！？&＆=＝]+")
_HAS_DIGIT = re.compile(r"\d").search
_YEAR = re.compile(r"((?:1[0-9]|20)[0-9]{2})年?").fullmatch
# Lengths of identifiers with a field of their own. 10: an ISBN with a wrong check digit, as some books print it.
LENGTHS = {"isbn": (10, 13), "issn": (8,)}
NUMBERS = (*LENGTHS, "jpno", "identifier")  # fields of numbers
SHORTEST_BEGINNING = 4  # characters of the beginning of a number; with fewer, too many numbers begin like this

Parts = tuple[tuple[str, ...], ...]


class WordForms(NamedTuple):
    """The forms in which a word is searched. Each may be empty.

    parts: adjacent terms, part by part; every part must be found. codes: its forms as an identifier. sound: its
    reading in Latin letters. year: of publication.
    """

    parts: Parts
    codes: tuple[str, ...] = ()
    sound: str = ""
    year: int = 0


def word_forms(text: str) -> WordForms:
    """The forms of a typed word."""
    year = _YEAR(fold_tight(text)) if len(text) <= 5 else None
    return WordForms(word_parts(text), codes(text), sound(text), int(year[1]) if year else 0)


def number_tree(text: str, field: Field) -> Word | Masked:
    """A number, or with a star at its end the beginning of one; a very short beginning is not searched as one."""
    beginning = text.strip().removesuffix("*")
    is_masked = text.strip().endswith("*") and len(beginning) >= SHORTEST_BEGINNING
    return Masked(f"{beginning}*", field) if is_masked else Word(text, field)


def word_parts(text: str) -> Parts:
    return tuple(adjacent for part in _SEPARATORS.split(text) if (adjacent := terms(part)))


def phrase_parts(text: str) -> Parts:
    """A phrase is a single part, including spaces and punctuation."""
    adjacent = terms(text)
    return (adjacent,) if adjacent else ()


def title_key(text: str) -> str:
    """The folded text without spaces, to be compared with whole titles."""
    return segment((text.encode("utf-8", "ignore").decode(),)).keys[0]


def codes(text: str) -> tuple[str, ...]:
    """The forms under which a text may be indexed as an identifier; () if it has no digit."""
    if not _HAS_DIGIT(text):
        return ()
    text = text.encode("utf-8", "ignore").decode()
    forms = (normalise("ISBN", text), code(text), code(recognise(text)[1]))
    return tuple(dict.fromkeys(form for form in forms if form))


def codes_in(field: str, text: str) -> tuple[str, ...]:
    """The identifier forms for a field: only those of its length; for ISBNs also misprinted ones."""
    lengths = LENGTHS.get(field)
    return tuple(form for form in codes(text) if lengths is None or len(form) in lengths)


def code(identifier: str) -> str:
    """The form in which an identifier is indexed and searched: without punctuation, in lower case.

    "" for a text with letters other than Latin ones, or without any letter or digit.
    """
    if identifier.isascii() and identifier.isalnum():
        return identifier.lower()
    folded = fold_tight(identifier)
    return folded if folded.isascii() else ""
