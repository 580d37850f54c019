"""The first page of librarians and staff: what waits, and every provider with its colour, worst first."""

import pytest
from django.urls import reverse

from harvesting.audit import trail
from harvesting.models import HealthStatus, Repository
from harvesting.monitoring import verdicts
from harvesting.runs import lifecycle
from tests.harvesting.batches import begin, carry, new_feed, shelf
from tests.harvesting.views.test_harvests import librarian, staff  # noqa: F401

pytestmark = pytest.mark.django_db
ENGLISH = {"accept-language": "en"}


def look(client, **query: str):
    return client.get(reverse("manage"), query, headers=ENGLISH)


def colours(answer) -> list[str]:
    return [row["standing"].colour for row in answer.context["rows"]]


@pytest.fixture
def providers():
    """One of each colour."""
    well, asks, broken, new = (new_feed() for _number in range(4))
    carry(well, shelf(2))
    carry(asks, shelf(40))
    carry(asks, shelf(10))
    lifecycle.fail(begin(broken), "http.404", {"permanent": 1, "url": "https://a.example.jp/"})
    verdicts.renew_some()
    return {"green": well, "amber": asks, "red": broken, "grey": new}


def test_the_worst_stand_first_with_their_reasons(client, staff, providers):  # noqa: F811
    answer = look(client)
    assert colours(answer) == ["red", "amber", "green", "grey"]
    page = answer.content.decode()
    assert "does not mend by itself" in page
    assert "Harvests that wait for a decision: 1." in page
    assert [count for *_name, count in answer.context["colours"]] == [1, 1, 1, 1]


def test_the_list_is_narrowed_by_state_name_and_number(client, staff, providers):  # noqa: F811
    assert colours(look(client, colour="amber")) == ["amber"]
    assert colours(look(client, q=providers["red"].repository.number)) == ["red"]
    assert colours(look(client, q="no such name")) == []
    assert len(colours(look(client, colour="<b>", page="x"))) == 4


def test_what_waits_leads_to_its_page(client, staff, providers):  # noqa: F811
    run = providers["amber"].harvests.first()
    assert reverse("harvest", args=[run.pk]) in look(client).content.decode()
    lifecycle.cancel(run)
    assert "Nothing waits for you." in look(client).content.decode()


def test_a_librarian_sees_her_own_only(client, librarian, providers):  # noqa: F811
    client.force_login(librarian)
    assert "No provider is yours yet." in look(client).content.decode()
    providers["green"].repository.managers.add(librarian)
    answer = look(client)
    assert colours(answer) == ["green"]
    assert "Nothing waits for you." in answer.content.decode()
    assert [count for *_name, count in answer.context["colours"]] == [0, 0, 1, 0]


def test_what_has_changed_since_is_shown_as_it_is_now(client, staff, providers):  # noqa: F811
    lifecycle.fail(begin(providers["green"]), "http.404", {"permanent": 1})
    assert HealthStatus.objects.get(repository=providers["green"].repository).colour == "green"
    assert sorted(colours(look(client))) == ["amber", "grey", "red", "red"]


def test_what_a_person_does_to_a_provider_shows_at_once(client, staff, providers):  # noqa: F811
    repository = providers["green"].repository
    Repository.objects.filter(pk=repository.pk).update(state="paused")
    trail.note(staff, "admin.changed", repository)
    assert sorted(colours(look(client))) == ["amber", "grey", "grey", "red"]


def test_a_provider_that_nobody_has_judged_yet_is_shown(client, staff):  # noqa: F811
    new_feed()
    answer = look(client)
    assert colours(answer) == ["grey"]
    assert answer.context["colours"][3][3] == 1


def test_unapproved_providers_wait(client, staff, providers):  # noqa: F811
    Repository.objects.filter(pk=providers["grey"].repository_id).update(approved=False)
    assert "1 provider waits for approval" in look(client).content.decode()


def test_the_queries_do_not_grow_with_the_providers(client, staff, django_assert_max_num_queries):  # noqa: F811
    for _number in range(60):
        new_feed()
    verdicts.renew_some()
    with django_assert_max_num_queries(22):
        answer = look(client)
    assert len(answer.context["rows"]) == 50
    assert len(look(client, page="2").context["rows"]) == 10
