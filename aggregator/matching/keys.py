"""Blocking keys: records that share one are compared. Pure; the same in every process and on every machine.

A title may stand alone in a key. A key that too many records share (`crowd`) is passed over by whoever looks for
candidates; such a title is still met by its ends with the year, and by its beginning with a person. Keys of parts say
less and are met more often, the more records there are: a smaller crowd is enough.
"""

from hashlib import blake2b

from aggregator.matching.features import Features

KEYS_AT_MOST = 10
CROWD = 200  # an identifier or a whole title shared by more records than this says nothing
WEAK_CROWD = 60  # the same of parts of a title, and of a person with a year
_ISBNS_AT_MOST = 3
_TITLE_LENGTH, _LATIN_LENGTH = 24, 48  # characters of a title that a key takes
_END_LENGTH, _LATIN_END_LENGTH = 6, 12
_BEGIN_LENGTH, _LATIN_BEGIN_LENGTH = 4, 8  # beside a person
_from_bytes = int.from_bytes
_EMPTY = blake2b(digest_size=8)


def match_keys(features: Features) -> tuple[int, ...]:
    """At most 10 signed 64-bit hashes, the most telling first; none for a record without title and identifier."""
    strong = dict.fromkeys(_identifier_keys(features) + _title_keys(features))
    keys = [hashed(text) & ~1 for text in list(strong)[:KEYS_AT_MOST]]
    return tuple(keys + [hashed(text) | 1 for text in _weak_keys(features)[: KEYS_AT_MOST - len(keys)]])


def crowd(key: int) -> int:
    """How many records may share a match key before it says nothing: its last bit tells of which kind it is."""
    return WEAK_CROWD if key & 1 else CROWD


def hashed(text: str) -> int:
    """A text as a signed 64-bit number, big end first."""
    digest = _EMPTY.copy()  # half the cost of making one anew
    digest.update(text.encode())
    return _from_bytes(digest.digest(), signed=True)


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
        length = _LATIN_END_LENGTH if latin else _END_LENGTH
        keys += [f"b {full[:length]} {year}", f"e {full[-length:]} {year}"]
    if features.persons:
        begin = full[: _LATIN_BEGIN_LENGTH if latin else _BEGIN_LENGTH]
        family = features.persons[0].partition(" ")[0]
        keys.append(f"p {begin} {family}")
        if year:
            keys.append(f"y {family} {year}")
    return keys


def _shortened(title: str) -> str:
    """So much of a title that another way of ending it is still met; words in Latin letters are longer."""
    return title[:_LATIN_LENGTH] if title.isascii() else title[:_TITLE_LENGTH]
