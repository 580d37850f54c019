"""Invitations, roles and who may give them; what is done is noted."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import AuditEntry, Invitation, Repository
from harvesting.notifications.outbox import send_due
from harvesting.registry.registration import register

pytestmark = pytest.mark.django_db
CHOSEN = {"username": "hanako", "password": "green books sleep", "again": "green books sleep"}
WHY = {"reason": "She moved to another library."}


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
    sent = {
        "email": "Hanako@example.jp",
        "role": "librarian",
        "language": "en",
        "repositories": [repository.pk],
        **fields,
    }
    return client.post(reverse("invitation_new"), sent)


def link() -> str:
    send_due()
    return re.search(r"http://127\.0\.0\.1:8000(\S+)", mail.outbox[-1].body.partition("password here")[2])[1]


def test_who_is_invited_chooses_a_password_and_looks_after_her_provider(client, staff, repository):
    assert invite(client, repository).status_code == 302
    her, address = Client(), link()
    assert "taro" in her.get(address).text
    assert her.post(address, CHOSEN).url == reverse("manage")
    assert her.get(reverse("manage")).status_code == 200
    user = get_user_model().objects.get(username="hanako")
    assert (role_of(user), user.email) == (Role.LIBRARIAN, "hanako@example.jp")
    assert list(repository.managers.all()) == [user]
    assert {each.action for each in AuditEntry.objects.all()} == {"person.invited", "person.joined"}


def test_the_link_works_once(client, staff, repository):
    invite(client, repository)
    address = link()
    Client().post(address, CHOSEN)
    assert Client().get(address).status_code == 410
    assert Client().post(address, {**CHOSEN, "username": "other"}).status_code == 410


@pytest.mark.parametrize("button", ["revoke", "again"])
def test_a_link_that_was_taken_back_or_replaced_is_dead(client, staff, repository, button):
    invite(client, repository)
    address = link()
    client.post(reverse("invitation_change", args=[Invitation.objects.get().pk]), {button: "1"})
    assert Client().get(address).status_code == 410


def test_a_link_runs_out_and_a_made_up_one_opens_nothing(client, staff, repository):
    invite(client, repository)
    address = link()
    with time_machine.travel(timezone.now() + timedelta(days=15)):
        assert Client().get(address).status_code == 410
    assert Client().get(f"{address}x").status_code == 410
    assert Client().get(reverse("invitation", args=["x"])).status_code == 410


def test_the_mail_with_the_link_is_not_kept(client, staff, repository):
    invite(client, repository)
    address = link()
    assert address.rpartition("/")[2] not in str(list(Invitation.objects.values()))
    assert not Invitation._meta.get_field("nonce").blank


@pytest.mark.parametrize(
    "fields", [{"role": "staff"}, {"role": "administrator"}, {"repositories": []}, {"email": "taro@example.jp"}]
)
def test_what_staff_may_not_invite_is_refused(client, staff, repository, fields):
    assert invite(client, repository, **fields).status_code == 422
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    "fields", [{"password": "short", "again": "short"}, {"again": "another one"}, {"username": "TARO"}]
)
def test_a_poor_choice_is_refused_and_the_link_stays(client, staff, repository, fields):
    invite(client, repository)
    address = link()
    assert Client().post(address, {**CHOSEN, **fields}).status_code == 422
    assert Client().get(address).status_code == 200


def test_staff_give_and_take_providers_and_close_the_account(client, staff, repository):
    her = person("hanako", LIBRARIANS)
    address = reverse("person", args=[her.pk])
    assert (
        client.post(address, {"role": "librarian", "active": "on", "repositories": [repository.pk], **WHY}).status_code
        == 302
    )
    assert list(repository.managers.all()) == [her]
    client.post(address, {"role": "librarian", **WHY})
    her.refresh_from_db()
    assert (her.is_active, list(repository.managers.all())) == (False, [])
    noted = AuditEntry.objects.filter(repository=repository).values_list("action", "reason", "name")
    assert {*noted} == {
        (action, WHY["reason"], "taro") for action in ("person.provider_given", "person.provider_taken")
    }


def test_staff_change_neither_staff_nor_administrators(client, staff):
    for name, fields in (("jiro", {}), ("chief", {"is_superuser": True})):
        other = person(name, STAFF, **fields)
        assert client.post(reverse("person", args=[other.pk]), {"role": "librarian", **WHY}).status_code == 403


def test_nobody_makes_more_of_somebody_than_they_may(client, staff):
    her = person("hanako", LIBRARIANS)
    assert client.post(reverse("person", args=[her.pk]), {"role": "staff", "active": "on", **WHY}).status_code == 422


@pytest.mark.parametrize("fields", [{"role": "staff", "active": "on"}, {"role": "administrator"}])
def test_the_last_administrator_stays(admin_client, admin_user, fields):
    answer = admin_client.post(reverse("person", args=[admin_user.pk]), {**fields, **WHY})
    assert answer.status_code == 422
    admin_user.refresh_from_db()
    assert role_of(admin_user) is Role.ADMINISTRATOR


def test_with_another_one_an_administrator_may_step_back(admin_client, admin_user):
    person("chief", is_superuser=True)
    admin_client.post(reverse("person", args=[admin_user.pk]), {"role": "staff", "active": "on", **WHY})
    admin_user = get_user_model().objects.get(pk=admin_user.pk)
    assert role_of(admin_user) is Role.STAFF


def test_the_page_asks_no_more_for_more_people(client, staff, repository, django_assert_max_num_queries):
    for number in range(30):
        repository.managers.add(person(f"p{number}", LIBRARIANS))
    with django_assert_max_num_queries(16):
        assert "p29" in client.get(reverse("people")).text
