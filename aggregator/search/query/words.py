"""A word or a phrase as typed, cut into what is looked for, and as a number. Pure; knows no engine."""

import re
from typing import NamedTuple

from aggregator.search.query.segment import segment, terms
from metadata.identifiers import normalise, recognise
from metadata.text.folding import fold_tight
from metadata.text.romaji import sound

# Between what is typed without blanks these part words: 夏目漱石、こころ. A middle dot or a hyphen parts none.
_BORDERS = re.compile(r"[、。，．,;:；：/／|｜()（）\[\]［］「」『』【】〔〕〈〉《》<>＜＞…!?！？&＆=＝]+")
_HAS_DIGIT = re.compile(r"\d").search
_YEAR = re.compile(r"((?:1[0-9]|20)[0-9]{2})年?").fullmatch
# Of the numbers with a field of their own. 10: an ISBN with a wrong check digit, as some books print it.
LENGTHS = {"isbn": (10, 13), "issn": (8,)}

Parts = tuple[tuple[str, ...], ...]


class Looked(NamedTuple):
    """What a word is looked for as. parts: terms that stand next to each other, part by part; each must be found.

    codes: what it is as an identifier. sound: its reading in Latin letters. year: of publication. Each may be empty.
    """

    parts: Parts
    codes: tuple[str, ...] = ()
    sound: str = ""
    year: int = 0


def looked_for(text: str) -> Looked:
    """A word as typed."""
    year = _YEAR(fold_tight(text)) if len(text) <= 5 else None
    return Looked(parts(text), codes(text), sound(text), int(year[1]) if year else 0)


def parts(text: str) -> Parts:
    return tuple(together for part in _BORDERS.split(text) if (together := terms(part)))


def phrase_parts(text: str) -> Parts:
    """A phrase: all of it is one part, blanks and punctuation included."""
    together = terms(text)
    return (together,) if together else ()


def key(text: str) -> str:
    """A whole text for comparing with whole titles."""
    return segment((text.encode("utf-8", "ignore").decode(),)).keys[0]


def codes(text: str) -> tuple[str, ...]:
    """The forms under which a text may be indexed as an identifier, () if it has no digit."""
    if not _HAS_DIGIT(text):
        return ()
    text = text.encode("utf-8", "ignore").decode()
    forms = (normalise("ISBN", text), code(text), code(recognise(text)[1]))
    return tuple(dict.fromkeys(form for form in forms if form))


def codes_in(field: str, text: str) -> tuple[str, ...]:
    """The forms of a number that a field asks for: only those of its length, of ISBNs also misprinted ones."""
    lengths = LENGTHS.get(field)
    return tuple(each for each in codes(text) if lengths is None or len(each) in lengths)


def code(identifier: str) -> str:
    """One form for an identifier however it is punctuated, "" for what has no ASCII letter or digit."""
    if identifier.isascii() and identifier.isalnum():
        return identifier.lower()
    folded = fold_tight(identifier)
    return folded if folded.isascii() else ""
