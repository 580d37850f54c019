"""Blocking keys: records that share one are compared. Pure; the same in every process and on every machine.

A title may stand alone in a key. A key that too many records share (`crowd`) is passed over by whoever looks for
candidates; such a title is still met by its beginning with the year or with a person. Keys of parts say less and are
met more often, the more records there are: a smaller crowd is enough.

What begins alike has keys that lie side by side: those of one title are on one page of an index, not on four.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import unpack

from aggregator.matching.features.row import Features

KEYS_AT_MOST = 10
CROWD = 200  # an identifier or a whole title shared by more records than this says nothing
WEAK_CROWD = 60  # the same of parts of a title, and of a person with a year
_ISBNS_AT_MOST = 3
_TITLE_LENGTH, _LATIN_LENGTH = 24, 48  # characters of a title that a key takes
_YEAR_LENGTH, _LATIN_YEAR_LENGTH = 6, 12  # beside a year
_BEGIN_LENGTH, _LATIN_BEGIN_LENGTH = 4, 8  # beside a person
_OWN_BITS = (1 << 48) - 1  # of a key; those above them say where it lies
_empty = blake2b(digest_size=8).copy


def match_keys(features: Features) -> tuple[int, ...]:
    """At most 10 signed 64-bit hashes, the most telling first; none for a record without title and identifier."""
    strong = [each & ~1 for each in all_hashed(dict.fromkeys(_identifier_keys(features)))]
    strong += [each & ~1 for each in _beside(tuple(dict.fromkeys(_title_keys(features))))]
    weak = [each | 1 for each in _beside(_weak_keys(features))]
    return tuple((strong[:KEYS_AT_MOST] + weak)[:KEYS_AT_MOST])


def crowd(key: int) -> int:
    """How many records may share a match key before it says nothing: its last bit tells of which kind it is."""
    return WEAK_CROWD if key & 1 else CROWD


def all_hashed(texts: Iterable[str]) -> tuple[int, ...]:
    """Each text as a signed 64-bit number, big end first."""
    digests = []
    for text in texts:
        digest = _empty()  # half the cost of making one anew
        digest.update(text.encode())
        digests.append(digest.digest())
    return unpack(f">{len(digests)}q", b"".join(digests))


def _beside(texts: Sequence[str]) -> list[int]:
    """`all_hashed` of a kind of key, a blank and words each, but near to all whose words begin alike."""
    return [each & _OWN_BITS | _place(text[2:4]) for each, text in zip(all_hashed(texts), texts, strict=True)]


@lru_cache(maxsize=8192)  # a record needs the same one for most of its keys
def _place(beginning: str) -> int:
    return all_hashed((beginning,))[0] & ~_OWN_BITS


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
    return [f"t {_shortened(each)}" for each in titles if each]


def _weak_keys(features: Features) -> list[str]:
    """What still agrees when half of a title was mistyped or left out."""
    full, year = features.full, features.year
    if not features.title:
        return []
    keys = []
    latin = full.isascii()
    if year:
        keys.append(f"b {full[: _LATIN_YEAR_LENGTH if latin else _YEAR_LENGTH]} {year}")
    if features.persons:
        begin = full[: _LATIN_BEGIN_LENGTH if latin else _BEGIN_LENGTH]
        family = features.persons[0].partition(" ")[0]
        keys.append(f"p {begin} {family}")
        if year:
            keys.append(f"y {family} {year} {_apart(features)}")
    return keys


def _apart(features: Features) -> str:
    """What tells most books of a person and a year apart, and is the same where a title was begun otherwise.

    Without it this key alone made every second pair at a million records, and next to none of them true.
    """
    return f"{features.pages}p" if features.pages else features.title[-1]


def _shortened(title: str) -> str:
    """So much of a title that another way of ending it is still met; words in Latin letters are longer."""
    return title[:_LATIN_LENGTH] if title.isascii() else title[:_TITLE_LENGTH]
