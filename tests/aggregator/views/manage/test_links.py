"""The pages about checked links, the task on the overview, and the message."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from aggregator.links import report
from aggregator.links.findings import Findings
from aggregator.links.rotation import Candidate
from aggregator.links.verdicts import Answer
from aggregator.models import CheckedLink, Library, LinkHost, LinkPattern
from harvesting.models import NotificationEvent, Repository
from harvesting.notifications.wording import sentence
from tests.aggregator.links.rows import checked_links
from tests.aggregator.views.records_with_issues import person, provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def checked(db: None) -> Repository:
    repository: Repository = provider().repository
    checked_links(repository)
    return repository


@pytest.fixture
def librarian(checked: Repository) -> Client:
    return _client("hanako", checked)


@pytest.fixture
def stranger(checked: Repository) -> Client:
    """Looks after another provider."""
    return _client("taro", Repository.objects.create(number="R900000002", name="別の提供元"))


def _client(name: str, repository: Repository) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(person(name, repository))
    return client


def test_the_page_lists_links_hosts_and_kinds(checked: Repository, librarian: Client) -> None:
    page = librarian.get("/manage/links/").text
    assert all(f"/r/{state}" in page for state in CheckedLink.State.values)
    assert "down.example.jp" in page
    assert "opac.example.jp/r/*" in page


def test_the_list_is_restricted_by_state(checked: Repository, librarian: Client) -> None:
    page = librarian.get(f"/manage/links/?repository={checked.number}&state=dead").text
    assert "/r/dead" in page
    assert "/r/alive" not in page


def test_staff_see_the_links_of_all_providers(checked: Repository, stranger: Client) -> None:
    client = Client(headers={"accept-language": "en"})
    client.force_login(person("staff", staff=True))
    response = client.get("/manage/links/")
    checked_now = CheckedLink.objects.exclude(checked_at=None).count()
    assert f'all <span class="number">{checked_now}</span>' in response.text
    assert all(f"/r/{state}" in response.text for state in CheckedLink.State.values)
    assert "down.example.jp" in response.text and "opac.example.jp/r/*" in response.text
    assert "No link has been checked so far." in stranger.get("/manage/links/").text


def test_the_list_has_pages(checked: Repository, librarian: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PAGE", 2)
    shown = []
    for number in (1, 2, 3):
        page = librarian.get("/manage/links/", {"page": number}).context["page"]
        shown += [row.pk for row in page.object_list]
    checked_now = CheckedLink.objects.exclude(checked_at=None)
    assert sorted(shown) == sorted(checked_now.values_list("pk", flat=True))
    dead = librarian.get("/manage/links/?state=dead").context["page"]
    assert (dead.paginator.count, {row.state for row in dead.object_list}) == (1, {"dead"})


def test_the_file_has_the_same_rows(checked: Repository, librarian: Client) -> None:
    response = librarian.get("/manage/links/links.csv?state=dead")
    lines = b"".join(response.streaming_content).decode("utf-8-sig").splitlines()
    assert len(lines) == 2
    assert '"https://opac.example.jp/r/dead"' in lines[1]


def test_links_of_other_providers_are_not_shown(checked: Repository, stranger: Client) -> None:
    assert "/r/dead" not in stranger.get("/manage/links/").text
    assert stranger.get(f"/manage/links/?repository={checked.number}").status_code == 404
    assert stranger.get(f"/manage/links/links.csv?repository={checked.number}").status_code == 404


def test_the_overview_has_one_task(checked: Repository, librarian: Client) -> None:
    page = librarian.get("/manage/").text
    assert page.count("/manage/links/?state=dead") == 1


def test_newly_dead_links_are_told_once_a_week(checked: Repository) -> None:
    now, host = timezone.now(), LinkHost.objects.get(name="opac.example.jp")
    library = Library.objects.get(name="町立図書館").pk
    for number in range(3):
        candidate = Candidate(f"https://opac.example.jp/r/{number}", "detail", checked.pk, library, 1)
        CheckedLink.objects.create(
            key=100 + number, url="x", pattern=LinkPattern.objects.get(), repository=checked, library_id=library, book=1
        )
        findings = Findings()
        for day in range(3):
            findings.store(candidate, host, Answer("http.404"), now + timedelta(days=day))
        findings.settle(now)
    event = NotificationEvent.objects.get(kind="links.dead")
    assert event.repository == checked
    assert f"/manage/links/?repository={checked.number}&state=dead" in sentence(event)


def test_of_many_providers_the_number_is_typed(
    checked: Repository, librarian: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert '<select id="repository"' in librarian.get("/manage/links/").text
    monkeypatch.setattr("harvesting.accounts.access.MOST_LISTED", 0)
    page = librarian.get(f"/manage/links/?repository={checked.number}").text
    assert f'<input id="repository" name="repository" value="{checked.number}"' in page
    assert "/r/dead" in page
