"""Queue jobs of the aggregator. The function names are the names of the jobs in the queue."""

import time
from collections.abc import Generator
from contextlib import closing

from django.utils import timezone

from aggregator.alerts.sending import write_due
from aggregator.browse.counting import count_headings
from aggregator.bulk.table import ACTIONS
from aggregator.erasing.work import erase, open_erasures
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.grouping.missing_patterns import fill_missing_patterns
from aggregator.indexing.build import index_pending, reindex
from aggregator.indexing.state import is_elsewhere
from aggregator.jobs import INDEXING, MERGING, STAMPING
from aggregator.links.checking import check_portion
from aggregator.live.known_item import check_all
from aggregator.loan_desk.iso.sending import send_due
from aggregator.merging.stage import merge_beside_matching, merge_pending
from aggregator.provision.dumps import FORMATS, make_dump
from aggregator.provision.resourcesync.changes import update_resources
from aggregator.provision.resourcesync.packages import pack
from aggregator.provision.stamping import stamp_pending
from aggregator.review.readers_concerned import note_readers
from aggregator.statistics.contents import count_contents
from aggregator.statistics.use_days import settle
from core.database.locks import Work, try_lock
from core.database.sqlite.wal import shorten_log
from core.work.jobs import is_queued, is_turn_over
from harvesting.bulk import running

MATCHING_SECONDS = 10.0  # of a round; a book whose records change in several rounds is merged in each of them


def write_dump() -> int:
    """Write a dump of all redistributable data. Return the number of records in all files."""
    return sum(step for step in make_dump(list(FORMATS)) if isinstance(step, int))


def pack_resources() -> int:
    """Write the ZIP files of ResourceSync that are missing or out of date. Return how many."""
    return sum(1 for _ in pack())


def count_all_headings() -> int:
    """Count the headings by which readers browse. Return the number of books that were counted."""
    return sum(count_headings())


def rebuild_index() -> int:
    """Build the search index anew. Return the number of documents."""
    return sum(reindex())


def erase_providers() -> int:
    """Erase the providers that are marked for erasure. Return how many were erased completely."""
    return sum(erase(erasure, lambda _records: None) for erasure in open_erasures())


def carry_out_bulk_actions() -> int:
    """Carry out portions of the bulk actions that wait. Return the number of portions."""
    return running.carry_out(ACTIONS)


def send_loan_messages() -> int:
    """Send the messages of interlibrary loan that are due. Return the number of attempts."""
    return send_due()


def check_links() -> int:
    """Check a portion of the links to libraries. Return the number of requests."""
    return check_portion()


def check_live_catalogues() -> int:
    """Search every live source for its known item. Return how many were searched."""
    return check_all()


def count_figures() -> int:
    """Count what the catalogue holds, and attribute yesterday's use. Return the number of books."""
    now = timezone.now()
    note_readers(now)
    settle(now)
    return count_contents(now)


def write_alerts() -> int:
    """Write the mails of alerts that are due. Return the number of alerts that were looked at."""
    return write_due()


def aggregate() -> int:
    """Match pending records, in rounds, and merge books in each of them. Return how many records were matched.

    Stamping and indexing follow as jobs of their own, or here if this is no job of the queue. Other workers that are
    free do them, and merging too, while matching goes on. Where only one worker is free, this ends after a turn, and
    the dispatcher queues the rest. One worker aggregates at a time in the whole cluster; another one returns at once,
    and the dispatcher looks again.
    """
    done, is_over = 0, False
    begun = time.monotonic()
    with try_lock(Work.AGGREGATION) as alone:
        while alone and not is_over:
            matched, is_all = _match_for_a_while()
            done += matched
            fill_missing_patterns()
            is_over = is_all or is_turn_over(begun)
            with try_lock(Work.MERGING) as merging:
                for _ in merge_pending() if merging else ():
                    pass
            INDEXING.wake()
            shorten_log()
    if is_queued():
        STAMPING.wake()
    elif alone:
        stamp()
        index()
    return done


def merge() -> int:
    """Merge books that wait, for a turn. Return how many were merged.

    Does nothing while another process merges. A book that matching marks again and again is left to `aggregate`.
    """
    with try_lock(Work.MERGING) as alone:
        done = _for_a_turn(merge_beside_matching(), time.monotonic()) if alone else 0
    INDEXING.wake()
    return done


def stamp() -> int:
    """Stamp the items that wait, then take stamped ones over into the ResourceSync lists, for a turn, but at least one
    step of each. Return how many items were compared.

    Does nothing while another process does it.
    """
    begun, done = time.monotonic(), 0
    with try_lock(Work.PROVISION) as alone:
        if alone:
            done = _for_a_turn(stamp_pending(), begun)
            _for_a_turn(update_resources(), begun)
    return done


def index() -> int:
    """Index books that wait, for a turn. Return how many were indexed.

    Does nothing while another process indexes, nor on a machine without the index.
    """
    return 0 if is_elsewhere() else _for_a_turn(index_pending(), time.monotonic())


def _match_for_a_while() -> tuple[int, bool]:
    """Match pending records for MATCHING_SECONDS. Return how many, and whether none was left.

    A harvest that brings records faster than they are matched would otherwise keep all of its books out of the search
    until it ends.
    """
    ends = time.monotonic() + MATCHING_SECONDS
    done = 0
    for records in aggregate_pending():
        done += records
        MERGING.wake()
        if time.monotonic() > ends:
            return done, False
    return done, True


def _for_a_turn(steps: Generator[int], begun: float) -> int:
    """Do these steps until the turn that began then is over, but at least one. Return the sum of what they return."""
    done = 0
    with closing(steps):
        for step in steps:
            done += step
            if is_turn_over(begun):
                break
    return done
