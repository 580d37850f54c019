"""What is given on of a record, a merged record, a provider. Reads the tables; writes nothing, knows no protocol.

A record is given on unless its provider does not want that. A merged record that such a provider has a part in is
merged once more without it, so that nothing of it leaves the house.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aggregator.merge import merge
from aggregator.models import Manifestation, Member
from aggregator.provision.pending import is_merged, number_of, of_merged, of_record
from core.database.batches import chunks, select_in
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a repository's records are given on."""

    number: str
    give_on: bool
    licence: str


@dataclass(frozen=True, slots=True)
class Content:
    """What is given on under one item. packed: the canonical record, see harvesting.records.compression.

    licences: of those whose words are in it, each once. The rest is of a provider's record: what its header said,
    what it came as and over, and when it came ("2026-11-22T05:00:00Z").
    """

    packed: bytes
    licences: tuple[str, ...] = ()
    origin: int = 0
    identifier: str = ""
    datestamp: str = ""
    prefix: str = ""
    feed: int | None = None
    harvested: str = ""


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
    *("id", "record", "repository_id", "identifier", "datestamp", "metadata_prefix", "feed_id", "changed_at"),
    *("deleted", "suppressed_at"),
)


def _records(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    for row in select_in(SourceRecord, _COLUMNS, "id", numbers):
        pk, record, origin, identifier, datestamp, prefix, feed, changed_at, deleted, suppressed_at = row
        if record and not deleted and suppressed_at is None and origin in terms and terms[origin].give_on:
            licences = (terms[origin].licence,) if terms[origin].licence else ()
            harvested = _moment(changed_at)
            yield (
                of_record(pk),
                Content(bytes(record), licences, origin, identifier, datestamp, prefix, feed, harvested),
            )


def _moment(stored: object) -> str:
    """A time as either database gives it, in UTC: "2026-11-22T05:00:00Z"."""
    text = str(stored)
    return f"{text[:10]}T{text[11:19]}Z"


def _merged(numbers: Sequence[int], terms: Mapping[int, Terms]) -> Iterator[tuple[int, Content]]:
    members = _members(numbers)
    given = {pk for pk, each in terms.items() if each.give_on}
    mixed = {number: each for number, each in members.items() if not given.issuperset(origin for _pk, origin in each)}
    without = _without(mixed, given) if mixed else {}
    for number, record in select_in(Manifestation, ("id", "record"), "id", numbers):
        packed = without.get(number, bytes(record))
        if packed:
            origins = {origin for _pk, origin in members.get(number, ()) if origin in given}
            licences = sorted({terms[origin].licence for origin in origins} - {""})
            yield of_merged(number), Content(packed, tuple(licences))


type Members = Mapping[int, Sequence[tuple[int, int]]]  # manifestation -> its records, each with its repository's row


def _members(numbers: Sequence[int]) -> Members:
    rows = Member.objects.filter(manifestation__in=numbers).order_by("pk")
    members: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, pk, origin in rows.values_list("manifestation", "pk", "source_record__repository"):
        members[number].append((pk, origin))
    return members


def _without(mixed: Members, given: Collection[int]) -> dict[int, bytes]:
    """These manifestations, merged of the records that are given on; b"" where there are none."""
    left = {number: [(pk, origin) for pk, origin in each if origin in given] for number, each in mixed.items()}
    packed = dict(
        select_in(SourceRecord, ("id", "record"), "id", [pk for each in left.values() for pk, _origin in each])
    )
    trusts = dict(Repository.objects.exclude(trust=0).values_list("pk", "trust"))
    return {
        number: _merge([bytes(packed[pk]) for pk, _origin in each], [trusts.get(origin, 0) for _pk, origin in each])
        for number, each in left.items()
    }


def _merge(packed: Sequence[bytes], trusts: Sequence[int]) -> bytes:
    if len(packed) < 2:
        return packed[0] if packed else b""
    return pack_record(merge([unpack_record(each) for each in packed], list(trusts)))
