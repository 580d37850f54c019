"""No page of librarians and staff makes more queries where there is more to list.

The pages are those of the table of permissions, so that a new page is in the test without being entered here.
"""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from aggregator.access.permissions import TABLE
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import ApiKey, CheckedLink
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.models import BulkAction, Feed, Invitation, NotificationEvent, PushToken
from harvesting.monitoring import verdicts
from tests.aggregator.access.test_permissions import pages_with_example_values
from tests.aggregator.links.rows import checked_links
from tests.aggregator.shelves import Shelf, doubtful
from tests.aggregator.views.records_with_issues import harvested, person, provider, with_bad_isbn

pytestmark = pytest.mark.django_db
PAGES = sorted(
    (name, address)
    for name, address in pages_with_example_values()
    if TABLE[name].get("GET", Role.PUBLIC) > Role.PUBLIC
)
FEW, MANY = 3, 9  # rows of each kind; the lists have 20 rows on a page, and more


def fill(first: int, last: int, own: Feed, shelf: Shelf) -> None:
    """Add rows of every kind: as many providers, harvests, records, issues, people, pairs … as the range has."""
    now = timezone.now()
    user = person(f"user {first}", own.repository)
    for number in range(first, last):
        harvested(provider(f"館{number}"), with_bad_isbn(f"{number}-a"))
        harvested(own, with_bad_isbn(f"own-{number}"))
        for place, described in enumerate(doubtful(f"題名 その{number}", f"著者{number}, 花子")):
            shelf.put(f"library {place}", f"{number} {place}", described)
        person(f"librarian {number}", own.repository)
        Invitation.objects.create(email=f"{number}@example.jp", language="ja", invited_by="taro", expires=now)
        BulkAction.objects.create(person=user, name="user", action="issues.ignore", state="done", parameters={})
        NotificationEvent.objects.create(key=str(number), kind="run.failed", repository=own.repository, weight=1)
        note(user, "harvest.paused", own.repository)
        PushToken.objects.create(repository=own.repository, name=str(number), digest=bytes([number] * 32), start="x")
        ApiKey.objects.create(name=str(number), contact="a@example.jp", digest=bytes([number] * 32), start="x")
        link = CheckedLink.objects.order_by("pk").last()
        assert link
        CheckedLink.objects.create(
            **{name: getattr(link, name) for name in ("kind", "pattern", "repository", "library", "book", "state")},
            key=1000 + number, url=f"https://opac.example.jp/r/more{number}", checked_at=now,
        )  # fmt: skip
    sum(aggregate_pending())
    verdicts.renew_some()


def counted(client: Client) -> dict[str, int]:
    """Return the number of queries of every page that can be shown, by its address."""
    queries = {}
    for _name, address in PAGES:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            answer = client.get(address)
            if answer.streaming:
                b"".join(answer.streaming_content)
        if answer.status_code == 200:
            queries[address] = len(captured)
    return queries


@pytest.mark.slow
@pytest.mark.sample
def test_no_page_makes_more_queries_where_there_is_more_to_list() -> None:
    own = provider("自館")
    checked_links(own.repository)
    shelf = Shelf()
    fill(0, FEW, own, shelf)
    assert own.repository.number == "R900000001"
    client = Client()
    client.force_login(person("boss", staff=True))
    counted(client)  # caches are filled
    before = counted(client)
    fill(FEW, MANY, own, shelf)
    counted(client)
    after = counted(client)
    assert len(before) >= 40
    assert {
        address: (number, after[address]) for address, number in before.items() if after[address] > number + 1
    } == {}
