"""The first page for librarians and staff: waiting tasks, and every provider with its colour, the worst first."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from harvesting.audit import trail
from harvesting.models import HealthStatus, Repository, SiteDay
from harvesting.monitoring import site_days, verdicts
from harvesting.runs import lifecycle
from tests.harvesting.batches import begin_run, harvest_records, make_records, new_feed
from tests.harvesting.views.test_harvests import librarian, staff  # noqa: F401
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
ENGLISH = {"accept-language": "en"}


def open_page(client, **query: str):
    return client.get(reverse("manage"), query, headers=ENGLISH)


def colours(response) -> list[str]:
    return re.findall(r'<div class="who"><p><span class="light (\w+)"', response.content.decode())


def counts(response) -> list[int]:
    chips = re.findall(r'<a class="chip" href="\?colour=.*?</span> (\d+)</a>', response.content.decode())
    return [int(number) for number in chips]


@pytest.fixture
@stored_once
def providers():
    """The feeds of four providers, by the colour of the provider."""
    well, waiting, broken, new = (new_feed() for _number in range(4))
    harvest_records(well, make_records(2))
    harvest_records(waiting, make_records(40))
    harvest_records(waiting, make_records(10))
    lifecycle.fail(begin_run(broken), "http.404", {"permanent": 1, "url": "https://a.example.jp/"})
    verdicts.renew_some()
    return {"green": well, "amber": waiting, "red": broken, "grey": new}


def test_the_worst_providers_come_first_with_reasons(client, staff, providers):  # noqa: F811
    response = open_page(client)
    assert colours(response) == ["red", "amber", "green", "grey"]
    page = response.content.decode()
    assert "trying again will not help" in page
    assert "Harvests awaiting a decision: 1." in page
    assert counts(response) == [1, 1, 1, 1]
    assert '<span class="unseen">waiting: </span>1</span>' in page  # in the menu, beside the harvests
    assert "Records of all providers, by day" not in page  # nothing has been counted yet
    site_days.store(timezone.localdate())
    SiteDay.objects.update(records=12)
    assert "Records of all providers, by day" in open_page(client).text


def test_a_librarian_sees_the_numbers_of_own_providers_only(client, librarian, providers):  # noqa: F811
    client.force_login(librarian)
    assert "waiting: " not in open_page(client).text
    providers["amber"].repository.managers.add(librarian)
    page = open_page(client).text
    assert '<span class="unseen">waiting: </span>1</span>' in page
    assert "Records that wait to be matched" not in page


def test_the_list_can_be_filtered_by_colour_and_number(client, staff, providers):  # noqa: F811
    assert colours(open_page(client, colour="amber")) == ["amber"]
    assert colours(open_page(client, q=providers["red"].repository.number)) == ["red"]
    assert colours(open_page(client, q="no such name")) == []
    assert len(colours(open_page(client, colour="<b>", page="x"))) == 4


def test_a_waiting_harvest_is_linked(client, staff, providers):  # noqa: F811
    run = providers["amber"].harvests.first()
    assert reverse("harvest", args=[run.pk]) in open_page(client).content.decode()
    lifecycle.cancel(run)
    assert "Nothing needs your attention." in open_page(client).content.decode()


def test_a_librarian_sees_only_own_providers(client, librarian, providers):  # noqa: F811
    client.force_login(librarian)
    assert "You do not look after any provider yet." in open_page(client).content.decode()
    providers["green"].repository.managers.add(librarian)
    response = open_page(client)
    assert colours(response) == ["green"]
    assert "Nothing needs your attention." in response.content.decode()
    assert counts(response) == [0, 0, 1, 0]


def test_a_provider_that_has_changed_is_shown_with_a_new_verdict(client, staff, providers):  # noqa: F811
    lifecycle.fail(begin_run(providers["green"]), "http.404", {"permanent": 1})
    assert HealthStatus.objects.get(repository=providers["green"].repository).colour == "green"
    assert sorted(colours(open_page(client))) == ["amber", "grey", "red", "red"]


def test_an_action_on_a_provider_shows_at_once(client, staff, providers):  # noqa: F811
    repository = providers["green"].repository
    Repository.objects.filter(pk=repository.pk).update(state="paused")
    trail.note(staff, "admin.changed", repository)
    assert sorted(colours(open_page(client))) == ["amber", "grey", "grey", "red"]


def test_a_provider_without_a_verdict_is_shown_as_grey(client, staff):  # noqa: F811
    new_feed()
    response = open_page(client)
    assert colours(response) == ["grey"]
    assert counts(response)[3] == 1


def test_unapproved_providers_are_a_waiting_task(client, staff, providers):  # noqa: F811
    Repository.objects.filter(pk=providers["grey"].repository_id).update(approved=False, state="asked", published=False)
    assert "1 provider waits for approval" in open_page(client).content.decode()


def test_the_queries_do_not_grow_with_the_providers(client, staff, django_assert_max_num_queries):  # noqa: F811
    for _number in range(60):
        new_feed()
    verdicts.renew_some()
    with django_assert_max_num_queries(52):
        response = open_page(client)
    assert len(colours(response)) == 50
    assert len(colours(open_page(client, page="2"))) == 10
