"""A provider whose records have issues, harvested for the tests of the pages about issues and records."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from aggregator.tasks import aggregate
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.issues import counts
from harvesting.models import Feed, Harvest, RecordIssue, Repository, SourceRecord
from tests.harvesting.batches import harvest_records, live, new_feed

LATER = "2026-02-01T00:00:00Z"
WRONG_ISBN = "978-4-00-310101-0"


def with_bad_isbn(local_id: str, datestamp: str = LATER, **fields):
    """A record whose ISBN has a wrong check digit."""
    return live(local_id, datestamp, isbn=fields.pop("isbn", WRONG_ISBN), **fields)


def harvested(feed: Feed, *records, **options) -> Harvest:
    """Harvest these records, count their issues and aggregate them; return the harvest."""
    run = harvest_records(feed, list(records), **options)
    counts.count_issues_after(run)
    aggregate()
    return run


def provider(name: str = "見本館", **fields) -> Feed:
    """Return a feed of a new repository without records."""
    feed = new_feed(base_url=f"https://{len(Repository.objects.all())}.example.jp/oai")
    Repository.objects.filter(pk=feed.repository_id).update(name=name, state="live")
    feed.refresh_from_db()
    feed.repository.refresh_from_db()
    return feed


def person(name: str, *repositories: Repository, staff: bool = False):
    """Return a new librarian of these repositories, or a member of staff."""
    ensure_roles()
    user = get_user_model().objects.create_user(name, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=STAFF if staff else LIBRARIANS))
    for repository in repositories:
        repository.managers.add(user)
    return user


def record_of(local_id: str) -> SourceRecord:
    return SourceRecord.objects.get(identifier=f"oai:x:{local_id}")


def issue_of(local_id: str) -> RecordIssue:
    """Return the worst issue of a record."""
    rows = RecordIssue.objects.filter(source_record=record_of(local_id))
    return min(rows, key=lambda row: (counts.SEVERITY_ORDER[row.severity], row.pk))
