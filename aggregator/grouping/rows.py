"""The features, blocking keys and ISBNs of a member, converted to and from their columns. No grouping."""

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
    """What a member is compared by, together with its stored form."""

    features: Features
    keys: frozenset[int] = NO_KEYS  # its blocking keys
    isbns: frozenset[int] = NO_KEYS  # the ISBNs that it bears; negative: ignored by staff
    stored: tuple[bytes, bytes, bytes, int] = (b"", b"", b"", 0)  # features, keys, isbns, version
    link: tuple[int | None, float] = (None, 0.0)  # as stored: the record with the strongest link, and its score

    @property
    def bears(self) -> frozenset[int]:
        """The ISBNs that count."""
        return (
            self.isbns if not self.isbns or min(self.isbns) > 0 else frozenset(isbn for isbn in self.isbns if isbn > 0)
        )


def new_row(name: str, features: Features, rulings: Rulings) -> Row:
    """Return the row of a record as it is now. Locked and frozen records get no keys, so that they are not grouped by
    evidence.
    """
    effective, ignored = rulings.effective(name, _with_numbers_only(features))
    keys = NO_KEYS if name in rulings.isolated else frozenset(match_keys(effective))
    isbns = frozenset([int(isbn) for isbn in (*effective.isbns, *effective.set_isbns)])
    if ignored:
        isbns |= {-int(isbn) for isbn in ignored}
    stored = (encode_features(effective), pack_keys(keys), pack_keys(isbns), VERSION)
    return Row(effective, keys, isbns, stored)


def _with_numbers_only(features: Features) -> Features:
    """Remove values that a crosswalk accepted as ISBNs but that are not 13 digits: they could not be looked up."""
    if not features.isbns and not features.set_isbns or all(map(_is_number, features.isbns + features.set_isbns)):
        return features
    isbns, set_isbns = (tuple(filter(_is_number, values)) for values in (features.isbns, features.set_isbns))
    return structs.replace(features, isbns=isbns, set_isbns=set_isbns)


def _is_number(isbn: str) -> bool:
    return isbn.isdecimal() and len(isbn) == ISBN_LENGTH


def stored_rows(pks: Collection[int]) -> Iterator[tuple[int, int, Row]]:
    """The primary key, group and row of those of the records that are members."""
    for pk, group, linked_to, score, features, keys, isbns, version in select_in(
        Member, MEMBER, "source_record_id", pks
    ):
        stored = (features, keys, isbns, version)
        link = (linked_to, score)
        yield pk, group, Row(decode_features(features), unpack_keys(keys), unpack_keys(isbns), stored, link)


def evidence_json(evidence: Iterable[Evidence]) -> str:
    """Evidence as a JSON column holds it: [{rule, outcome, weight}]."""
    return f"[{','.join(map(_evidence_item_json, evidence))}]"


@lru_cache(maxsize=1024)  # the model has a few hundred different pieces of evidence, and every member has several
def _evidence_item_json(item: Evidence) -> str:
    return as_json({"rule": item.rule, "outcome": item.outcome, "weight": item.weight})


def pack_keys(keys: Collection[int]) -> bytes:
    """Pack blocking keys for a column: signed 64-bit integers, little-endian."""
    return pack(f"<{len(keys)}q", *keys)


def unpack_keys(packed: bytes) -> frozenset[int]:
    """The inverse of `pack_keys`."""
    return frozenset(unpack(f"<{len(packed) // 8}q", packed)) if packed else NO_KEYS


SCORED_AT_MOST = 64  # members of a group whose scores are stored: two thousand pairs
_THOUSANDTHS = 1000  # scores are stored rounded to these


def pack_scores(pairs: Collection[tuple[float, bool]]) -> bytes:
    """Pack the scores of a group's pairs, in the order of its members, with whether each pair is likely."""
    return pack(f"<{len(pairs)}i", *[round(score * _THOUSANDTHS) * 2 + likely for score, likely in pairs])


def unpack_scores(packed: bytes) -> list[tuple[float, bool]]:
    """The inverse of `pack_scores`."""
    return [((number >> 1) / _THOUSANDTHS, bool(number & 1)) for number in unpack(f"<{len(packed) // 4}i", packed)]
