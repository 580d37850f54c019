"""A provider with records at fault, harvested as a real one, for the tests of the pages about findings and records."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from aggregator.tasks import aggregate
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.issues import counts
from harvesting.models import Feed, Harvest, RecordIssue, Repository, SourceRecord
from tests.harvesting.batches import carry, live, new_feed

LATER = "2026-02-01T00:00:00Z"
WRONG_ISBN = "978-4-00-310101-0"


def bad(local_id: str, datestamp: str = LATER, **fields):
    """A record whose ISBN is no ISBN."""
    return live(local_id, datestamp, isbn=fields.pop("isbn", WRONG_ISBN), **fields)


def harvested(feed: Feed, *records, **options) -> Harvest:
    """A run with these records, counted and in the catalogue."""
    run = carry(feed, list(records), **options)
    counts.take_stock_behind(run)
    aggregate()
    return run


def provider(name: str = "見本館", **fields) -> Feed:
    """A feed of its own repository with a record at fault and one without."""
    feed = new_feed(base_url=f"https://{len(Repository.objects.all())}.example.jp/oai")
    Repository.objects.filter(pk=feed.repository_id).update(name=name, state="live")
    feed.refresh_from_db()
    feed.repository.refresh_from_db()
    return feed


def person(name: str, *repositories: Repository, staff: bool = False):
    """A librarian of these, or staff."""
    ensure_roles()
    user = get_user_model().objects.create_user(name, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=STAFF if staff else LIBRARIANS))
    for each in repositories:
        each.managers.add(user)
    return user


def record_of(local_id: str) -> SourceRecord:
    return SourceRecord.objects.get(identifier=f"oai:x:{local_id}")


def issue_of(local_id: str) -> RecordIssue:
    """The worst finding about it."""
    rows = RecordIssue.objects.filter(source_record=record_of(local_id))
    return min(rows, key=lambda row: (counts.ORDER[row.severity], row.pk))
