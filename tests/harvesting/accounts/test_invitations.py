"""Invitations and accounts: links, roles, who may assign them, and the entries in the audit trail."""

import re
from datetime import timedelta
from importlib import import_module

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import AuditEntry, Invitation, OutgoingMessage, Repository
from harvesting.notifications.outbox import send_due
from harvesting.registry.registration import register

pytestmark = pytest.mark.django_db
CHOICE = {"username": "hanako", "password": "green books sleep", "again": "green books sleep"}
REASON = {"reason": "She moved to another library."}


@pytest.fixture(autouse=True)
def mail_server(settings):
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "host": "mail.example.jp"}


def person(name: str, group: str = "", **fields):
    ensure_roles()
    user = get_user_model().objects.create_user(name, f"{name}@example.jp", "x", is_staff=True, **fields)
    if group:
        user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture
def staff(client):
    user = person("taro", STAFF)
    client.force_login(user)
    return user


@pytest.fixture
def repository():
    return register(Repository(name="見本図書館"), [])


def invite(client, repository, **fields):
    data = {
        "email": "Hanako@example.jp",
        "role": "librarian",
        "language": "en",
        "repositories": [repository.pk],
        **fields,
    }
    return client.post(reverse("invitation_new"), data)


def sent_link() -> str:
    """Send the messages that are due and return the path of the link in the last one."""
    send_due()
    return re.search(r"http://127\.0\.0\.1:8000(\S+)", mail.outbox[-1].body.partition("password here")[2])[1]


def test_an_invited_person_chooses_a_password_and_manages_the_provider(client, staff, repository):
    assert invite(client, repository).status_code == 302
    visitor, address = Client(), sent_link()
    assert "taro" in visitor.get(address).text
    assert visitor.post(address, CHOICE).url == reverse("manage")
    assert visitor.get(reverse("manage")).status_code == 200
    user = get_user_model().objects.get(username="hanako")
    assert (role_of(user), user.email) == (Role.LIBRARIAN, "hanako@example.jp")
    assert list(repository.managers.all()) == [user]
    assert {entry.action for entry in AuditEntry.objects.all()} == {"person.invited", "person.joined"}


@pytest.mark.parametrize("again", [False, True])
def test_without_a_mail_server_the_link_is_shown_to_be_copied(client, staff, repository, settings, again):
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "host": ""}
    page = invite(client, repository)
    if again:
        page = client.post(reverse("invitation_change", args=[Invitation.objects.get().pk]), {"again": "1"})
    link = page.context["link"]
    assert f">{link}</code>" in page.text
    assert "no-store" in page["Cache-Control"]
    assert link not in client.get(reverse("people")).text
    assert Client().post(link.removeprefix(settings.PUBLIC_URL), CHOICE).url == reverse("manage")


def test_the_link_works_once(client, staff, repository):
    invite(client, repository)
    address = sent_link()
    Client().post(address, CHOICE)
    assert Client().get(address).status_code == 410
    assert Client().post(address, {**CHOICE, "username": "other"}).status_code == 410


@pytest.mark.parametrize("button", ["revoke", "again"])
def test_a_revoked_or_replaced_link_does_not_work(client, staff, repository, button):
    invite(client, repository)
    address = sent_link()
    client.post(reverse("invitation_change", args=[Invitation.objects.get().pk]), {button: "1"})
    assert Client().get(address).status_code == 410


def test_expired_and_forged_links_do_not_work(client, staff, repository):
    invite(client, repository)
    address = sent_link()
    with time_machine.travel(timezone.now() + timedelta(days=15)):
        assert Client().get(address).status_code == 410
    assert Client().get(f"{address}x").status_code == 410
    assert Client().get(reverse("invitation", args=["x"])).status_code == 410


def test_the_token_of_the_link_is_not_stored(client, staff, repository):
    invite(client, repository)
    address = sent_link()
    assert address.rpartition("/")[2] not in str(list(Invitation.objects.values()))
    assert not Invitation._meta.get_field("nonce").blank


@pytest.mark.parametrize(
    "fields", [{"role": "staff"}, {"role": "administrator"}, {"repositories": []}, {"email": "taro@example.jp"}]
)
def test_staff_cannot_send_invalid_or_forbidden_invitations(client, staff, repository, fields):
    assert invite(client, repository, **fields).status_code == 422
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    "fields", [{"password": "short", "again": "short"}, {"again": "another one"}, {"username": "TARO"}]
)
def test_an_invalid_choice_is_refused_and_the_link_stays_valid(client, staff, repository, fields):
    invite(client, repository)
    address = sent_link()
    assert Client().post(address, {**CHOICE, **fields}).status_code == 422
    assert Client().get(address).status_code == 200


def test_staff_give_and_take_providers_and_close_an_account(client, staff, repository):
    librarian = person("hanako", LIBRARIANS)
    address = reverse("person", args=[librarian.pk])
    data = {"role": "librarian", "active": "on", "repositories": [repository.pk], **REASON}
    assert client.post(address, data).status_code == 302
    assert list(repository.managers.all()) == [librarian]
    client.post(address, {"role": "librarian", **REASON})
    librarian.refresh_from_db()
    assert (librarian.is_active, list(repository.managers.all())) == (False, [])
    entries = AuditEntry.objects.filter(repository=repository).values_list("action", "reason", "name")
    assert {*entries} == {
        (action, REASON["reason"], "taro") for action in ("person.provider_given", "person.provider_taken")
    }


def test_staff_cannot_change_staff_or_administrators(client, staff):
    for name, fields in (("jiro", {}), ("chief", {"is_superuser": True})):
        other = person(name, STAFF, **fields)
        assert client.post(reverse("person", args=[other.pk]), {"role": "librarian", **REASON}).status_code == 403


def test_staff_cannot_give_a_role_above_librarian(client, staff):
    librarian = person("hanako", LIBRARIANS)
    data = {"role": "staff", "active": "on", **REASON}
    assert client.post(reverse("person", args=[librarian.pk]), data).status_code == 422


@pytest.mark.parametrize("fields", [{"role": "staff", "active": "on"}, {"role": "administrator"}])
def test_the_last_administrator_cannot_step_down(admin_client, admin_user, fields):
    response = admin_client.post(reverse("person", args=[admin_user.pk]), {**fields, **REASON})
    assert response.status_code == 422
    admin_user.refresh_from_db()
    assert role_of(admin_user) is Role.ADMINISTRATOR


def test_an_administrator_can_step_down_if_there_is_another(admin_client, admin_user):
    person("chief", is_superuser=True)
    admin_client.post(reverse("person", args=[admin_user.pk]), {"role": "staff", "active": "on", **REASON})
    admin_user = get_user_model().objects.get(pk=admin_user.pk)
    assert role_of(admin_user) is Role.STAFF


def test_the_queries_of_the_page_do_not_grow_with_people(client, staff, repository, django_assert_max_num_queries):
    for number in range(30):
        repository.managers.add(person(f"p{number}", LIBRARIANS))
    with django_assert_max_num_queries(17):
        assert "p29" in client.get(reverse("people")).text


def test_the_migration_removes_tokens_from_the_keys_of_earlier_letters():
    migration = import_module("harvesting.migrations.0022_password_requests")
    for key, kind in (("password-c0ffee-token", "password"), ("password-decaf-token", "password"), ("n-1", "notice")):
        OutgoingMessage.objects.create(key=key, kind=kind, address="a@example.jp")
    migration.forget_tokens(apps, None)
    first, second, other = OutgoingMessage.objects.order_by("pk")
    assert first.key == f"password-before-0022-{first.pk}"
    assert (second.key != first.key, other.key) == (True, "n-1")
