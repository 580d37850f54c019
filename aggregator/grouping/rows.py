"""What a member is compared and found by, as it is stored and as it is made. No grouping."""

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from struct import pack, unpack

import msgspec
from msgspec import structs

from aggregator.grouping.rulings import Rulings
from aggregator.matching import VERSION, Evidence, Features, decode_features, encode_features, match_keys
from aggregator.models import Member
from core.database.batches import as_json, select_in

MEMBER = ("source_record_id", "manifestation_id", "linked_to_id", "score", "features", "keys", "isbns", "version")
NO_KEYS: frozenset[int] = frozenset()
ISBN_LENGTH = 13


class Row(msgspec.Struct, frozen=True, gc=False):
    """What a member is compared by, and the same as it is stored."""

    features: Features
    keys: frozenset[int] = NO_KEYS  # by which it is found
    isbns: frozenset[int] = NO_KEYS  # that it bears; below zero: ignored
    stored: tuple[bytes, bytes, bytes, int] = (b"", b"", b"", 0)  # features, keys, isbns, version
    link: tuple[int | None, float] = (None, 0.0)  # as stored: with whom it was linked most strongly, how much

    @property
    def bears(self) -> frozenset[int]:
        """The ISBNs that count."""
        return (
            self.isbns if not self.isbns or min(self.isbns) > 0 else frozenset(each for each in self.isbns if each > 0)
        )


def new_row(name: str, features: Features, rulings: Rulings) -> Row:
    """Of a record as it is now. What staff lock or freeze has no keys: no evidence joins it to anything."""
    effective, ignored = rulings.effective(name, _with_numbers_only(features))
    keys = NO_KEYS if name in rulings.alone else frozenset(match_keys(effective))
    isbns = frozenset([int(each) for each in (*effective.isbns, *effective.set_isbns)])
    if ignored:
        isbns |= {-int(each) for each in ignored}
    stored = (encode_features(effective), pack_keys(keys), pack_keys(isbns), VERSION)
    return Row(effective, keys, isbns, stored)


def _with_numbers_only(features: Features) -> Features:
    """Without what a crosswalk let through as an ISBN that is none: it could not be looked up."""
    if not features.isbns and not features.set_isbns or all(map(_is_number, features.isbns + features.set_isbns)):
        return features
    isbns, set_isbns = (tuple(filter(_is_number, row)) for row in (features.isbns, features.set_isbns))
    return structs.replace(features, isbns=isbns, set_isbns=set_isbns)


def _is_number(isbn: str) -> bool:
    return isbn.isdecimal() and len(isbn) == ISBN_LENGTH


def stored_rows(pks: Collection[int]) -> Iterator[tuple[int, int, Row]]:
    """Number, group and row of those of the records that are members."""
    for pk, group, linked_to, score, features, keys, isbns, version in select_in(
        Member, MEMBER, "source_record_id", pks
    ):
        stored = (features, keys, isbns, version)
        link = (linked_to, score)
        yield pk, group, Row(decode_features(features), unpack_keys(keys), unpack_keys(isbns), stored, link)


def evidence_json(evidence: Iterable[Evidence]) -> str:
    """Evidence as a JSON column holds it: [{rule, outcome, weight}]."""
    return f"[{','.join(map(_finding_json, evidence))}]"


@lru_cache(maxsize=1024)  # the model knows some hundred findings, and every member has several
def _finding_json(found: Evidence) -> str:
    return as_json({"rule": found.rule, "outcome": found.outcome, "weight": found.weight})


def pack_keys(keys: Collection[int]) -> bytes:
    """Match keys as a column holds them: signed 64-bit numbers, little-endian."""
    return pack(f"<{len(keys)}q", *keys)


def unpack_keys(packed: bytes) -> frozenset[int]:
    """The inverse of `pack_keys`."""
    return frozenset(unpack(f"<{len(packed) // 8}q", packed)) if packed else NO_KEYS


SCORED_AT_MOST = 64  # members of a group whose scores are kept: two thousand pairs
_THOUSANDTHS = 1000  # scores are rounded to them


def pack_scores(pairs: Collection[tuple[float, bool]]) -> bytes:
    """Scores of the pairs of a group, in order of their members, as a column holds them; with whether it is likely."""
    return pack(f"<{len(pairs)}i", *[round(score * _THOUSANDTHS) * 2 + likely for score, likely in pairs])


def unpack_scores(packed: bytes) -> list[tuple[float, bool]]:
    """The inverse of `pack_scores`."""
    return [((number >> 1) / _THOUSANDTHS, bool(number & 1)) for number in unpack(f"<{len(packed) // 4}i", packed)]
