"""Harvests that are not whole: what pages say of them, and what they do not compare."""

import pytest
from django.urls import reverse

from harvesting.models import Feed
from harvesting.runs import lifecycle
from tests.aggregator.views.records_with_issues import person
from tests.harvesting.batches import begin_run, harvest_records, make_records, new_feed

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client) -> None:
    client.force_login(person("taro", staff=True))


@pytest.fixture
def feed() -> Feed:
    return new_feed()


def page_text(client, name: str, *arguments: object) -> str:
    return client.get(reverse(name, args=arguments), headers={"Accept-Language": "en"}).text


def test_after_a_failed_harvest_nothing_says_that_everything_was_received(client, staff, feed):
    harvest_records(feed, make_records(1))
    failed = begin_run(feed)
    lifecycle.fail(failed, "http.500", {"permanent": 0})
    text = page_text(client, "harvests_of", feed.repository.number)
    assert "everything requested has been received" not in text
    assert "None among the periods that were harvested." in text


def test_only_a_whole_harvest_is_compared_with_the_one_before(client, staff, feed):
    harvest_records(feed, make_records(3))
    run = begin_run(feed)
    assert "Difference" not in page_text(client, "harvest", run.pk)
    lifecycle.fail(run, "http.500", {"permanent": 0})
    assert "Difference" not in page_text(client, "harvest", run.pk)
    assert "Difference" in page_text(client, "harvest", harvest_records(feed, make_records(3)).pk)
