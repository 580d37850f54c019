"""New groups into the tables: what differs from before is to be written (`area.writes`), and every number that was
given leads somewhere. Reads the tables as they were before the batch.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from django.utils import timezone

from aggregator.grouping.neighbourhood import Neighbourhood
from aggregator.grouping.rows import SCORED_AT_MOST, evidence_json, pack_keys, pack_scores
from aggregator.grouping.works import NO_KEYS, Keys, stored_places, write_works
from aggregator.matching import Group
from aggregator.matching.comparison.pairs import Renamed
from aggregator.matching.groups.works import work_keys
from aggregator.merge import merge
from aggregator.models import Manifestation, Member
from aggregator.provision.pending import mark_merged
from core.database.batches import as_moment, select_in
from core.database.deferred_writes import Writes
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import pack_record, unpack_record

type Members = frozenset[int]


def write(area: Neighbourhood, groups: Iterable[Group], moved: Collection[int]) -> tuple[list[Members], list[Members]]:
    """Write the groups of the region; returns those that are no more, and those that were not before.

    moved: records whose links may be others even in a group that stays the same.
    """
    numbers = {name: pk for pk, name in area.names.items()}
    after = {min(pks): (pks, group) for group in groups for pks in [{numbers[link.id] for link in group.members}]}
    before: defaultdict[int, set[int]] = defaultdict(set)
    for pk, manifestation in area.groups.items():
        if pk in area.region or pk in area.changed:
            before[manifestation].add(pk)
    different = {number for number, (pks, _group) in after.items() if pks != before.get(number)}
    merged = different | {number for number, (pks, _group) in after.items() if not pks.isdisjoint(area.changed)}
    linked = merged | {number for number, (pks, _group) in after.items() if not pks.isdisjoint(moved)}
    now_in = {pk: number for number, (pks, _group) in after.items() for pk in pks}
    titled = {number: work_keys([area.rows[pk].features for pk in after[number][0]]) for number in merged}
    titled |= dict.fromkeys(before.keys() - after.keys(), NO_KEYS)
    places = stored_places(titled)
    _write_manifestations(area, {number: sorted(after[number][0]) for number in merged}, titled, merged - different)
    _write_members(area, {number: after[number][1] for number in linked}, numbers)
    area.writes.update(
        Manifestation, ("scores",), [(_scores(area, sorted(after[number][0])), number) for number in linked - merged]
    )
    retired = _retire(before, now_in, area)
    _lead_on(
        {pk: number for number in different for pk in after[number][0] if pk != number and pk not in retired},
        area.writes,
    )
    write_works(places, titled, area.writes)
    now = {frozenset(pks) for pks, _group in after.values()}
    were = {frozenset(pks) for pks in before.values()}
    return sorted(were - now, key=min), sorted(now - were, key=min)


def _write_manifestations(
    area: Neighbourhood, groups: Mapping[int, Sequence[int]], titled: Mapping[int, Keys], stayed: Collection[int]
) -> None:
    """Groups with their merged records. titled: their work keys. stayed: those that have the members they had.

    What is merged as before need not be indexed again: so a rematch costs what it changes.
    """
    missing = [pk for pks in groups.values() for pk in pks if pk not in area.records]
    for pk, packed in select_in(SourceRecord, ("id", "record"), "id", missing):
        area.packed[pk] = packed
        area.records[pk] = unpack_record(packed)
    columns = ("id", "record", "successor_id", "index_pending", "changed_at", "work_keys", "scores")
    moment = as_moment(timezone.now())
    trusts = dict(Repository.objects.exclude(trust=0).values_list("number", "trust"))
    before = {
        number: (bytes(record), bytes(keys), bytes(scores))
        for number, record, keys, scores in select_in(Manifestation, ("id", "record", *columns[-2:]), "id", stayed)
    }
    rows, as_before = [], []
    for number, pks in groups.items():
        now = (_merged(area, pks, trusts), pack_keys(sorted(titled[number])), _scores(area, pks))
        if number not in before or now[0] != before[number][0]:
            rows.append((number, now[0], None, True, moment, *now[1:]))
        elif now != before[number]:
            as_before.append((*now[1:], number))
    area.writes.upsert(Manifestation, columns, rows, unique=columns[:1], replaced=columns[1:])
    area.writes.update(Manifestation, columns[-2:], as_before)
    mark_merged(groups, area.writes)  # all of them: without who gives nothing on they may be merged otherwise


def _merged(area: Neighbourhood, pks: Sequence[int], trusts: Mapping[str, int]) -> bytes:
    """The merged record as stored; that of a single member is the member's own.

    trusts: by repository number, which every public id begins with.
    """
    if len(pks) == 1:
        return area.packed[pks[0]]
    numbers = [area.names[pk].partition("-")[0] for pk in pks]
    return pack_record(merge([area.records[pk] for pk in pks], [trusts.get(number, 0) for number in numbers]))


def _scores(area: Neighbourhood, pks: Sequence[int]) -> bytes:
    """What a later batch need not compare again. pks: of the group, in order."""
    if not 1 < len(pks) <= SCORED_AT_MOST:
        return b""
    score = area.comparisons.score
    return pack_scores([(score(*pair), pair in area.likely) for pair in combinations(pks, 2)])


def _write_members(area: Neighbourhood, groups: Mapping[int, Group], numbers: Mapping[str, int]) -> None:
    """The memberships with their evidence, where they are not what they were."""
    columns = (
        *("source_record_id", "manifestation_id", "linked_to_id", "score", "evidence"),
        *("features", "keys", "isbns", "version"),
    )
    judge = Renamed(area.comparisons, numbers)
    rows = []
    for number, group in groups.items():
        for link in group.members:
            pk, other = numbers[link.id], numbers.get(link.linked_to)
            row = area.rows[pk]
            if pk in area.dirty or other in area.dirty or (area.groups[pk], row.link) != (number, (other, link.score)):
                rows.append((pk, number, other, link.score, evidence_json(link.evidence(judge)), *row.stored))
    area.writes.upsert(Member, columns, rows, unique=columns[:1], replaced=columns[1:])


def _retire(before: Mapping[int, set[int]], now_in: Mapping[int, int], area: Neighbourhood) -> set[int]:
    """Members that are gone leave; a number left empty leads to where its record went, else the first of the others.

    Returns the numbers left empty.
    """
    area.writes.delete(Member, ("source_record_id",), [(pk,) for pk in area.changed if pk not in now_in])
    left = before.keys() - set(now_in.values())
    heirs = {number: now_in.get(number) or min(_heirs(before[number], now_in), default=None) for number in left}
    moment = as_moment(timezone.now())
    area.writes.update(
        Manifestation,
        ("record", "work_keys", "scores", "successor_id", "index_pending", "changed_at"),
        [(b"", b"", b"", heir, True, moment, number) for number, heir in heirs.items()],
    )
    mark_merged(left, area.writes)
    return left


def _heirs(pks: Iterable[int], now_in: Mapping[int, int]) -> list[int]:
    return [now_in[pk] for pk in pks if pk in now_in]


def _lead_on(groups: Mapping[int, int], writes: Writes) -> None:
    """Numbers that a record once gave lead to the group where that record is now. groups: record -> its group."""
    given = select_in(Manifestation, ("id", "successor_id"), "id", groups)
    rows = [(groups[number], number) for number, successor in given if successor != groups[number]]
    writes.update(Manifestation, ("successor_id",), rows)
