"""What is given on of a record, a merged record, a provider. Reads the tables; writes nothing, knows no protocol.

A record is given on unless its provider does not want that. A merged record that such a provider has a part in is
merged once more without it, so that nothing of it leaves the house.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aggregator.merge import merge
from aggregator.models import Manifestation, Member
from aggregator.provision.marks import is_merged, number_of, of_merged, of_record
from harvesting.compression import pack_record, unpack_record
from harvesting.models import Repository, SourceRecord
from harvesting.upsert import chunks, select_in


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a repository's records are given on."""

    number: str
    give_on: bool
    licence: str


@dataclass(frozen=True, slots=True)
class Content:
    """What is given on under one item. packed: the canonical record, see harvesting.compression.

    The rest is of a provider's record: what its header said, what it came as and over, and when (ISO, UTC).
    """

    packed: bytes
    origin: int = 0
    identifier: str = ""
    datestamp: str = ""
    prefix: str = ""
    feed: int | None = None


def all_terms() -> dict[int, Terms]:
    """By the number of the repository's row."""
    rows = Repository.objects.order_by().values_list("pk", "number", "give_on", "licence")
    return {pk: Terms(number, give_on, licence) for pk, number, give_on, licence in rows}


def contents(items: Collection[int], terms: Mapping[int, Terms]) -> dict[int, Content]:
    """What is given on under these items now; what is not given on is not in it."""
    found: dict[int, Content] = {}
    for chunk in chunks(items):
        found.update(_records([number_of(each) for each in chunk if not is_merged(each)], terms))
        found.update(_merged([number_of(each) for each in chunk if is_merged(each)], terms))
    return found


_COLUMNS = (
    *("id", "record", "deleted", "suppressed_at", "repository_id"),
    *("identifier", "datestamp", "metadata_prefix", "feed_id"),
)


def _records(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    rows = select_in(SourceRecord, _COLUMNS, "id", numbers)
    for pk, record, deleted, withheld, origin, identifier, datestamp, prefix, feed in rows:
        if record and not (deleted or withheld) and origin in terms and terms[origin].give_on:
            yield of_record(pk), Content(bytes(record), origin, identifier, datestamp, prefix, feed)


def _merged(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    held_back = {pk for pk, each in terms.items() if not each.give_on}
    without = _without(numbers, held_back) if held_back else {}
    for number, record in select_in(Manifestation, ("id", "record"), "id", numbers):
        packed = without.get(number, bytes(record))
        if packed:
            yield of_merged(number), Content(packed)


def _without(numbers: Sequence[int], held_back: Collection[int]) -> dict[int, bytes]:
    """The manifestations that such providers have a part in, merged of the others' records; b"" without others."""
    rows = Member.objects.filter(manifestation__in=numbers).order_by("pk")
    members: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, pk, origin in rows.values_list("manifestation", "pk", "source_record__repository"):
        members[number].append((pk, origin))
    mixed = {number: each for number, each in members.items() if any(origin in held_back for _pk, origin in each)}
    others = {number: [pk for pk, origin in each if origin not in held_back] for number, each in mixed.items()}
    packed = dict(select_in(SourceRecord, ("id", "record"), "id", [pk for pks in others.values() for pk in pks]))
    trusts = dict(Repository.objects.exclude(trust=0).values_list("pk", "trust"))
    trust = {pk: trusts.get(origin, 0) for each in mixed.values() for pk, origin in each}
    return {
        number: _merge([bytes(packed[pk]) for pk in pks], [trust[pk] for pk in pks]) for number, pks in others.items()
    }


def _merge(packed: Sequence[bytes], trusts: Sequence[int]) -> bytes:
    if len(packed) < 2:
        return packed[0] if packed else b""
    return pack_record(merge([unpack_record(each) for each in packed], list(trusts)))
