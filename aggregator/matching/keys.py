"""Blocking keys: records that share one are compared. Pure; the same in every process and on every machine."""

from hashlib import blake2b

from aggregator.matching.features import Features

KEYS_AT_MOST = 8
_ISBNS_AT_MOST = 3
_TITLE_LENGTH, _LATIN_LENGTH = 24, 48  # characters of a title that a key takes
_END_LENGTH = 6
_from_bytes = int.from_bytes


def match_keys(features: Features) -> tuple[int, ...]:
    """At most 8 signed 64-bit hashes, the most telling first; none for a record without title and identifier."""
    texts = dict.fromkeys(_identifier_keys(features) + _title_keys(features))
    return tuple(
        [
            _from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)  # big end first
            for text in list(texts)[:KEYS_AT_MOST]
        ]
    )


def _identifier_keys(features: Features) -> list[str]:
    keys = [f"isbn {isbn}" for isbn in features.isbns[:_ISBNS_AT_MOST]]
    keys += [f"set {isbn}" for isbn in features.set_isbns[:1]]
    keys += [f"issn {issn}" for issn in features.issns[:1]]
    keys += [f"id {identifier}" for identifier in features.ids[:2]]
    return keys


def _title_keys(features: Features) -> list[str]:
    """A title never stands alone: with year, volume, person or publisher, so that no key grows without end."""
    title = _shortened(features.title)
    if not title:
        return []
    year, keys = features.year, []
    if year:
        keys.append(f"title {title} {year}")
    if features.persons:
        keys.append(f"person {title} {features.volume} {features.persons[0]}")
    if year and features.yomi:
        keys.append(f"yomi {_shortened(features.yomi)} {year}")
    if features.publishers:
        keys.append(f"publisher {title} {features.volume} {features.publishers[0][:_END_LENGTH]}")
    if year and len(title) >= 2 * _END_LENGTH:
        keys.append(f"ends {title[:_END_LENGTH]} {features.title[-_END_LENGTH:]} {features.volume} {year}")
    if year and features.entries:  # never the series: every book of it would meet every other
        keys.append(f"title {_shortened(features.entries[0])} {year}")
    return keys or [f"title {title} {features.volume}"]


def _shortened(title: str) -> str:
    """So much of a title that another way of ending it is still met; words in Latin letters are longer."""
    return title[:_LATIN_LENGTH] if title.isascii() else title[:_TITLE_LENGTH]
