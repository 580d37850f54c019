"""The lists of alarms and rulings: records by their titles, states in words, and no query per record."""

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.urls import reverse

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchAlarm, MatchRuling
from aggregator.review.rulings import carry_out, undo
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
ALARMS, RULINGS = "admin:aggregator_matchalarm_changelist", "admin:aggregator_matchruling_changelist"


@pytest.fixture
def shelf(client) -> Shelf:
    """Two volumes under one ISBN, and two other books."""
    client.force_login(User.objects.create_superuser("boss"))
    shelf = Shelf()
    for name in "12":
        shelf.put("a", name, record(name, title="<b>分冊</b>", volume=name, isbn=ISBN))
    shelf.put("a", "3", record("3", title="料理入門"))
    shelf.put("a", "4", record("4", title="日本の鉄道"))
    sum(aggregate_pending())
    return shelf


def rule(verdict: str, *names: str) -> MatchRuling:
    ids = [SourceRecord.objects.get(identifier=name).public_id for name in names]
    row = MatchRuling(verdict=verdict, first=ids[0], second=ids[1] if len(ids) > 1 else "", reason="a test")
    row.clean()
    carry_out(row, None)
    return row


def page(client, name: str, query: str = "") -> str:
    return client.get(reverse(name) + query, headers={"Accept-Language": "en"}).content.decode()


def test_an_alarm_shows_its_isbn_and_some_of_its_records(client, shelf) -> None:
    assert MatchAlarm.objects.count() == 1
    html = page(client, ALARMS)
    assert "978-4-00-310101-8" in html
    assert html.count("&lt;b&gt;分冊&lt;/b&gt;") == 2
    assert "<b>分冊" not in html


@pytest.mark.parametrize("kind", MatchAlarm.Kind.values)
def test_every_kind_of_alarm_is_listed(client, shelf, kind) -> None:
    first = SourceRecord.objects.order_by("pk")[0]
    MatchAlarm.objects.update(kind=kind, number=first.pk)
    assert page(client, ALARMS).count("field-examples") == 1


def test_rulings_show_their_records_and_their_state(client, shelf) -> None:
    rule("same", "3", "4")
    undo(rule("freeze", "1"), None)
    html = page(client, RULINGS)
    assert "料理入門" in html and "日本の鉄道" in html and "in force" in html and "undone on" in html
    assert "料理入門" not in page(client, RULINGS, "?state=undone")
    assert "&lt;b&gt;分冊" not in page(client, RULINGS, "?state=in_force")
    assert "0 matching rulings" in page(client, RULINGS, "?state=recheck")


def test_queries_do_not_grow_with_the_number_of_rulings(client, shelf, django_assert_max_num_queries) -> None:
    page(client, RULINGS)
    for name in "1234":
        rule("freeze", name)
    with django_assert_max_num_queries(9):
        page(client, RULINGS)


def test_the_admins_address_of_a_row_on_the_site_is_not_found(client, db):
    """Also of a row in a table that does not exist: Django's own page ends in an error then."""
    client.force_login(User.objects.create_superuser("boss"))
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE django_admin_log")
    for content_type in ContentType.objects.values_list("pk", flat=True):
        assert client.get(f"/admin/r/{content_type}/1/").status_code == 404
