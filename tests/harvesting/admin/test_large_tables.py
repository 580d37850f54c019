"""The admin pages: queries that stay fast with a million rows, and entries in the audit trail for every change."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from aggregator.grouping.aggregate import aggregate_pending
from harvesting.accounts.roles import LIBRARIANS, ensure_roles
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import AuditEntry, Repository, SourceRecord
from harvesting.registry.registration import register
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db
OWN = [model for model in admin.site._registry if model._meta.app_label in ("harvesting", "aggregator", "auth")]
LARGE = ("harvesting_sourcerecord", "harvesting_recordissue", "aggregator_manifestation", "harvesting_harvest")


@pytest.fixture
def shelf(source, feed_of):
    """Aggregated records with issues, from two harvests."""
    source.update([sample("b3", title=""), sample("b4", title="")])
    feed = feed_of(source)
    harvest(create_harvest(feed))
    harvest(create_harvest(feed, full=True))
    sum(aggregate_pending())


def changelist(name: str) -> str:
    return reverse(f"admin:{name}_changelist")


@pytest.mark.parametrize("model", OWN, ids=lambda model: model.__name__)
def test_every_list_needs_few_queries_and_counts_no_more_rows_than_it_can_page(
    admin_client, model, django_assert_max_num_queries
):
    options = admin.site._registry[model]
    with django_assert_max_num_queries(20):
        assert admin_client.get(changelist(model._meta.label_lower.replace(".", "_"))).status_code == 200
    assert options.show_full_result_count is False or model._meta.model_name in ("repository", "rematch", "group")


@pytest.mark.parametrize("name", LARGE)
def test_a_large_table_is_read_by_an_index_and_only_as_far_as_the_page(admin_client, shelf, name, monkeypatch):
    app, model = name.split("_")
    monkeypatch.setattr(admin.site._registry[apps.get_model(app, model)], "list_per_page", 1)
    admin_client.get(changelist(name))  # fills the caches, whose queries are not to be counted
    with CaptureQueriesContext(connection) as queries:
        assert admin_client.get(changelist(name)).context["cl"].multi_page
    statements = [query["sql"] for query in queries if f'FROM "{name}"' in query["sql"]]
    assert statements
    for sql in statements:
        assert "LIMIT" in sql, sql
        assert "COUNT(" not in sql, sql
        assert "TEMP B-TREE" not in plan(sql), sql


@pytest.mark.parametrize("name", ["harvesting_sourcerecord", "harvesting_recordissue"])
def test_the_rows_of_one_provider_are_read_in_the_order_of_an_index_that_begins_with_it(admin_client, shelf, name):
    number = Repository.objects.get().number
    with CaptureQueriesContext(connection) as queries:
        page = admin_client.get(changelist(name), {"repository": number})
    assert page.status_code == 200
    listed = [query["sql"] for query in queries if f'FROM "{name}"' in query["sql"] and "ORDER BY" in query["sql"]]
    assert listed
    for sql in listed:
        assert sql.split("ORDER BY", 1)[1].split()[0] == f'"{name}"."repository_id"', sql
        assert "TEMP B-TREE FOR ORDER BY" not in plan(sql), sql


def plan(sql: str) -> str:
    """The query plan of SQLite; "" on another database."""
    if connection.vendor != "sqlite":
        return ""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return " ".join(str(row[3]) for row in cursor.fetchall())


def test_the_queries_of_a_list_do_not_grow_with_its_rows(admin_client, source, feed_of, django_assert_max_num_queries):
    source.update([sample(f"n{number}", title="") for number in range(60)])
    harvest(create_harvest(feed_of(source)))
    for name in LARGE:
        with django_assert_max_num_queries(20):
            admin_client.get(changelist(name))


def test_a_change_in_the_admin_is_recorded_in_the_audit_trail(admin_client):
    repository = register(Repository(name="見本図書館"), [])
    fields = {"name": "新しい名前", "kind": "library", "state": "paused", "link_encoding": "utf-8", "trust": "0"}
    no_rows = {
        f"{formset}-{part}_FORMS": "0"
        for formset in ("feeds", "switches", "doi_agreement")
        for part in ("TOTAL", "INITIAL")
    }
    address = reverse("admin:harvesting_repository_change", args=[repository.pk])
    response = admin_client.post(address, {**fields, **no_rows, "profile": "ndl"})
    assert response.status_code == 302, response.context["errors"]
    entry = AuditEntry.objects.get(action="admin.changed")
    assert (entry.repository, entry.name) == (repository, "admin")
    assert entry.details["change"]


def test_roles_cannot_be_given_in_the_admin(admin_client, admin_user):
    page = admin_client.get(reverse("admin:auth_user_change", args=[admin_user.pk]))
    assert 'name="is_superuser"' not in page.text
    assert 'name="groups"' not in page.text
    assert (
        admin_client.post(reverse("admin:auth_user_delete", args=[admin_user.pk]), {"post": "yes"}).status_code == 403
    )


def test_the_index_links_to_the_staff_pages_and_the_queue(admin_client, client):
    page = admin_client.get(reverse("admin:index")).text
    assert f'href="{reverse("manage")}"' in page
    assert f'href="{reverse("queue")}"' in page


def test_a_librarian_without_providers_sees_no_records(client, source, feed_of):
    ensure_roles()
    harvest(create_harvest(feed_of(source)))
    librarian = get_user_model().objects.create_user("hanako", password="x", is_staff=True)
    librarian.groups.add(Group.objects.get(name=LIBRARIANS))
    client.force_login(librarian)
    assert SourceRecord.objects.exists()
    assert client.get(changelist("harvesting_sourcerecord")).context["cl"].result_count == 0


def test_a_filter_by_many_repositories_asks_for_a_number(admin_client, shelf, monkeypatch):
    monkeypatch.setattr("harvesting.admin.base.MOST_LISTED", 0)
    number = Repository.objects.order_by("pk")[0].number
    for name in ("harvesting_harvest", "harvesting_recordissue"):
        page = admin_client.get(changelist(name), {"repository": number, "q": ""})
        assert f'name="repository" value="{number}"' in page.text
        assert page.text.count("?repository=") == 0
        assert len(page.context["cl"].result_list) > 0
        assert not admin_client.get(changelist(name), {"repository": "R999999999"}).context["cl"].result_list
