"""The audit trail: entries are written with the action, limited by permissions, filtered, and exported as a file."""

import ast

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.urls import reverse
from django.utils import translation

from harvesting.accounts.roles import LIBRARIANS, ensure_roles
from harvesting.audit.filter import AuditFilterForm
from harvesting.audit.trail import ACTIONS, note, repository_of
from harvesting.models import AuditEntry, Feed, Harvest, Repository
from harvesting.registry.registration import register
from tests.sources import TOGETHER, modules_with, nodes_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository():
    return register(Repository(name="見本図書館"), [Feed(base_url="https://a.example.jp/oai")])


@pytest.fixture
def hanako(repository):
    ensure_roles()
    user = get_user_model().objects.create_user("hanako", password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=LIBRARIANS))
    repository.managers.add(user)
    return user


def recorded_codes() -> set[str]:
    """The codes of actions that calls of `note` in the source pass as literals."""
    codes = set()
    for path in [*modules_with("harvesting", "note("), *modules_with("aggregator", "note(")]:
        for call in (node for node in nodes_in(path) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if name == "note" and len(call.args) >= 3 and isinstance(call.args[1], ast.Constant):
                codes.add(call.args[1].value)
    return codes


@TOGETHER
def test_every_recorded_action_has_a_label():
    assert recorded_codes() >= {"person.invited", "match.ruled"}
    assert not recorded_codes() - ACTIONS.keys()


def test_the_provider_of_an_entry_is_found_through_the_object(repository):
    run = Harvest(feed=repository.feeds.get(), kind="full")
    assert [repository_of(about) for about in (repository, run.feed, run, "words")] == [repository] * 3 + [None]


def test_an_action_that_is_rolled_back_leaves_no_entry(repository, hanako):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        note(hanako, "admin.changed", repository)
        _never = 1 / 0
    assert not AuditEntry.objects.exists()


def test_an_entry_outlives_the_account(repository, hanako):
    note(hanako, "admin.changed", repository, "a reason")
    hanako.delete()
    assert str(AuditEntry.objects.get()).endswith("hanako admin.changed R900000001 見本図書館")


def test_a_librarian_sees_only_entries_about_own_providers(client, repository, hanako):
    other = register(Repository(name="よその図書館"), [])
    note(hanako, "admin.changed", repository)
    note(hanako, "admin.changed", other)
    note(hanako, "login", "hanako")
    client.force_login(hanako)
    html = client.get(reverse("trace")).text
    assert "見本図書館" in html
    assert "よその図書館" not in html
    assert "よその図書館" not in b"".join(client.get(reverse("trace_file"))).decode()


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("who=hanako", 1),
        ("action=login", 1),
        ("repository=R900000001", 1),
        ("since=2020-01-01&until=2090-01-01", 2),
        ("until=2020-01-01", 0),
        ("before=1", 0),
    ],
)
def test_the_entries_can_be_filtered(admin_client, admin_user, repository, hanako, query, count):
    note(hanako, "admin.changed", repository)
    note(admin_user, "login", "admin")
    assert admin_client.get(f"{reverse('trace')}?{query}").text.count('class="deed"') == count


@pytest.mark.parametrize("query", ["repository=x", "since=tomorrow", "action=made.up"])
def test_an_invalid_filter_is_reported_at_its_field(admin_client, query):
    for name in ("trace", "trace_file"):
        answer = admin_client.get(f"{reverse(name)}?{query}")
        assert answer.status_code == 400
        assert 'class="fault"' in answer.text


def test_the_file_contains_no_spreadsheet_formulas(admin_client, admin_user, repository):
    note(admin_user, "admin.changed", repository, "=HYPERLINK(1)", {"=word": "+1"})
    text = b"".join(admin_client.get(reverse("trace_file"))).decode("utf-8-sig")
    assert '"\'=HYPERLINK(1)"' in text
    assert '"\'=word: +1"' in text


def test_markup_in_an_entry_is_escaped(admin_client, admin_user):
    note(admin_user, "admin.changed", "<script>alert(1)</script>", "<img onerror=x>", {"<b>": "<i>"})
    html = admin_client.get(reverse("trace")).text
    assert "<script>alert(1)" not in html
    assert "<img onerror" not in html
    assert "<b>:" not in html


def test_the_queries_do_not_grow_with_entries_and_use_an_index(
    admin_client, admin_user, repository, django_assert_max_num_queries
):
    for _number in range(60):
        note(admin_user, "admin.changed", repository)
    with django_assert_max_num_queries(12) as queries:
        html = admin_client.get(reverse("trace"), {"repository": repository.number}).text
    assert "before=" in html
    assert html.count('class="deed"') == 50
    if connection.vendor == "sqlite":
        sql = next(query["sql"] for query in queries if 'FROM "harvesting_auditentry"' in query["sql"])
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            assert "TEMP B-TREE" not in str(cursor.fetchall())


def test_the_actions_of_the_filter_are_grouped_and_complete():
    choices = AuditFilterForm().fields["action"].choices
    (everything, _label), *groups = choices
    assert everything == ""
    codes = [code for _group, actions in groups for code, _label in actions]
    assert sorted(codes) == sorted(ACTIONS)
    with translation.override("en"):
        harvests = next(actions for label, actions in groups if str(label) == "Harvests")
    assert {code.partition(".")[0] for code, _label in harvests} == {"harvest"}
    assert AuditFilterForm({"action": "harvest.pause"}).is_valid()
