"""Profile and switched rules on the admin page of a repository: who decides, what is refused, what is recorded."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.urls import reverse
from django.utils import timezone

from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.models import Repository, RuleSwitch
from harvesting.registry.registration import register
from metadata.catalogue import RULES
from tests.harvesting.admin.test_registration import form

pytestmark = pytest.mark.django_db
NO_FEEDS = {"feeds-TOTAL_FORMS": "0"}


@pytest.fixture
def repository() -> Repository:
    return register(Repository(name="館"), [])


@pytest.fixture
def staff_client(client):
    client.force_login(person("taro", STAFF))
    return client


def person(name: str, group: str):
    ensure_roles()
    user = get_user_model().objects.create_user(name, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


def page_of(repository: Repository) -> str:
    return reverse("admin:harvesting_repository_change", args=[repository.pk])


def form_with_switch(code: str, outcome: str, reason: str = "電話で合意", **more: str) -> dict[str, str]:
    """The data of the repository form with one more switch."""
    row = {"code": code, "outcome": outcome, "reason": reason}
    return form(
        **NO_FEEDS,
        profile="ndl",
        **{"switches-TOTAL_FORMS": "1", **{f"switches-0-{name}": value for name, value in row.items()}, **more},
    )


def save(client, repository: Repository, values: dict[str, str]) -> None:
    response = client.post(page_of(repository), values)
    assert response.status_code == 302, response.context["errors"]


def errors_after_saving(client, repository: Repository, values: dict[str, str]) -> str:
    response = client.post(page_of(repository), values, headers={"accept-language": "en"})
    assert response.status_code == 200
    assert not RuleSwitch.objects.exists()
    return str(response.context["errors"])


def test_staff_switch_a_rule_and_the_system_records_who_and_when(staff_client, repository):
    before = timezone.now()
    forged = {"switches-0-decided_by": "somebody", "switches-0-decided_at": "2001-01-01"}
    save(staff_client, repository, form_with_switch("dcndl.E003", "warning", **forged))
    switch = RuleSwitch.objects.get()
    assert (switch.code, switch.outcome, switch.reason) == ("dcndl.E003", "warning", "電話で合意")
    assert switch.decided_by == "taro"
    assert switch.decided_at >= before


def test_a_changed_switch_gets_the_name_of_the_last_person(staff_client, repository):
    switch = RuleSwitch.objects.create(
        repository=repository, code="dcndl.E003", outcome="off", reason="x", decided_by="hanako"
    )
    keys = {"switches-INITIAL_FORMS": "1", "switches-0-id": str(switch.pk), "switches-0-repository": str(repository.pk)}
    save(staff_client, repository, form_with_switch("dcndl.E003", "off", "x", **keys))
    assert RuleSwitch.objects.get().decided_by == "hanako"  # nothing was changed
    save(staff_client, repository, form_with_switch("oai_dc.E003", "information", "y", **keys))
    switch.refresh_from_db()
    assert (switch.code, switch.outcome, switch.decided_by) == ("dcndl.E003", "information", "taro")


def test_a_removed_switch_stays_in_the_history(staff_client, repository):
    save(staff_client, repository, form_with_switch("dcndl.E003", "warning"))
    switch = RuleSwitch.objects.get()
    keys = {"switches-INITIAL_FORMS": "1", "switches-0-id": str(switch.pk), "switches-0-repository": str(repository.pk)}
    save(staff_client, repository, form_with_switch("dcndl.E003", "warning", **keys, **{"switches-0-DELETE": "on"}))
    assert not RuleSwitch.objects.exists()
    change_messages = [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]
    assert len(change_messages) == 2
    assert all("dcndl.E003" in message for message in change_messages)


def test_a_reason_is_required(staff_client, repository):
    assert errors_after_saving(staff_client, repository, form_with_switch("dcndl.E003", "warning", "  "))


@pytest.mark.parametrize(("code", "outcome"), [("xml.E001", "warning"), ("oai.W004", "off"), ("json.E001", "off")])
def test_rules_about_unreadable_records_cannot_be_made_milder(staff_client, repository, code, outcome):
    assert "could not be read as a record" in errors_after_saving(
        staff_client, repository, form_with_switch(code, outcome)
    )


def test_a_warning_of_the_transport_can_be_made_an_error(staff_client, repository):
    assert "may be made more severe than" in errors_after_saving(
        staff_client, repository, form_with_switch("oai.W004", "information")
    )
    save(staff_client, repository, form_with_switch("oai.W004", "record_error"))


def test_a_rule_cannot_be_switched_twice(staff_client, repository):
    second = {"switches-1-code": "dcndl.E003", "switches-1-outcome": "off", "switches-1-reason": "x"}
    values = {**form_with_switch("dcndl.E003", "warning", **second), "switches-TOTAL_FORMS": "2"}
    assert errors_after_saving(staff_client, repository, values)


def test_librarians_see_profile_and_switches_but_cannot_change_them(client, repository):
    librarian = person("hanako", LIBRARIANS)
    repository.managers.add(librarian)
    RuleSwitch.objects.create(
        repository=repository, code="dcndl.E003", outcome="off", reason="電話で合意", decided_by="taro"
    )
    client.force_login(librarian)
    page = client.get(page_of(repository)).content.decode()
    for text in ("dcndl.E003", "電話で合意", "taro", "再処理"):
        assert text in page
    client.post(page_of(repository), {**form_with_switch("oai_dc.E003", "off"), "profile": "lax"})
    repository.refresh_from_db()
    assert repository.profile == "ndl"
    assert RuleSwitch.objects.get().code == "dcndl.E003"


def test_the_page_says_when_a_change_takes_effect(admin_client, repository):
    assert "manage.py reread R" in admin_client.get(page_of(repository), headers={"accept-language": "en"}).text


@pytest.mark.parametrize(
    ("prefix", "chosen", "profile"),
    [("jpcoar_2.0", "", "irdb"), ("junii2", "", "irdb"), ("dcndl", "", "ndl"), ("jpcoar_2.0", "lax", "lax")],
)
def test_a_new_repository_gets_the_usual_profile_of_its_format(admin_client, prefix, chosen, profile):
    values = form(profile=chosen, **{"feeds-0-metadata_prefix": prefix})
    response = admin_client.post(reverse("admin:harvesting_repository_add"), values)
    assert response.status_code == 302, response.context["errors"]
    assert Repository.objects.get().profile == profile


def test_staff_change_the_profile(staff_client, repository):
    save(staff_client, repository, form(**NO_FEEDS, profile="lax"))
    repository.refresh_from_db()
    assert repository.profile == "lax"


def test_the_queries_of_the_page_do_not_grow_with_switches(admin_client, repository, django_assert_max_num_queries):
    for code in list(RULES)[:30]:
        RuleSwitch.objects.create(repository=repository, code=code, outcome="record_error", reason="x", decided_by="t")
    with django_assert_max_num_queries(15):
        admin_client.get(page_of(repository))
