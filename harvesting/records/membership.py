"""Memberships: which feeds list a record. Written only if a repository has more than one feed.

With a single feed, SourceRecord.feed is enough. When a second feed is added, the memberships of the first one are
written before anything else (`backfill`).
"""

from collections.abc import Collection

from django.db import connection
from django.db.models import Count, Exists, Min, OuterRef, Subquery

from core.database.batches import chunks, in_condition, select_in
from core.database.keyset import FETCH_SIZE
from harvesting.models import Feed, Membership, SourceRecord
from harvesting.records import seen


def has_several_feeds(feed: Feed) -> bool:
    """Whether the feed's repository has other feeds too, so that memberships are written."""
    return any(pk != feed.pk for (pk,) in select_in(Feed, ("id",), "repository_id", [feed.repository_id]))


def backfill(repository: int) -> None:
    """Write the memberships of feeds that have records but no memberships yet, because they were the only feed."""
    feeds = Feed.objects.filter(
        Exists(SourceRecord.objects.filter(feed=OuterRef("pk"))),
        ~Exists(Membership.objects.filter(feed=OuterRef("pk"))),
        repository=repository,
    )
    for feed in feeds:
        records = SourceRecord.objects.filter(feed=feed, deleted=False).values_list("pk", "last_harvest")
        for chunk in chunks(records.iterator(), 2000):
            Membership.objects.bulk_create(
                [Membership(record_id=pk, feed=feed, last_harvest=seen) for pk, seen in chunk], ignore_conflicts=True
            )


def mark_listed(feed: Feed, harvest: int, identifiers: Collection[str]) -> None:
    """Store that a run has seen these records in a feed. One statement, whatever the number of records."""
    _mark(feed, harvest, "identifier", identifiers)


def add_listed(feed: Feed, harvest: int, pks: Collection[int]) -> None:
    """Store that a feed lists these records, which the run has noted as seen (`records.seen`).

    Only memberships that are new are written. So the run has seen the records that it has noted, too.
    """
    known = {pk for (pk,) in select_in(Membership, ("record_id",), "record_id", pks, feed_id=feed.pk)}
    _mark(feed, harvest, "id", [pk for pk in pks if pk not in known])


def _mark(feed: Feed, harvest: int, column: str, values: Collection[str] | Collection[int]) -> None:
    if not values:
        return
    condition, parameter = in_condition(column, values)
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
    """The ids of those records that another feed lists too."""
    listed: set[int] = set()
    for chunk in chunks(pks):
        others = Membership.objects.filter(record__in=chunk).exclude(feed=feed)
        listed.update(others.values_list("record", flat=True))
    return listed


def mark_unlisted(feed: Feed, pks: Collection[int]) -> None:
    """Store that the feed does not list these records any more.

    Records whose stored version came from this feed are assigned to another feed that lists them.
    """
    for chunk in chunks(pks):
        Membership.objects.filter(feed=feed, record__in=chunk).delete()
        others = Membership.objects.filter(record=OuterRef("pk")).values("record").annotate(first=Min("feed"))
        orphans = SourceRecord.objects.filter(pk__in=chunk, feed=feed, deleted=False)
        orphans.filter(Exists(Membership.objects.filter(record=OuterRef("pk")))).update(
            feed_id=Subquery(others.values("first"))
        )


def count_seen(feed: Feed, harvest: int) -> int:
    """How many of the records that the feed lists the run has seen there."""
    noted = seen.noted([harvest])
    rows = Membership.objects.filter(feed=feed).values_list("record", "last_harvest")
    return sum(last == harvest or pk in noted for pk, last in rows.iterator(FETCH_SIZE))


def count_listed(feed: Feed) -> int:
    """How many registered, not deleted records the feed lists."""
    live = Membership.objects.filter(feed=feed, record__deleted=False).exclude(record__payload_hash=b"")
    return int(live.aggregate(count=Count("pk"))["count"])
