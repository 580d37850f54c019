"""What a searcher typed, as words to look for. Pure; knows no engine.

There is no query language: AND, OR, NOT, *, - and brackets are text like any other. Only double quotes mean
something: what stands between them is one word, blanks included.
"""

import re
from typing import NamedTuple

from aggregator.search.base import MAX_CHARACTERS, MAX_WORDS, TEXTS, Query, QueryError
from aggregator.search.segment import segment, terms
from metadata.identifiers import normalise, recognise
from metadata.text import fold_tight

_TYPED = re.compile(r'"([^"]+)"|([^\s"]+)')
_QUOTES = {ord(quote): '"' for quote in "“”„‟＂〝〞〟"}
# Between what is typed without blanks these part words: 夏目漱石、こころ. A middle dot or a hyphen parts none.
_BORDERS = re.compile(r"[、。，．,;:；：/／|｜()（）\[\]［］「」『』【】〔〕〈〉《》<>＜＞…!?！？&＆=＝]+")
_HAS_DIGIT = re.compile(r"\d").search


class Word(NamedTuple):
    """A word as typed. parts: terms that stand next to each other, part by part; each part must be found.

    codes: what it is as an identifier, () if it cannot be one.
    """

    key: str
    parts: tuple[tuple[str, ...], ...]
    codes: tuple[str, ...] = ()


def words(field: str, text: str) -> tuple[Word, ...]:
    """The words of one field of a query. Raises QueryError when there are too many, or too much text."""
    if len(text) > MAX_CHARACTERS:
        raise QueryError("too_long", field=field, limit=MAX_CHARACTERS, length=len(text))
    typed = _TYPED.findall(_encodable(text).translate(_QUOTES))
    found = tuple(_quoted(quoted) if quoted else _word(loose) for quoted, loose in typed)
    count = sum(len(word.parts) for word in found)
    if count > MAX_WORDS:
        raise QueryError("too_many_words", field=field, limit=MAX_WORDS, words=count)
    return tuple(word for word in found if word.parts or word.codes)


def key(text: str) -> str:
    """A whole text for comparing with whole titles."""
    return segment((_encodable(text),)).keys[0]


def codes(text: str) -> tuple[str, ...]:
    """The forms under which a text may be indexed as an identifier, () if it has no digit."""
    if not _HAS_DIGIT(text):
        return ()
    text = _encodable(text)
    forms = (normalise("ISBN", text), code(text), code(recognise(text)[1]))
    return tuple(dict.fromkeys(form for form in forms if form))


def code(identifier: str) -> str:
    """One form for an identifier however it is punctuated, "" for what has no ASCII letter or digit."""
    if identifier.isascii() and identifier.isalnum():
        return identifier.lower()
    folded = fold_tight(identifier)
    return folded if folded.isascii() else ""


def without_text(query: Query) -> bool:
    """Whether no text was typed at all; blanks are none."""
    return not any(getattr(query, name).strip() for name in TEXTS)


def _quoted(text: str) -> Word:
    together = terms(text)
    return Word(key(text), (together,) if together else ())


def _word(text: str) -> Word:
    parts = tuple(together for part in _BORDERS.split(text) if (together := terms(part)))
    return Word(key(text), parts, codes(text))


def _encodable(text: str) -> str:
    """Without lone surrogates, which no engine can be given."""
    return text.encode("utf-8", "ignore").decode()
