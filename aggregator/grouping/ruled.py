"""The cores of the records that staff ruled about. Read-only."""

from collections.abc import Collection, Mapping

from aggregator.grouping.rulings.meaning import Rulings
from aggregator.matching import Ruled
from aggregator.matching.groups.cores import kind_number
from aggregator.matching.groups.solve import Pair
from aggregator.models import Kind, Member
from core.database.batches import select_in
from harvesting.models import SourceRecord


def ruled_cores(rulings: Rulings, fresh: Mapping[str, int], batch: Collection[int]) -> Ruled:
    """The rulings as pairs of cores. fresh: the core of each live record of the batch, by public id. batch: the primary
    keys of all its records.

    A record that staff ruled about for itself alone has a kind and a core of its own. One whose ruling is so recent
    that it has not been matched since is left out: a later batch will match it.
    """
    if not rulings.names:
        return Ruled()
    cores = {name: core for name, core in fresh.items() if name in rulings.names}
    cores |= _stored_cores(rulings, rulings.names - fresh.keys(), batch)
    same: set[Pair] = set()
    different: set[Pair] = set()
    for ruling in rulings.ruled_pairs(cores):
        one, other = sorted((cores[ruling.first], cores[ruling.second]))
        if one != other:  # a ruling on two descriptions that have become equal says nothing
            (same if ruling.same else different).add((one, other))
    return Ruled(same=frozenset(same), different=frozenset(different))


def _stored_cores(rulings: Rulings, names: Collection[str], without: Collection[int]) -> dict[str, int]:
    records = dict(select_in(SourceRecord, ("id", "public_id"), "public_id", names))
    pks = records.keys() - set(without)
    kind_of = dict(select_in(Member, ("source_record_id", "kind_id"), "source_record_id", pks))
    kinds = {
        kind: (core, bytes(features))
        for kind, core, features in select_in(
            Kind, ("id", "core_id", "features"), "id", {kind for kind in kind_of.values() if kind is not None}
        )
    }
    return {
        records[pk]: kinds[kind][0]
        for pk, kind in kind_of.items()
        if kind in kinds and (records[pk] not in rulings.exact or kind == kind_number(kinds[kind][1], records[pk]))
    }
