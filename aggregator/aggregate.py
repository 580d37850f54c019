"""Source records that wait become members of manifestations. Set-based, in batches, repeatable.

One batch is one transaction: features and keys of the changed records, the neighbourhood that they touch,
the new groups of that neighbourhood, the merged records. The index is written after the commit
(`aggregator.indexing`). A record that changed or went simply leaves: its old neighbourhood is solved again.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from django.db import connection, transaction
from django.utils import timezone

from aggregator.matching import Group, Link, encode_features, features, match_keys, solve
from aggregator.merge import merge
from aggregator.models import Manifestation, MatchKey, Member
from aggregator.neighbourhood import Neighbourhood, components, gather, pack_keys, staff_decisions, unpack_keys
from harvesting.compression import pack_record, unpack_record
from harvesting.models import SourceRecord
from harvesting.upsert import as_json, as_moment, chunks, select_in, upsert

BATCH = 1000  # records; a batch of 200 costs a third more a record (performance.md)
NO_KEYS: frozenset[int] = frozenset()
LOCK = 0x61676772  # PostgreSQL advisory lock: one aggregation at a time


def aggregate_pending(batch: int = BATCH) -> Iterator[int]:
    """Aggregate all that waits; yields the number of records after each committed batch."""
    while done := aggregate_batch(batch):
        yield done


@transaction.atomic
def aggregate_batch(size: int) -> int:
    """One batch; returns how many records it took, 0 when nothing waits."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    # The rows stay locked until the commit, so a harvest that changes one meanwhile waits and marks it again.
    pending = SourceRecord.objects.pending().select_for_update()
    rows = list(pending.values_list("pk", "public_id", "record", "deleted")[:size])
    if not rows:
        return 0
    area = Neighbourhood()
    live = {pk: name for pk, name, record, deleted in rows if record and not deleted}
    for pk, _name, record, _deleted in rows:
        if pk in live:
            area.packed[pk] = record
            area.records[pk] = unpack_record(record)
    _renew_keys(area, [row[0] for row in rows], live)
    _solve(area, [row[0] for row in rows])
    now = timezone.now()
    for chunk in chunks(row[0] for row in rows):
        SourceRecord.objects.filter(pk__in=chunk).update(aggregated_at=now)
    return len(rows)


def _renew_keys(area: Neighbourhood, changed: Sequence[int], live: Mapping[int, str]) -> None:
    """Features and keys of the changed records; who is touched by their old and new keys; then the key table.

    The new keys are written last, so that looking for neighbours does not read them all back.
    """
    area.names.update(live)
    for pk, record in area.records.items():
        area.features[pk] = features(record)
        area.keys[pk] = frozenset(match_keys(area.features[pk]))
    old_keys: dict[int, frozenset[int]] = {}
    columns = ("source_record_id", "manifestation_id", "keys")
    for pk, group, packed in select_in(Member, columns, "source_record_id", changed):
        area.groups[pk], old_keys[pk] = group, unpack_keys(packed)
    staff_decisions(area)
    gather(area, {key for keys in (area.keys, old_keys) for each in keys.values() for key in each}, set(changed))
    added: list[tuple[int, int]] = []
    for pk in changed:
        new, old = area.keys.get(pk, NO_KEYS), old_keys.get(pk, NO_KEYS)
        added += [(key, pk) for key in new - old]
        if old - new:
            MatchKey.objects.filter(source_record=pk, key__in=old - new).delete()
    upsert(MatchKey, ("key", "source_record_id"), added, unique=("key", "source_record_id"), replaced=())


def _solve(area: Neighbourhood, changed: Sequence[int]) -> None:
    """Regroup the neighbourhood and write what differs."""
    numbers = area.numbers()
    groups: list[Group] = []
    for component in components(area):
        members = {area.names[pk]: area.features[pk] for pk in component}
        keys = {area.names[pk]: area.keys[pk] for pk in component}
        groups.extend(solve(members, area.decisions_inside(members), keys))
    before: defaultdict[int, set[int]] = defaultdict(set)
    for pk, manifestation in area.groups.items():
        before[manifestation].add(pk)
    marked = set(changed)
    after = {min(numbers[link.id] for link in group.members): group for group in groups}
    different = {
        number: group
        for number, group in after.items()
        if {numbers[link.id] for link in group.members} != before.get(number)
        or any(numbers[link.id] in marked for link in group.members)
    }
    _write(area, different, numbers)
    _retire(before, after, numbers, changed)


def _write(area: Neighbourhood, groups: Mapping[int, Group], numbers: Mapping[str, int]) -> None:
    """Manifestations with their merged records, and the memberships with their evidence."""
    pks = {number: [numbers[link.id] for link in group.members] for number, group in groups.items()}
    missing = [pk for each in pks.values() for pk in each if pk not in area.records]
    for pk, packed in select_in(SourceRecord, ("id", "record"), "id", missing):
        area.packed[pk] = packed
        area.records[pk] = unpack_record(packed)
    moment = as_moment(timezone.now())
    upsert(
        Manifestation,
        ("id", "record", "successor_id", "index_pending", "changed_at"),
        [(number, _merged(area, each), None, True, moment) for number, each in pks.items()],
        unique=("id",),
        replaced=("record", "successor_id", "index_pending", "changed_at"),
    )
    columns = ("source_record_id", "manifestation_id", "features", "keys", "linked_to_id", "score", "evidence")
    upsert(
        Member,
        columns,
        [_member(number, link, area, numbers) for number, group in groups.items() for link in group.members],
        unique=columns[:1],
        replaced=columns[1:],
    )


def _merged(area: Neighbourhood, pks: Sequence[int]) -> bytes:
    """The merged record as stored; that of a single member is the member's own."""
    if len(pks) == 1:
        return area.packed[pks[0]]
    return pack_record(merge([area.records[pk] for pk in pks]))


def _member(number: int, link: Link, area: Neighbourhood, numbers: Mapping[str, int]) -> tuple[object, ...]:
    pk = numbers[link.id]
    evidence = [{"rule": each.rule, "outcome": each.outcome, "weight": each.weight} for each in link.evidence]
    return (
        pk,
        number,
        encode_features(area.features[pk]),
        pack_keys(area.keys[pk]),
        numbers.get(link.linked_to),
        link.score,
        as_json(evidence),
    )


def _retire(
    before: Mapping[int, set[int]], after: Mapping[int, Group], numbers: Mapping[str, int], changed: Sequence[int]
) -> None:
    """Members that are gone leave; manifestations left empty point to where their members went."""
    now_in = {numbers[link.id]: number for number, group in after.items() for link in group.members}
    for chunk in chunks(pk for pk in changed if pk not in now_in):
        Member.objects.filter(pk__in=chunk).delete()
    for number in before.keys() - after.keys():
        heirs = sorted(now_in[pk] for pk in before[number] if pk in now_in)
        Manifestation.objects.filter(pk=number).update(
            record=b"", successor=heirs[0] if heirs else None, index_pending=True, changed_at=timezone.now()
        )
