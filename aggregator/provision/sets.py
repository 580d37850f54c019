"""The sets into which the redistributed data is divided: by provider, merged, single copies, by type. Pure.

repository              the providers' own records
repository:R123456789   the records of one provider
merged                  one merged record per book
copies                  one record per copy of a book, with nothing but this copy (NDL guideline 2.1.2 (2))
type                    source records and merged records of any type: everything, since the type may be “other”
type:Book               source records and merged records of one type
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec
from msgspec import structs

from aggregator.provision.contents import Terms
from aggregator.provision.pending import MERGED
from aggregator.search.access import access_of
from aggregator.search.materials import BOOK, COLLECTION, LEVELS, OTHER_TYPE, TYPES, collections_of, level_of, types_of
from harvesting.models import REPOSITORY_NUMBER
from harvesting.records.compression import unpack_encoded
from metadata.record import BibliographicRecord, Item, MaterialType
from metadata.vocabularies.access import NDL_RIGHTS
from metadata.vocabularies.licences import is_public_domain

REPOSITORY, MERGED_SET, COPIES_SET, TYPE = "repository", "merged", "copies", "type"
GROUP = "ndl-group"  # before the name of a data group, which only the face of NDL Search offers
_OTHER_LEVELS = tuple(level for level in LEVELS if level != BOOK)
_REPOSITORY = re.compile(rf"{REPOSITORY}:({REPOSITORY_NUMBER}(?:\+{REPOSITORY_NUMBER})*)")  # several: `repositories`


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the redistributed data. origin: key of a provider, MERGED, EVERY_REPOSITORY or COPIES.

    type: one of the names of its items (`names_of`). without: names that its items do not have. parts: if set, what is
    in any of these.
    """

    origin: int | None = None
    type: str = ""
    without: tuple[str, ...] = ()
    parts: tuple["Part", ...] = ()


EVERYTHING = Part()
EVERY_REPOSITORY = -1  # as origin: the records of all providers, without merged records
COPIES = -2  # as origin: single copies, which are in no other part
NOBODY = -3  # as origin: no records
_FIXED = {
    REPOSITORY: Part(origin=EVERY_REPOSITORY),
    MERGED_SET: Part(origin=MERGED),
    COPIES_SET: Part(origin=COPIES),
    TYPE: EVERYTHING,
}


def part_of(spec: str, terms: Mapping[int, Terms]) -> Part | None:
    """Return the part that a setSpec names, or None if there is no such set."""
    if spec in _FIXED:
        return _FIXED[spec]
    if spec.startswith(f"{GROUP}:"):
        return group(spec.removeprefix(f"{GROUP}:"), terms)
    if spec.startswith(f"{TYPE}:"):
        name = spec.removeprefix(f"{TYPE}:")
        return Part(type=name) if name in TYPES else None
    match = _REPOSITORY.fullmatch(spec)
    numbers = match[1].split("+") if match else ()
    parts = tuple(Part(origin=pk) for pk, provider in terms.items() if provider.number in numbers)
    return Part(parts=parts) if len(parts) > 1 else next(iter(parts), None)


def repositories(numbers: Iterable[str]) -> str:
    """Return the set of all records of these providers, which only the face of NDL Search asks for."""
    return f"{REPOSITORY}:{'+'.join(numbers)}"


def group(name: str, terms: Mapping[int, Terms]) -> Part | None:
    """Return the source records in a data group or collection of NDL Search, or under one of its access rights; None
    if there is no such group.
    """
    if name == "open":
        free = (pk for pk, provider in terms.items() if is_public_domain(provider.licence))
        return Part(parts=tuple(Part(origin=pk) for pk in free) or (Part(origin=NOBODY),))
    if name == BOOK:
        return Part(origin=EVERY_REPOSITORY, without=_OTHER_LEVELS)
    is_known = name in (*_OTHER_LEVELS, *NDL_RIGHTS) or COLLECTION.fullmatch(name)
    return Part(origin=EVERY_REPOSITORY, type=name) if is_known else None


def specs_of(origin_number: str, types: str) -> list[str]:
    """Return the sets of an item. origin_number: its repository number, "" = merged, COPIES_SET = a single copy. types:
    as in `Provided`.
    """
    if origin_number == COPIES_SET:
        return [COPIES_SET]
    origin = f"{REPOSITORY}:{origin_number}" if origin_number else MERGED_SET
    return [origin, *(f"{TYPE}:{name}" for name in type_names(types))]


def type_names(names: str) -> list[str]:
    """Return the types among the names of an item (`names_of`), as `Provided` has them."""
    return [name for name in names.split() if name in TYPES]


class _Described(msgspec.Struct, frozen=True, gc=False):
    """The fields of a record that decide its names. Decoding only these takes a quarter of the time."""

    level: str = ""
    sub_category: str = ""
    material_types: tuple[MaterialType, ...] = ()
    access_rights: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()


_decoder = msgspec.msgpack.Decoder(_Described)


def names_of(packed: bytes, is_source: bool) -> Iterator[str]:
    """Yield the types of a stored record; of a source record also what NDL Search distinguishes: the level if it is not
    a book, the collection codes and the access rights.
    """
    record = BibliographicRecord(**structs.asdict(_decoder.decode(unpack_encoded(packed))))
    types = types_of(record)
    yield from types or (OTHER_TYPE,)
    if not is_source:
        return
    yield from filter(_OTHER_LEVELS.__contains__, (level_of(record, types),))
    yield from collections_of(record)
    access = access_of(record)
    yield from (name for name, keys in NDL_RIGHTS.items() if any(key in access for key in keys))
