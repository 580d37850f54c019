"""Members of libraries: staff assign them; where they go after a login; the terms that they change."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client

from aggregator.libraries.edits import by_people
from aggregator.models import Library, LibraryMember, LoanTerms
from harvesting.accounts.access import role_of
from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import AuditEntry
from harvesting.notifications.outbox import send_due
from tests.aggregator.loan_desk.desks import Desks, library, member

pytestmark = pytest.mark.django_db

NAMES = ("lends", "copies", "language")  # of fields with choices


@pytest.fixture
def staff(db: None) -> Client:
    ensure_roles()
    user = get_user_model().objects.create_user("taro", is_staff=True)
    user.groups.add(Group.objects.get(name=STAFF))
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


@pytest.mark.parametrize("text", ["2127", "大阪府", "L{pk}"])
def test_staff_make_a_person_a_member_of_a_library(staff: Client, text: str) -> None:
    osaka, person = library("大阪府立図書館", "2127"), get_user_model().objects.create_user("ken")
    path = f"/manage/people/{person.pk}/libraries"
    assert "No libraries so far" in staff.get(path).content.decode()
    staff.post(path, {"library": text.format(pk=osaka.pk), "reason": "担当"})
    assert LibraryMember.objects.values_list("user", "library").get() == (person.pk, osaka.pk)
    entry = AuditEntry.objects.get(action="person.library_given")
    assert (entry.name, entry.about, entry.reason, entry.details) == (
        "taro",
        "大阪府立図書館",
        "担当",
        {"person": "ken"},
    )
    assert "大阪府立図書館" in staff.get(f"/manage/people/{person.pk}").content.decode()


def test_of_several_libraries_one_is_chosen(staff: Client) -> None:
    libraries = [library(f"大阪{number}図書館", f"{number}") for number in range(2)]
    person = get_user_model().objects.create_user("ken")
    path = f"/manage/people/{person.pk}/libraries"
    assert staff.post(path, {"library": "大阪", "reason": "x"}).context["found"] == libraries
    assert not LibraryMember.objects.exists()
    assert staff.post(path, {"library": "無い", "reason": "x"}).status_code == 422


def test_a_membership_ends_at_once(staff: Client, desks: Desks, enter: Callable[[Any], Client]) -> None:
    membership, client = LibraryMember.objects.get(user=desks.ken), enter(desks.ken)
    assert client.get("/loans/").status_code == 200
    staff.post(f"/manage/people/{desks.ken.pk}/libraries", {"remove": membership.pk, "reason": "異動"})
    assert client.get("/loans/").status_code == 403
    assert AuditEntry.objects.get(action="person.library_taken").reason == "異動"


def test_staff_do_not_change_other_staff(staff: Client) -> None:
    boss = get_user_model().objects.create_superuser("boss")
    assert staff.post(f"/manage/people/{boss.pk}/libraries", {"library": "1"}).status_code == 403


def test_a_member_without_a_rank_comes_to_interlibrary_loan_after_the_login(desks: Desks) -> None:
    desks.ken.set_password("green books sleep")
    desks.ken.save()
    response = Client().post("/login", {"username": "ken", "password": "green books sleep"})
    assert response["Location"] == "/loans/"


def test_a_member_without_a_rank_changes_the_own_password(desks: Desks, enter: Callable[[Any], Client]) -> None:
    assert enter(desks.ken).get("/password").status_code == 200
    assert Client().get("/password").status_code == 302


def test_a_librarian_who_is_a_member_finds_the_way(enter: Callable[[Any], Client], desks: Desks) -> None:
    ensure_roles()
    desks.hana.groups.add(Group.objects.get(name=LIBRARIANS))
    assert 'href="/loans/"' in enter(desks.hana).get("/manage/").content.decode()
    assert 'href="/manage/"' in enter(desks.hana).get("/loans/").content.decode()


def test_a_library_states_its_terms_which_records_no_longer_change(
    desks: Desks, enter: Callable[[Any], Client]
) -> None:
    values = {
        "lends": "false",
        "copies": "true",
        "days": "14",
        "most": "5",
        "new_months": "6",
        "language": "ja",
        "email": "a@example.jp",
    }
    assert enter(desks.ken).post("/loans/terms", values).status_code == 302
    osaka = Library.objects.get(pk=desks.lender.pk)
    assert (osaka.lends, "lends" in by_people(osaka.edited)) == (False, True)
    assert LoanTerms.objects.values_list("copies", "days", "new_months", "email").get() == (True, 14, 6, "a@example.jp")
    assert AuditEntry.objects.get(action="loan.terms").about == "大阪府立図書館"


@pytest.mark.parametrize("value", [True, False, None])
def test_what_a_library_has_stated_is_selected_and_stays_when_something_else_is_changed(
    desks: Desks, enter: Callable[[Any], Client], value: bool | None
) -> None:
    Library.objects.filter(pk=desks.lender.pk).update(lends=value)
    LoanTerms.objects.filter(library=desks.lender).update(copies=value, days=30)
    html = enter(desks.ken).get("/loans/terms").content.decode()
    sent = {
        name: re.findall(rf'<select name="{name}".*?<option value="(\w+)" selected', html, re.S)[0] for name in NAMES
    }
    assert (
        enter(desks.ken).post("/loans/terms", {**sent, "days": "14", "most": "0", "new_months": "0"}).status_code == 302
    )
    assert LoanTerms.objects.values_list("library__lends", "copies", "days").get() == (value, value, 14)


def test_nobody_changes_the_terms_of_another_library(desks: Desks, enter: Callable[[Any], Client]) -> None:
    assert enter(desks.ken).post(f"/loans/terms?library={desks.borrower.pk}", {"days": "1"}).status_code == 404
    boss = get_user_model().objects.create_superuser("boss")
    assert enter(boss).get("/loans/terms").status_code == 403


def test_a_person_of_two_libraries_chooses_one(enter: Callable[[Any], Client], desks: Desks) -> None:
    both = enter(member("both", desks.borrower, desks.lender))
    assert both.get(f"/loans/terms?library={desks.lender.pk}").context["library"] == desks.lender


def test_an_invited_person_becomes_a_member_without_a_rank(staff: Client) -> None:
    osaka = library("大阪府立図書館", "2127")
    values = {"email": "ken@osaka.example.jp", "language": "ja", "library": "2127"}
    shown = staff.post("/manage/people/invite-member", values).context["link"]
    assert "大阪府立図書館" in staff.get("/manage/people/").content.decode()
    send_due()
    found = re.search(r":8000(/invitation/\S+)", str(mail.outbox[-1].body))
    assert found and "相互貸借" in mail.outbox[-1].body
    assert shown.endswith(found[1])
    password = {"username": "ken", "password": "green books sleep", "again": "green books sleep"}
    client = Client()
    assert client.post(found[1], password)["Location"] == "/loans/"
    person = get_user_model().objects.get(username="ken")
    assert (role_of(person), list(person.library_memberships.values_list("library", flat=True))) == (
        Role.PUBLIC, [osaka.pk])  # fmt: skip
    assert client.get("/loans/").status_code == 200
    assert Client().get(found[1]).status_code == 410


@pytest.mark.parametrize("text", ["無い", "大阪"])
def test_an_invitation_names_one_library(staff: Client, text: str) -> None:
    library("大阪府立図書館", "2127")
    library("大阪市立図書館", "2128")
    values = {"email": "ken@osaka.example.jp", "language": "ja", "library": text}
    assert staff.post("/manage/people/invite-member", values).status_code == 422
