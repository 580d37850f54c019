"""Blocking keys: records that share one are compared. Pure; the same in every process and on every machine.

A title may stand alone in a key. A key that too many records share (CROWD) is passed over by whoever looks for
candidates; such a title is still met by its ends with the year, and by its beginning with a person.
"""

from hashlib import blake2b

from aggregator.matching.features import Features

KEYS_AT_MOST = 10
CROWD = 200  # a key shared by more records than this says nothing
_ISBNS_AT_MOST = 3
_TITLE_LENGTH, _LATIN_LENGTH = 24, 48  # characters of a title that a key takes
_END_LENGTH, _LATIN_END_LENGTH = 6, 12
_BEGIN_LENGTH, _LATIN_BEGIN_LENGTH = 4, 8  # beside a person
_from_bytes = int.from_bytes


def match_keys(features: Features) -> tuple[int, ...]:
    """At most 10 signed 64-bit hashes, the most telling first; none for a record without title and identifier."""
    texts = dict.fromkeys(_identifier_keys(features) + _title_keys(features))
    return tuple([hashed(text) for text in list(texts)[:KEYS_AT_MOST]])


def hashed(text: str) -> int:
    """A text as a signed 64-bit number, big end first."""
    return _from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)


def _identifier_keys(features: Features) -> list[str]:
    keys = [f"isbn {isbn}" for isbn in features.isbns[:_ISBNS_AT_MOST]]
    keys += [f"set {isbn}" for isbn in features.set_isbns[:1]]
    keys += [f"issn {issn}" for issn in features.issns[:1]]
    keys += [f"id {identifier}" for identifier in features.ids[:2]]
    return keys


def _title_keys(features: Features) -> list[str]:
    """The titles by themselves; then what still agrees when half of a title was mistyped or left out."""
    title, full, year = features.title, features.full, features.year
    if not title:
        return []
    keys = [f"t {_shortened(each)}" for each in (title, full, *features.entries[:2], features.yomi) if each]
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
