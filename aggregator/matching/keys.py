"""Blocking keys: records that share one are compared. Pure; the same in every process and on every machine.

A title may stand alone in a key. A key that too many records share (`crowd`) is passed over by whoever looks for
candidates; such a title is still met by its beginning with the year or with a person. Keys of parts say less and are
met more often, the more records there are: a smaller crowd is enough.

What begins alike has keys that lie side by side: those of one title are on one page of an index, not on four.
"""

from functools import lru_cache
from hashlib import blake2b

from aggregator.matching.features import Features

KEYS_AT_MOST = 10
CROWD = 200  # an identifier or a whole title shared by more records than this says nothing
WEAK_CROWD = 60  # the same of parts of a title, and of a person with a year
_ISBNS_AT_MOST = 3
_TITLE_LENGTH, _LATIN_LENGTH = 24, 48  # characters of a title that a key takes
_YEAR_LENGTH, _LATIN_YEAR_LENGTH = 6, 12  # beside a year
_BEGIN_LENGTH, _LATIN_BEGIN_LENGTH = 4, 8  # beside a person
_OWN_BITS = (1 << 48) - 1  # of a key; those above them say where it lies
_from_bytes = int.from_bytes
_EMPTY = blake2b(digest_size=8)


def match_keys(features: Features) -> tuple[int, ...]:
    """At most 10 signed 64-bit hashes, the most telling first; none for a record without title and identifier."""
    strong = [hashed(text) & ~1 for text in dict.fromkeys(_identifier_keys(features))]
    strong += [_beside(text) & ~1 for text in dict.fromkeys(_title_keys(features))]
    weak = [_beside(text) | 1 for text in _weak_keys(features)]
    return tuple((strong[:KEYS_AT_MOST] + weak)[:KEYS_AT_MOST])


def crowd(key: int) -> int:
    """How many records may share a match key before it says nothing: its last bit tells of which kind it is."""
    return WEAK_CROWD if key & 1 else CROWD


def hashed(text: str) -> int:
    """A text as a signed 64-bit number, big end first."""
    digest = _EMPTY.copy()  # half the cost of making one anew
    digest.update(text.encode())
    return _from_bytes(digest.digest(), signed=True)


def _beside(text: str) -> int:
    """`hashed` of a kind of key, a blank and words, but near to all whose words begin alike."""
    return hashed(text) & _OWN_BITS | _place(text[2:4])


@lru_cache(maxsize=8192)  # a record needs the same one for most of its keys
def _place(beginning: str) -> int:
    return hashed(beginning) & ~_OWN_BITS


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
