"""Which feeds list a record. Written only where a repository has more than one feed; decides nothing.

With one feed SourceRecord.feed says it all. When a second one appears, what the others have is written down first.
"""

from collections.abc import Collection

from django.db import connection
from django.db.models import Count, Exists, Min, OuterRef, Subquery

from core.database.batches import among, chunks
from harvesting.models import Feed, Membership, SourceRecord


def several_feeds(feed: Feed) -> bool:
    """Whether the repository has other feeds too, so that memberships are kept."""
    return Feed.objects.filter(repository=feed.repository_id).exclude(pk=feed.pk).exists()


def backfill(repository: int) -> None:
    """Write down the memberships of feeds that have records but, having been alone so far, no memberships."""
    unwritten = Feed.objects.filter(
        Exists(SourceRecord.objects.filter(feed=OuterRef("pk"))),
        ~Exists(Membership.objects.filter(feed=OuterRef("pk"))),
        repository=repository,
    )
    for feed in unwritten:
        records = SourceRecord.objects.filter(feed=feed, deleted=False).values_list("pk", "last_harvest")
        for chunk in chunks(records.iterator(), 2000):
            Membership.objects.bulk_create(
                [Membership(record_id=pk, feed=feed, last_harvest=seen) for pk, seen in chunk], ignore_conflicts=True
            )


def list_records(feed: Feed, harvest: int, identifiers: Collection[str]) -> None:
    """Note that a run has seen these records in a feed: one statement, whatever their number."""
    if not identifiers:
        return
    condition, parameter = among("identifier", identifiers)
    quote = connection.ops.quote_name
    statement = (
        f"INSERT INTO {quote(Membership._meta.db_table)} (record_id, feed_id, last_harvest) "  # noqa: S608 names only
        f"SELECT id, %s, %s FROM {quote(SourceRecord._meta.db_table)} "
        f"WHERE repository_id = %s AND {condition} "
        "ON CONFLICT (record_id, feed_id) DO UPDATE SET last_harvest = excluded.last_harvest"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [feed.pk, harvest, feed.repository_id, parameter])


def listed_elsewhere(feed: Feed, pks: Collection[int]) -> set[int]:
    """Those of the records that another feed lists."""
    found: set[int] = set()
    for chunk in chunks(pks):
        others = Membership.objects.filter(record__in=chunk).exclude(feed=feed)
        found.update(others.values_list("record", flat=True))
    return found


def leave(feed: Feed, pks: Collection[int]) -> None:
    """These records are no longer listed by the feed. What it brought of them belongs to another that lists them."""
    for chunk in chunks(pks):
        Membership.objects.filter(feed=feed, record__in=chunk).delete()
        others = Membership.objects.filter(record=OuterRef("pk")).values("record").annotate(first=Min("feed"))
        orphans = SourceRecord.objects.filter(pk__in=chunk, feed=feed, deleted=False)
        orphans.filter(Exists(Membership.objects.filter(record=OuterRef("pk")))).update(
            feed_id=Subquery(others.values("first"))
        )


def count_listed(feed: Feed) -> int:
    """How many registered records the feed lists."""
    live = Membership.objects.filter(feed=feed, record__deleted=False).exclude(record__payload_hash=b"")
    return int(live.aggregate(count=Count("pk"))["count"])
