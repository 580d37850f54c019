"""Queue jobs of aggregation: call one function."""

from aggregator.erasing.work import erase, open_erasures
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing.build import index_pending
from aggregator.provision.dumps import FORMATS, make
from aggregator.provision.resourcesync.changes import take_over
from aggregator.provision.resourcesync.hub import attend
from aggregator.provision.resourcesync.packages import pack
from aggregator.provision.stamping import stamp_waiting
from core.database.sqlite.wal import shorten_log


def tell_subscribers() -> int:
    """Call who wants to know of changes; returns how many were called."""
    return attend()


def write_dump() -> int:
    """Write everything that is given on into files; returns how many records that were, in all files."""
    return sum(step for step in make(list(FORMATS)) if isinstance(step, int))


def pack_resources() -> int:
    """Write the ZIP files of ResourceSync that are missing or out of date; returns how many."""
    return sum(1 for _each in pack())


def erase_providers() -> int:
    """Erase what was decided to be erased; returns how many providers are done."""
    return sum(erase(each, lambda _records: None) for each in open_erasures())


def aggregate() -> int:
    """Match, merge, stamp, index and list all that waits; returns how many records were taken."""
    done = sum(aggregate_pending())
    for _each in stamp_waiting():
        pass
    for _each in index_pending():
        pass
    for _each in take_over():
        pass
    shorten_log()
    return done
