"""Runs whose batches are handed over directly: what a provider sent, without provider and network."""

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
    """A record as it is sent; fields as tests.books.book takes them."""
    words = {"title": f"見本の本 {local_id}", **fields}
    return HarvestedRecord(identifier=f"oai:x:{local_id}", datestamp=datestamp, payload=book(local_id, **words))


def gone(local_id: str, datestamp: str = "2026-02-01T00:00:00Z") -> HarvestedRecord:
    """A deletion as it is sent."""
    return HarvestedRecord(identifier=f"oai:x:{local_id}", datestamp=datestamp, deleted=True)


def shelf(count: int, **fields: object) -> list[HarvestedRecord]:
    return [live(f"b{number}", **fields) for number in range(count)]


def new_feed(repository: Repository | None = None, **fields: Any) -> Feed:
    """A feed of its own repository, or one more of this."""
    values = {"base_url": "https://a.example.jp/oai", "metadata_prefix": "dcndl", "deleted_record": "no", **fields}
    if repository is None:
        feed = Feed(**values)
        register(Repository(name="館"), [feed])
        return feed
    return Feed.objects.create(repository=repository, **values)


def begin(feed: Feed, **scope: Any) -> Harvest:
    """A claimed run. A run of the feed that waits gives way to it."""
    lifecycle.supersede(feed)
    run = create_harvest(Feed.objects.get(pk=feed.pk), **scope)
    assert lifecycle.claim(run)
    return run


def store(run: Harvest, records: Iterable[HarvestedRecord], **batch: Any) -> Harvest:
    store_batch(run, Batch(records=tuple(records), response_date=CLOCK, **batch))
    return run


def carry(
    feed: Feed, records: Sequence[HarvestedRecord], *, page: int = 500, full: bool = True, **last: Any
) -> Harvest:
    """A whole run in pages; `last` describes the last batch, which is exhaustive where nothing else is said."""
    run = begin(feed, full=full)
    starts = range(0, max(len(records), 1), page)
    for start in starts:
        is_last = start == starts[-1]
        more = {"exhaustive": full, **last} if is_last else {"resumption_token": f"t{start}"}
        store(run, records[start : start + page], **more)
    return finish(run)


def finish(run: Harvest) -> Harvest:
    """What the harvest does behind the list."""
    if run.state == Harvest.State.RUNNING and run.phase == Harvest.Phase.SWEEP:
        sweep(run)
    run.refresh_from_db()
    return run


def listed(feed: Feed) -> set[str]:
    """The local ids of the live records of the feed's repository."""
    records = SourceRecord.objects.filter(repository=feed.repository_id, deleted=False).exclude(payload_hash=b"")
    return {each.rpartition(":")[2] for each in records.values_list("identifier", flat=True)}
