"""The trace: what people did is noted with the deed, seen by whom it concerns, narrowed, and taken away as a file."""

import ast

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.urls import reverse

from harvesting.accounts.roles import LIBRARIANS, ensure_roles
from harvesting.audit.trail import ACTIONS, note, repository_of
from harvesting.models import AuditEntry, Feed, Harvest, Repository
from harvesting.registry.registration import register
from tests.paths import ROOT

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


def codes_noted() -> set[str]:
    """Every action that the code notes by a literal code."""
    found = set()
    for path in [*ROOT.glob("harvesting/**/*.py"), *ROOT.glob("aggregator/**/*.py")]:
        for call in (each for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if name == "note" and len(call.args) >= 3 and isinstance(call.args[1], ast.Constant):
                found.add(call.args[1].value)
    return found


def test_every_action_that_is_noted_has_its_words():
    assert codes_noted() >= {"person.invited", "match.ruled"}
    assert not codes_noted() - ACTIONS.keys()


def test_an_entry_knows_its_provider_through_whatever_it_is_about(repository):
    run = Harvest(feed=repository.feeds.get(), kind="full")
    assert [repository_of(each) for each in (repository, run.feed, run, "words")] == [repository] * 3 + [None]


def test_what_is_taken_back_was_not_noted(repository, hanako):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        note(hanako, "admin.changed", repository)
        _never = 1 / 0
    assert not AuditEntry.objects.exists()


def test_an_entry_outlives_the_account(repository, hanako):
    note(hanako, "admin.changed", repository, "a reason")
    hanako.delete()
    assert str(AuditEntry.objects.get()).endswith("hanako admin.changed R900000001 見本図書館")


def test_a_librarian_sees_what_was_done_to_her_providers_only(client, repository, hanako):
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
def test_it_is_narrowed(admin_client, admin_user, repository, hanako, query, count):
    note(hanako, "admin.changed", repository)
    note(admin_user, "login", "admin")
    assert admin_client.get(f"{reverse('trace')}?{query}").text.count('class="deed"') == count


@pytest.mark.parametrize("query", ["repository=x", "since=tomorrow", "action=made.up"])
def test_what_cannot_be_asked_is_said_beside_the_field(admin_client, query):
    for name in ("trace", "trace_file"):
        answer = admin_client.get(f"{reverse(name)}?{query}")
        assert answer.status_code == 400
        assert 'class="fault"' in answer.text


def test_the_file_holds_no_formula(admin_client, admin_user, repository):
    note(admin_user, "admin.changed", repository, "=HYPERLINK(1)", {"=word": "+1"})
    text = b"".join(admin_client.get(reverse("trace_file"))).decode("utf-8-sig")
    assert '"\'=HYPERLINK(1)"' in text
    assert '"\'=word: +1"' in text


def test_marks_in_a_reason_stay_text(admin_client, admin_user):
    note(admin_user, "admin.changed", "<script>alert(1)</script>", "<img onerror=x>", {"<b>": "<i>"})
    html = admin_client.get(reverse("trace")).text
    assert "<script>alert(1)" not in html
    assert "<img onerror" not in html
    assert "<b>:" not in html


def test_a_page_asks_no_more_for_more_entries_and_reads_along_an_index(
    admin_client, admin_user, repository, django_assert_max_num_queries
):
    for _each in range(60):
        note(admin_user, "admin.changed", repository)
    with django_assert_max_num_queries(12) as asked:
        html = admin_client.get(reverse("trace"), {"repository": repository.number}).text
    assert "before=" in html
    assert html.count('class="deed"') == 50
    if connection.vendor == "sqlite":
        sql = next(each["sql"] for each in asked if 'FROM "harvesting_auditentry"' in each["sql"])
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            assert "TEMP B-TREE" not in str(cursor.fetchall())
