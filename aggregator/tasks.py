"""Queue jobs of the aggregator. The function names are the names of the jobs in the queue."""

import time
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
from aggregator.links.checking import check_portion
from aggregator.live.known_item import check_all
from aggregator.loan_desk.iso.sending import send_due
from aggregator.merging.stage import merge_pending
from aggregator.provision.dumps import FORMATS, make_dump
from aggregator.provision.resourcesync.changes import update_resources
from aggregator.provision.resourcesync.packages import pack
from aggregator.provision.stamping import stamp_pending
from aggregator.review.readers_concerned import note_readers
from aggregator.statistics.contents import count_contents
from aggregator.statistics.use_days import settle
from core.database.locks import Work, try_lock
from core.database.sqlite.wal import shorten_log
from harvesting.bulk import running

MATCHING_SECONDS = 10.0  # of a round; a book whose records change in several rounds is merged in each of them
INDEXING_SECONDS = 60.0  # that a process indexes at a time, and after which aggregation does it if nobody else has


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
    """Match, merge, stamp and index all pending records, in rounds. Return how many were matched.

    The ResourceSync lists are updated after stamping. Indexing comes last, so that everything else is current while
    the search engine is unavailable. Another worker, if one is free, indexes at the same time (`index`). A long harvest
    may leave none free; then indexing is done here, once in INDEXING_SECONDS and at the end. One worker aggregates at
    a time in the whole cluster; another one returns at once, and the dispatcher looks again.
    """
    done, is_all = 0, False
    with try_lock(Work.AGGREGATION) as alone:
        next_indexing = time.monotonic() + INDEXING_SECONDS
        while alone and not is_all:
            matched, is_all = _match_for_a_while()
            done += matched
            fill_missing_patterns()
            for stage in (merge_pending, stamp_pending, update_resources):
                for _ in stage():
                    pass
            if is_all or time.monotonic() > next_indexing:
                index()
                next_indexing = time.monotonic() + INDEXING_SECONDS
            shorten_log()
    return done


def index() -> int:
    """Index books that wait, for at most INDEXING_SECONDS: then other work has its turn. Return how many were indexed.

    Does nothing while another process indexes, nor on a machine without the index.
    """
    ends = time.monotonic() + INDEXING_SECONDS
    done = 0
    if is_elsewhere():
        return 0
    with closing(index_pending()) as batches:
        for books in batches:
            done += books
            if time.monotonic() > ends:
                break
    return done


def index_all() -> int:
    """Index all books that wait, where there is no queue. Return how many were indexed."""
    return sum(index_pending())


def _match_for_a_while() -> tuple[int, bool]:
    """Match pending records for MATCHING_SECONDS. Return how many, and whether none was left.

    A harvest that brings records faster than they are matched would otherwise keep all of its books out of the search
    until it ends.
    """
    ends = time.monotonic() + MATCHING_SECONDS
    done = 0
    for records in aggregate_pending():
        done += records
        if time.monotonic() > ends:
            return done, False
    return done, True
