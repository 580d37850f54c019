"""Registration and issues in the admin: who sees which rows, and what the forms refuse."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.urls import reverse

from harvesting.accounts.roles import LIBRARIANS, ensure_roles
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Harvest, Repository, SourceRecord
from harvesting.registry.registration import register
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db
CHANGELISTS = ["repository", "feed", "harvest", "sourcerecord", "recordissue"]


@pytest.fixture
def librarian():
    ensure_roles()
    user = get_user_model().objects.create_user("hanako", password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=LIBRARIANS))
    return user


def form(**values: str) -> dict[str, str]:
    """The data of the form for a new repository with one feed."""
    fields = {
        "number": "",
        "name": "見本図書館",
        "kind": "library",
        "state": "trial",
        "link_encoding": "utf-8",
        "trust": "0",
        "switches-TOTAL_FORMS": "0",
        "switches-INITIAL_FORMS": "0",
        "doi_agreement-TOTAL_FORMS": "0",
        "doi_agreement-INITIAL_FORMS": "0",
        "feeds-TOTAL_FORMS": "1",
        "feeds-INITIAL_FORMS": "0",
        "feeds-0-protocol": "oai-pmh",
        "feeds-0-base_url": "https://a.example.jp/oai",
        "feeds-0-metadata_prefix": "dcndl",
        "feeds-0-schedule": "daily",
    }
    return {**fields, **values}


def test_a_repository_is_registered_with_an_allocated_number(admin_client):
    response = admin_client.post(reverse("admin:harvesting_repository_add"), form())
    assert response.status_code == 302, response.context["errors"]
    repository = Repository.objects.get()
    assert (repository.number, repository.feeds.get().metadata_prefix) == ("R900000001", "dcndl")


def test_a_number_used_before_is_a_form_error(admin_client):
    register(Repository(name="先", number="R000000123"), []).delete()
    response = admin_client.post(reverse("admin:harvesting_repository_add"), form(number="R000000123"))
    assert "R000000123" in str(response.context["errors"])
    assert not Repository.objects.exists()


def test_a_form_with_errors_does_not_claim_its_number(admin_client):
    url = reverse("admin:harvesting_repository_add")
    admin_client.post(url, form(number="R000000123", **{"feeds-0-base_url": "javascript:alert(1)"}))
    assert admin_client.post(url, form(number="R000000123")).status_code == 302


def test_a_link_template_with_a_placeholder_in_the_host_is_refused(admin_client):
    response = admin_client.post(
        reverse("admin:harvesting_repository_add"), form(link_template="https://{title}.example/")
    )
    assert response.context["adminform"].form.errors["link_template"]


@pytest.mark.parametrize("model", CHANGELISTS)
def test_a_librarian_sees_only_rows_of_own_repositories(client, librarian, source, feed_of, model):
    source.update([sample("b3", title="")])
    harvest(create_harvest(feed_of(source)))
    client.force_login(librarian)
    url = reverse(f"admin:harvesting_{model}_changelist")
    assert client.get(url).context["cl"].result_count == 0
    Repository.objects.get().managers.add(librarian)
    assert client.get(url).context["cl"].result_count > 0


def test_a_librarian_cannot_change_managers_or_state(client, librarian):
    repository = register(Repository(name="館"), [])
    repository.managers.add(librarian)
    client.force_login(librarian)
    url = reverse("admin:harvesting_repository_change", args=[repository.pk])
    client.post(url, form(state="paused", managers="", name="新しい名"))
    repository.refresh_from_db()
    assert (repository.name, repository.state, repository.managers.count()) == ("新しい名", "live", 1)


def test_harvest_now_queues_one_run_and_warns_if_one_is_queued_already(admin_client, source, feed_of):
    feed = feed_of(source)
    action = {"action": "harvest_now", "_selected_action": [feed.repository_id]}
    url = reverse("admin:harvesting_repository_changelist")
    admin_client.post(url, action)
    assert Harvest.objects.get().state == "queued"
    response = admin_client.post(url, action, follow=True)
    assert Harvest.objects.count() == 1
    assert any(message.level_tag == "warning" for message in response.context["messages"])


def test_the_page_of_a_refused_record_shows_its_payload_and_the_issue(admin_client, source, feed_of):
    source.update([sample("b3", title="")])
    harvest(create_harvest(feed_of(source)))
    refused = SourceRecord.objects.get(refused=True)
    page = admin_client.get(reverse("admin:harvesting_sourcerecord_change", args=[refused.pk])).content.decode()
    assert "BibResource" in page
    assert "dcndl.E003" in page


def test_harvested_rows_cannot_be_deleted(admin_client, source, feed_of):
    harvest(create_harvest(feed_of(source)))
    record = SourceRecord.objects.first()
    for model, key in [("sourcerecord", record.pk), ("repository", record.repository_id)]:
        url = reverse(f"admin:harvesting_{model}_delete", args=[key])
        assert admin_client.post(url).status_code == 403
