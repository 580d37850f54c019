"""Kinds and cores: what is compared instead of every single record. Pure.

Libraries copy descriptions from each other, so thousands of records of a popular book are a few hundred different
descriptions. A *kind* is a set of records with equal features. A *core* is a set of kinds that agree in everything
that tells books apart (title, volume, edition, carrier, ISBN, year, pages, …) and differ at most in spelling, names
and notes. Only cores are compared, through their *profile*.

The numbers of kinds and cores are hashes of their content: the same in every process, database and order of arrival.
A change to what makes a core must increase `features.row.VERSION`, so that all kinds get new numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, compress
from operator import attrgetter, ne
from typing import Any

import msgspec
from msgspec import structs

from aggregator.matching.comparison.compare import NO_SUSPECTS, compare_until_veto
from aggregator.matching.comparison.decide import score
from aggregator.matching.features.row import Features, encode_features
from aggregator.matching.groups.solve import Rules

# Fields of which a profile has all values, the most frequent first; of the others it has the most frequent value.
_UNITED = ("entries", "others", "persons", "publishers", "set_isbns", "ids", "series", "originals")
_UNITED_AT_MOST = 8
_FIELDS = Features.__struct_fields__


def kind_number(features: bytes, own: str = "") -> int:
    """The kind of a record, as a signed 64-bit hash. features: as `encode_features` gives them.

    own: the public id of a record that forms a kind of its own, because staff ruled about it or because even an equal
    record need not be the same book (`stands_alone`).
    """
    return _hash(features + b"\0" + own.encode() if own else features)


def stands_alone(features: Features, rules: Rules) -> bool:
    """Whether the record says so little that two equal records are not known to be the same book."""
    said = (features.isbns, features.persons, features.publishers, features.year, features.pages)
    if features.title and sum(map(bool, said)) > _SUPPORTED:
        return False  # agreements never lower the score, so an equal record would be grouped with it
    return score(compare_until_veto(features, features, NO_SUSPECTS, rules.evidence_of)) < rules.join


def core_number(features: Features, kind: int) -> int:
    """The core of a kind, as a signed 64-bit hash. kind: its number; a kind that says too little is its own core."""
    if bool(features.isbns) + bool(features.year) + bool(features.pages) < _SIGNS:
        return kind
    # Without an ISBN the same title, year and number of pages may be those of another book of a series of comics.
    further = () if features.isbns else (features.full, features.month, features.series)
    return _hash(_encoder.encode((*_distinguishing(features), further)))


_encoder = msgspec.msgpack.Encoder()
_SUPPORTED = 2  # that many agreements besides the title suffice, whatever the title is
_SIGNS = 2  # of ISBN, year and pages: with fewer, equality may be chance
_distinguishing = attrgetter(
    *("title", "volume", "is_set", "edition", "kind", "carrier", "isbns", "year", "pages", "issns"),
    *("parts", "part_volume", "bare", "likely", "pieces", "minutes"),
)


def make_profile(kinds: Sequence[Features]) -> Features:
    """One row for all kinds of a core, the different descriptions in it: of each field the most frequent known value,
    and all names.

    Every kind counts once, however many records have this description; of equally frequent values, the smallest is
    taken.
    """
    if len(kinds) == 1:
        return kinds[0]
    first, *others = map(structs.astuple, kinds)
    # Of equal values of a single field nothing need be counted; those of the others are put in order in any case.
    differing = set(chain.from_iterable(compress(_FIELDS, map(ne, first, other)) for other in others))
    chosen: dict[str, Any] = {}
    for name in differing.union(_UNITED):
        values = [value for row in kinds if (value := getattr(row, name))]
        if name in _UNITED:
            chosen[name] = tuple(_by_frequency(chain.from_iterable(values))[:_UNITED_AT_MOST])
        else:
            chosen[name] = _by_frequency(values)[0]
    return structs.replace(kinds[0], **chosen)


def _by_frequency[T: (str, int, tuple[str, ...])](values: Iterable[T]) -> list[T]:
    counts = Counter(values)
    if len(counts) < 2:
        return list(counts)
    return sorted(counts, key=lambda value: (-counts[value], value))


def fullness(features: Features) -> int:
    """How much the row says: the number of fields with a value."""
    return sum(map(bool, structs.astuple(features)))


class Core(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A core as it is compared. kinds, records: how many it has."""

    features: Features
    kinds: int = 1
    records: int = 1


def group_by_core(
    members: Mapping[str, Features], own: Collection[str], rules: Rules
) -> tuple[dict[int, Core], dict[str, int]]:
    """The cores of records, and the core of each record. own: the records that form kinds of their own."""
    kinds: dict[int, Features] = {}
    kind_of: dict[str, int] = {}
    cores: defaultdict[int, set[int]] = defaultdict(set)
    for name, features in members.items():
        alone = name in own or stands_alone(features, rules)
        kind = kind_of[name] = kind_number(encode_features(features), name if alone else "")
        kinds[kind] = features
        cores[kind if alone else core_number(features, kind)].add(kind)
    core_of_kind = {kind: core for core, of_core in cores.items() for kind in of_core}
    core_of = {name: core_of_kind[kind] for name, kind in kind_of.items()}
    records = Counter(core_of.values())
    return {
        core: Core(
            features=make_profile([kinds[kind] for kind in sorted(of_core)]), kinds=len(of_core), records=records[core]
        )
        for core, of_core in cores.items()
    }, core_of


def _hash(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big", signed=True)
