"""Cite keys for BibTeX and CSL-JSON: ASCII, readable, and always the same for a record. Pure; independent of the
two formats.
"""

import re
from hashlib import sha256

from metadata.citations.names import Name
from metadata.record import BibliographicRecord, Title, encode_record
from metadata.text.folding import fold
from metadata.text.romaji import romanise


def cite_key(record: BibliographicRecord, authors: tuple[Name, ...], year: str) -> str:
    """Return a key such as "natsume1914-3f9a2c": family name, year, and part of a hash.

    The hash distinguishes the author's books of one year. It is made from the URL of the record, or from its contents
    if it has none, so that keys from several downloads do not collide.
    """
    author = next(iter(authors), None)
    word = (_author_word(author) if author else "") or _title_word(record) or "record"
    suffix = sha256(record.uri.encode() if record.uri else encode_record(record)).hexdigest()[:6]
    return f"{word}{year}-{suffix}"


def _author_word(author: Name) -> str:
    """Return the first word of the author's reading, else of the name, else of the name in another script."""
    others = [name.value for name in author.agent.other_names if name.kind != "alternative"]
    forms = (author.agent.transcription, author.family or author.literal, *others)
    return next(filter(None, map(_first_word, forms)), "")


def _title_word(record: BibliographicRecord) -> str:
    main = record.titles[0] if record.titles else Title()
    others = (title.value for title in (*record.titles[1:], *record.alternatives))
    return next(filter(None, map(_first_word, (main.transcription, main.value, *others))), "")


def _first_word(text: str) -> str:
    """The first word in Latin letters; "" if the text has kanji, because the kana alone (の in 日本の) are no word."""
    first = text.partition(",")[0]
    if _HAN.search(first):
        return ""
    words = fold(romanise(first)).split()
    return next((word[:_MAX_WORD] for word in words if _LATIN.fullmatch(word) and word not in _ARTICLES), "")


_MAX_WORD = 20  # characters
_HAN = re.compile(r"[\u3400-\u9fff々]")
_LATIN = re.compile(r"[a-z][a-z0-9]+")
_ARTICLES = frozenset(("the", "an", "der", "die", "das", "le", "la", "les", "el", "il"))
