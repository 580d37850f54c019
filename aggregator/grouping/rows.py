"""Converts what cores are compared by (features, keys, ISBNs, scores) to and from table columns. No grouping."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from struct import pack, unpack
from typing import NamedTuple
from zlib import crc32

import msgspec
from msgspec import structs

from aggregator.matching import VERSION, Evidence, Features, decode_features, encode_features, match_keys
from aggregator.matching.comparison.weights import FILE
from aggregator.matching.groups.cores import fullness
from aggregator.models import Core, Kind, Member
from core.database.batches import as_json, select_in

NO_KEYS: frozenset[int] = frozenset()
ISBN_LENGTH = 13
# Identifies the rules and weights in force; cores that were stored under another value are compared again.
MATCHER = crc32(FILE.read_bytes()) ^ VERSION


class Packed(NamedTuple):
    """What a core is compared by, as columns of Core have it."""

    features: bytes = b""
    fullness: int = 0
    keys: bytes = b""
    isbns: bytes = b""
    matcher: int = 0


class CoreRow(NamedTuple):
    """A row of Core as it is read; the fields are columns."""

    id: int
    manifestation_id: int
    linked_to: int | None
    score: float
    kinds: int
    records: int
    example_id: int
    features: bytes
    fullness: int
    keys: bytes
    isbns: bytes
    matcher: int


class Row(msgspec.Struct, frozen=True, gc=False):
    """What a core is compared by, together with its stored form."""

    features: Features
    keys: frozenset[int] = NO_KEYS  # its blocking keys
    isbns: frozenset[int] = NO_KEYS  # the ISBNs that it bears; negative: ignored by staff
    stored: Packed = Packed()

    @property
    def bears(self) -> frozenset[int]:
        """Its ISBNs without those that staff ignore."""
        return (
            self.isbns if not self.isbns or min(self.isbns) > 0 else frozenset(isbn for isbn in self.isbns if isbn > 0)
        )

    @property
    def rank(self) -> int:
        """Minus its fullness: of the cores that share a crowded key, those with the smallest rank lead."""
        return -self.stored.fullness

    def same_as(self, other: "Row") -> bool:
        """Whether both have the same features, keys, ISBNs and matcher, so that no comparison can differ."""
        return self.stored == other.stored


class StoredCore(msgspec.Struct, frozen=True, gc=False):
    """A row of Core. link: the core with the strongest link, and its score."""

    row: Row
    manifestation: int
    kinds: int
    records: int
    example: int
    link: tuple[int | None, float]

    def same_as(self, other: "StoredCore") -> bool:
        """Whether both would be stored alike."""
        mine = (self.manifestation, self.link, self.kinds, self.records, self.example)
        return self.row.same_as(other.row) and mine == (
            *(other.manifestation, other.link, other.kinds, other.records, other.example),
        )


def new_row(profile: Features, ignored: Collection[str] = (), *, isolated: bool = False) -> Row:
    """Return the row of a core as it is now. ignored: ISBNs that staff chose to ignore.

    isolated: staff locked or froze its record: it gets no keys, so that it is not grouped by evidence.
    """
    keys = NO_KEYS if isolated else frozenset(match_keys(profile))
    isbns = frozenset([int(isbn) for isbn in (*profile.isbns, *profile.set_isbns)])
    if ignored:
        isbns |= {-int(isbn) for isbn in ignored}
    packed_keys, packed_isbns = pack_keys(sorted(keys)), pack_keys(sorted(isbns))
    packed = Packed(encode_features(profile), fullness(profile), packed_keys, packed_isbns, MATCHER)
    return Row(profile, keys, isbns, packed)


def with_numbers_only(features: Features) -> Features:
    """Remove values that a crosswalk accepted as ISBNs but that are not 13 digits: they could not be looked up."""
    if not features.isbns and not features.set_isbns or all(map(_is_number, features.isbns + features.set_isbns)):
        return features
    isbns, set_isbns = (tuple(filter(_is_number, values)) for values in (features.isbns, features.set_isbns))
    return structs.replace(features, isbns=isbns, set_isbns=set_isbns)


def _is_number(isbn: str) -> bool:
    return isbn.isdecimal() and len(isbn) == ISBN_LENGTH


def stored_cores(cores: Collection[int]) -> Iterator[tuple[int, StoredCore]]:
    """The rows of those of the cores that exist, by number."""
    for core in map(CoreRow._make, select_in(Core, CoreRow._fields, "id", cores)):
        packed = Packed(bytes(core.features), core.fullness, bytes(core.keys), bytes(core.isbns), core.matcher)
        row = Row(decode_features(packed.features), unpack_keys(packed.keys), unpack_keys(packed.isbns), packed)
        link = (core.linked_to, core.score)
        yield core.id, StoredCore(row, core.manifestation_id, core.kinds, core.records, core.example_id, link)


def stored_features(cores: Collection[int]) -> Iterator[tuple[int, Features]]:
    """The features of those of the cores that exist, by number."""
    for core, features in select_in(Core, ("id", "features"), "id", cores):
        yield core, decode_features(bytes(features))


def members_of_cores(book_of: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """The stored members of cores: (record, kind, core). book_of: core -> its book."""
    columns = ("source_record_id", "kind_id")
    members = select_in(Member, columns, "manifestation_id", frozenset(book_of.values()))
    kinds = {kind for _pk, kind in members if kind is not None}
    core_of = dict(select_in(Kind, ("id", "core_id"), "id", kinds))
    return [(pk, kind, core_of[kind]) for pk, kind in members if core_of.get(kind) in book_of]


def evidence_json(evidence: Iterable[Evidence]) -> str:
    """Evidence as a JSON column holds it: [{rule, outcome, weight}]."""
    return f"[{','.join(map(_evidence_item_json, evidence))}]"


@lru_cache(maxsize=1024)  # the model has a few hundred different pieces of evidence, and every core has several
def _evidence_item_json(item: Evidence) -> str:
    return as_json({"rule": item.rule, "outcome": item.outcome, "weight": item.weight})


def pack_keys(keys: Collection[int]) -> bytes:
    """Pack 64-bit numbers for a column: signed, little-endian."""
    return pack(f"<{len(keys)}q", *keys)


def unpack_keys(packed: bytes) -> frozenset[int]:
    """The inverse of `pack_keys`."""
    return frozenset(unpack(f"<{len(packed) // 8}q", packed)) if packed else NO_KEYS


SCORED_AT_MOST = 200  # cores (twenty thousand pairs); the scores of a larger group are not stored
_THOUSANDTHS = 1000  # scores are stored rounded to these


def pack_scores(pairs: Collection[tuple[float, bool]]) -> bytes:
    """Pack the scores of a group's pairs, in the order of its cores, and whether each is in `Region.likely`."""
    return pack(f"<{len(pairs)}i", *[round(score * _THOUSANDTHS) * 2 + likely for score, likely in pairs])


def unpack_scores(packed: bytes) -> list[tuple[float, bool]]:
    """The inverse of `pack_scores`."""
    return [((number >> 1) / _THOUSANDTHS, bool(number & 1)) for number in unpack(f"<{len(packed) // 4}i", packed)]
