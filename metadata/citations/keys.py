"""BibTeX's cite keys: ASCII, readable, and the same for the same record. Pure; knows no format."""

import re
from hashlib import sha256

from metadata.citations.names import Name
from metadata.record import BibliographicRecord, Title, encode_record
from metadata.text.folding import fold
from metadata.text.romaji import romanise


def cite_key(record: BibliographicRecord, authors: tuple[Name, ...], year: str) -> str:
    """ "natsume1914-3f9a2c": family name, year, and what tells it from the same author's other books of that year.

    The end is made from the record's own address, so that keys from several downloads do not meet.
    """
    author = next(iter(authors), None)
    word = (_author_word(author) if author else "") or _title_word(record) or "record"
    mark = sha256(record.uri.encode() if record.uri else encode_record(record)).hexdigest()[:6]
    return f"{word}{year}-{mark}"


def _author_word(author: Name) -> str:
    """From the reading, else from another form of the name in Latin letters, else from the name itself."""
    others = [each.value for each in author.agent.other_names if each.kind != "alternative"]
    forms = (author.agent.transcription, author.family or author.literal, *others)
    return next(filter(None, map(_first_word, forms)), "")


def _title_word(record: BibliographicRecord) -> str:
    main = record.titles[0] if record.titles else Title()
    others = (each.value for each in (*record.titles[1:], *record.alternatives))
    return next(filter(None, map(_first_word, (main.transcription, main.value, *others))), "")


def _first_word(text: str) -> str:
    """The first word that has a Latin spelling; kana beside kanji (日本の…) are no word."""
    first = text.partition(",")[0]
    if _HAN.search(first):
        return ""
    words = fold(romanise(first)).split()
    return next((word[:_LONGEST] for word in words if _LATIN.fullmatch(word) and word not in _ARTICLES), "")


_LONGEST = 20
_HAN = re.compile(r"[\u3400-\u9fff々]")
_LATIN = re.compile(r"[a-z][a-z0-9]+")
_ARTICLES = frozenset(("the", "an", "der", "die", "das", "le", "la", "les", "el", "il"))
