"""Harvests made from batches that a test passes in directly, without a provider or a network."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from harvesting.completion.sweep import sweep
from harvesting.harvest.run import create_harvest
from harvesting.harvest.store import store_batch
from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.registry.registration import register
from harvesting.runs import lifecycle
from harvesting.types import Batch, HarvestedRecord
from tests.books import book

STAMP = "2026-01-10T00:00:00Z"
CLOCK = datetime(2026, 3, 1, tzinfo=UTC)


def live(local_id: str, datestamp: str = STAMP, **fields: object) -> HarvestedRecord:
    """A harvested record; fields as for `tests.books.book`."""
    values = {"title": f"見本の本 {local_id}", **fields}
    return HarvestedRecord(identifier=f"oai:x:{local_id}", datestamp=datestamp, payload=book(local_id, **values))


def gone(local_id: str, datestamp: str = "2026-02-01T00:00:00Z") -> HarvestedRecord:
    """A harvested deletion."""
    return HarvestedRecord(identifier=f"oai:x:{local_id}", datestamp=datestamp, deleted=True)


def make_records(count: int, **fields: object) -> list[HarvestedRecord]:
    return [live(f"b{number}", **fields) for number in range(count)]


def new_feed(repository: Repository | None = None, **fields: Any) -> Feed:
    """A feed of the given repository, or of a new one."""
    values = {"base_url": "https://a.example.jp/oai", "metadata_prefix": "dcndl", "deleted_record": "no", **fields}
    if repository is None:
        feed = Feed(**values)
        register(Repository(name="館"), [feed])
        return feed
    return Feed.objects.create(repository=repository, **values)


def begin_run(feed: Feed, **scope: Any) -> Harvest:
    """Return a claimed run of the feed; if a run of the feed is waiting, it is superseded."""
    lifecycle.supersede(feed)
    run = create_harvest(Feed.objects.get(pk=feed.pk), **scope)
    assert lifecycle.claim(run)
    return run


def store_records(run: Harvest, records: Iterable[HarvestedRecord], **batch: Any) -> Harvest:
    store_batch(run, Batch(records=tuple(records), response_date=CLOCK, **batch))
    return run


def harvest_records(
    feed: Feed, records: Sequence[HarvestedRecord], *, page: int = 500, full: bool = True, **last_batch: Any
) -> Harvest:
    """Carry out a whole run in pages of `page` records.

    last_batch: fields of the last batch; a full run is exhaustive unless they say otherwise.
    """
    run = begin_run(feed, full=full)
    starts = range(0, max(len(records), 1), page)
    for start in starts:
        is_last = start == starts[-1]
        more = {"exhaustive": full, **last_batch} if is_last else {"resumption_token": f"t{start}"}
        store_records(run, records[start : start + page], **more)
    return finish(run)


def finish(run: Harvest) -> Harvest:
    """Do what a harvest does after the end of the list: sweep the records that were not in it."""
    if run.state == Harvest.State.RUNNING and run.phase == Harvest.Phase.SWEEP:
        sweep(run)
    run.refresh_from_db()
    return run


def live_local_ids(feed: Feed) -> set[str]:
    """The local ids of the live records of the feed's repository."""
    records = SourceRecord.objects.filter(repository=feed.repository_id, deleted=False).exclude(payload_hash=b"")
    return {identifier.rpartition(":")[2] for identifier in records.values_list("identifier", flat=True)}
