"""Blocking keys, hashes of identifiers and titles: only records that share one are compared. The keys of a record are
the same in every process and on every machine.

A title alone may be a key. A key that more than `CROWD` cores share is crowded: see `groups.candidates`. Keys made of
parts of a title are weak: they are shared more often as the number of records grows.

Keys of texts that begin alike are close to each other, so that the keys of one title are on one page of the database's
index, not on four.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from struct import unpack

from aggregator.matching.features.row import Features

KEYS_AT_MOST = 10
CROWD = 60  # more cores than this that share a key are not all compared with each other
_ISBNS_AT_MOST = 3
_TITLE_LENGTH, _LATIN_LENGTH = 24, 48  # characters of a title that go into a key
_YEAR_LENGTH, _LATIN_YEAR_LENGTH = 6, 12  # when combined with a year
_BEGIN_LENGTH, _LATIN_BEGIN_LENGTH = 4, 8  # when combined with a person
_OWN_BITS = (1 << 48) - 1  # hash of the whole text; the bits above them depend only on how the text begins
_empty = blake2b(digest_size=8).copy


def match_keys(features: Features) -> tuple[int, ...]:
    """At most 10 signed 64-bit hashes, the most specific first; none for a record without title and identifier."""
    identifiers = list(dict.fromkeys(_identifier_keys(features)))
    strong = (identifiers + list(dict.fromkeys(_title_keys(features))))[:KEYS_AT_MOST]
    texts = (strong + _weak_keys(features))[:KEYS_AT_MOST]
    keys = []
    for place, (key, text) in enumerate(zip(hash_texts(texts), texts, strict=True)):
        located = key if place < len(identifiers) else key & _OWN_BITS | _location(text[2:4])
        keys.append(located & ~1 if place < len(strong) else located | 1)
    return tuple(keys)


def is_weak(key: int) -> bool:
    """Whether a key is made of a part of a title, or of a person with a year. Its last bit says so."""
    return bool(key & 1)


def hash_texts(texts: Iterable[str]) -> tuple[int, ...]:
    """Each text as a signed 64-bit big-endian hash."""
    digests = []
    for text in texts:
        digest = _empty()  # copying costs half of creating a new one
        digest.update(text.encode())
        digests.append(digest.digest())
    return unpack(f">{len(digests)}q", b"".join(digests))


@lru_cache(maxsize=8192)  # most keys of a record need the same location
def _location(beginning: str) -> int:
    """The upper bits of the keys of texts ("<letter> <words>") whose words begin so: such keys are neighbours."""
    return hash_texts((beginning,))[0] & ~_OWN_BITS


def _identifier_keys(features: Features) -> list[str]:
    keys = [f"isbn {isbn}" for isbn in features.isbns[:_ISBNS_AT_MOST]]
    keys += [f"set {isbn}" for isbn in features.set_isbns[:1]]
    keys += [f"issn {issn}" for issn in features.issns[:1]]
    keys += [f"id {identifier}" for identifier in features.ids[:2]]
    return keys


def _title_keys(features: Features) -> list[str]:
    if not features.title:
        return []
    titles = (features.title, features.full, *features.entries[:2], features.yomi)
    return [f"t {_shortened(title)}" for title in titles if title]


def _weak_keys(features: Features) -> list[str]:
    """Keys that still agree when half of a title was mistyped or left out."""
    full, year = features.full, features.year
    if not features.title:
        return []
    keys = []
    latin = full.isascii()
    if year:
        keys.append(f"b {full[: _LATIN_YEAR_LENGTH if latin else _YEAR_LENGTH]} {year}")
    if features.persons:
        beginning = full[: _LATIN_BEGIN_LENGTH if latin else _BEGIN_LENGTH]
        family = features.persons[0].partition(" ")[0]
        keys.append(f"p {beginning} {family}")
        if year:
            keys.append(f"y {family} {year} {_separating_value(features)}")
    return keys


def _separating_value(features: Features) -> str:
    """A value that separates most books of the same person and year, and that does not depend on how a title begins.

    Keys of family name and year alone produced half of all pairs among a million records, almost none of them true.
    """
    return f"{features.pages}p" if features.pages else features.title[-1]


def _shortened(title: str) -> str:
    """The beginning of a title, so that titles with different endings share a key; Latin words are longer."""
    return title[:_LATIN_LENGTH] if title.isascii() else title[:_TITLE_LENGTH]
