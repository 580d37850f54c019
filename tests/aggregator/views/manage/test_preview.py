"""A provider in preview: its librarians see its records, readers do not until staff publish it."""

import pytest
from django.test import Client

from aggregator.tasks import aggregate
from harvesting.joining import application as joining
from harvesting.models import Application, Repository
from tests.aggregator.views.records_with_issues import harvested, live, person, provider, record_of

pytestmark = pytest.mark.django_db


def client_of(user) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


def test_a_preview_is_approved_checked_and_published(client):
    feed = provider()
    repository = feed.repository
    Repository.objects.update(approved=False, state="asked", published=False)
    hanako, staff = person("hanako", repository), client_of(person("taro", staff=True))
    librarian, page = client_of(hanako), f"/manage/providers/{repository.number}/"
    joining.apply(repository, joining.JOIN, hanako)
    assert "Approve for preview" in staff.get(page).text
    staff.post(f"{page}answer/{Application.objects.get().pk}", {"grant": "trial"})
    repository.refresh_from_db()
    assert (repository.state, repository.approved, repository.published) == ("trial", True, False)

    harvested(feed, live("a"))
    aggregate()
    record = record_of("a")
    addresses = (f"/books/{record.public_id}", f"/api/records/{record.public_id}?source=1",
                 f"/repositories/{repository.number}", f"/repositories/{repository.number}/links")  # fmt: skip
    assert [client.get(address).status_code for address in addresses] == [404] * 4
    assert "only its librarians and staff" in librarian.get(page).text.lower()
    assert librarian.get(f"/manage/records/{record.public_id}/").status_code == 200
    assert repository.number not in client.get("/repositories/").text

    assert librarian.post(page, {"part": "state-live"}).status_code == 404  # staff publish
    staff.post(page, {"part": "state-live"})
    aggregate()
    assert [client.get(address).status_code for address in addresses[:3]] == [200] * 3


def test_a_paused_provider_stays_in_the_list_as_such(client):
    provider()
    Repository.objects.update(state="paused", state_reason="システム更新")
    page = client.get("/repositories/", headers={"accept-language": "en"}).text
    assert "paused" in page and "システム更新" in page
    assert client.get("/api/repositories").json()["repositories"][0]["state"] == "paused"
