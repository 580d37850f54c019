"""Single copies of books as records of their own: the merged record with one copy (NDL guideline 2.1.2 (2) and (3)).

A harvester such as NDL Search takes one copy with each record, and matches the records of a book by itself. Every
record has an address of its own, M123-L45-1: the first copy that library 45 has of book 123. All copies of a library
have the one link of that library (2.1.2 (7)), so that a reader is not offered the same library twice.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import structs

from aggregator.catalogue.identity import first_of_providers
from aggregator.libraries.items import Listed, SingleCopy, without_items
from aggregator.models import ProvidedCopy
from aggregator.provision.contents import Content, Sources, Terms, book_contents, permitted_copies, sources_of
from aggregator.provision.listing import Entry
from aggregator.provision.pending import number_of, of_merged
from aggregator.provision.restamping import FORM
from core.database.batches import select_in, upsert
from harvesting.records.compression import pack_record, unpack_record

_KEY = ("item", "library", "number")


class CopyChange(msgspec.Struct, frozen=True, gc=False):
    """A copy whose redistributed form differs from the last one. digest: b"" = no longer redistributed. is_new: it was
    never redistributed before.
    """

    item: int
    library: int
    number: int
    digest: bytes
    is_new: bool


def changed_copies(sources: Sources, contents_now: Mapping[int, Content]) -> list[CopyChange]:
    """Return the copies of the manifestations with these sources that differ. Writes nothing.

    contents_now: of the items that are redistributed.
    """
    merged = [of_merged(number) for number in sources.numbers]
    changes: list[CopyChange] = []
    for copies in permitted_copies(sources, [number_of(item) for item in merged if item in contents_now]):
        by_item = {of_merged(number): own for number, own in copies.items()}
        before = _stored(by_item)
        for item, own in by_item.items():
            changes += _differences(item, _digests(contents_now[item], own), before.get(item, {}))
    gone = [item for item in merged if item not in contents_now]
    for item, before_of_item in _stored(gone).items():
        changes += _differences(item, {}, before_of_item)
    return changes


def write_changes(changes: Sequence[CopyChange], stamp: int) -> None:
    rows = [(one.item, one.library, one.number, stamp, not one.digest, one.digest) for one in changes]
    upsert(ProvidedCopy, (*_KEY, "stamp", "gone", "digest"), rows, _KEY, ("stamp", "gone", "digest"))


def copy_contents(entries: Collection[Entry], terms: Mapping[int, Terms]) -> dict[int, Content]:
    """Return the contents of entries that are single copies, by `Entry.item`; those that are gone are left out."""
    rows = {pk: key for pk, *key in select_in(ProvidedCopy, ("id", *_KEY), "id", [entry.item for entry in entries])}
    sources = sources_of({number_of(item) for item, _library, _number in rows.values()}, terms)
    by_item = dict(book_contents(sources))
    wanted = {tuple(key): pk for pk, key in rows.items()}
    found: dict[int, Content] = {}
    for copies in permitted_copies(sources, [number_of(item) for item in by_item]):
        for number, own in copies.items():
            item = of_merged(number)
            base = pack_record(without_items(unpack_record(by_item[item].packed)))
            for copy in own:
                if pk := wanted.get((item, copy.library, copy.number)):
                    name = f"M{number}-L{copy.library}-{copy.number}"
                    found[pk] = structs.replace(by_item[item], packed=base, name=name, listed=Listed((copy.item,), 1))
    return found


type _Place = tuple[int, int]  # library, number of the copy
type _Digests = Mapping[_Place, bytes]  # b"" = not redistributed


def _stored(items: Collection[int]) -> dict[int, dict[_Place, bytes]]:
    stored: defaultdict[int, dict[_Place, bytes]] = defaultdict(dict)
    for item, library, number, gone, digest in select_in(ProvidedCopy, (*_KEY, "gone", "digest"), "item", items):
        stored[item][library, number] = b"" if gone else bytes(digest)
    return stored


def _digests(content: Content, copies: Sequence[SingleCopy]) -> dict[_Place, bytes]:
    """Digests of everything that any format contains of a copy. A further library leaves those of the others."""
    around = (content.licences, first_of_providers(content.members))
    common = blake2b(content.packed + msgspec.msgpack.encode((FORM, *around)), digest_size=12)
    return {(copy.library, copy.number): _digest(common, copy) for copy in copies}


def _digest(common: Any, copy: SingleCopy) -> bytes:
    digest = common.copy()
    digest.update(msgspec.msgpack.encode(copy.item))
    return bytes(digest.digest())


def _differences(item: int, now: _Digests, before: _Digests) -> Iterator[CopyChange]:
    for place in sorted(now.keys() | before.keys()):
        if now.get(place, b"") != before.get(place, b""):
            yield CopyChange(item, *place, now.get(place, b""), place not in before)
