"""The services that receive a record, on its page and in the letter about a harvest."""

import pytest
from django.utils import translation

from harvesting.doi.receivers import receivers
from harvesting.doi.states import check_changed
from harvesting.models import Harvest, NotificationEvent, SourceRecord
from harvesting.monitoring.events import facts_of
from harvesting.notifications.wording import sentence
from tests.harvesting.doi.papers import WITHOUT_VOLUME, harvest, new_provider, paper
from tests.metadata.deposits.test_jalc import PAPER

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def test_a_record_names_the_services_that_receive_it():
    feed = new_provider("ndl")
    harvest(feed, paper("a"), paper("b", **WITHOUT_VOLUME))
    check_changed()
    first, second = SourceRecord.objects.order_by("identifier")
    found = receivers(first, PAPER, ())
    assert [(one.service, one.state, one.doi) for one in found] == [
        ("JaLC", "ready", "10.14977/a"),
        ("CiNii Research and other services", "offered for harvesting (/oai)", ""),
    ]
    [blocked, _others] = receivers(second, PAPER, ())
    assert (blocked.state, blocked.details) == ("cannot be registered", "doi.E006")
    feed.repository.give_on = False
    first.repository = feed.repository
    assert receivers(first, PAPER, ())[-1].state.startswith("not offered")


def test_the_letter_about_a_harvest_counts_the_dois():
    feed = new_provider("ndl")
    harvest(feed, paper("a"), paper("b", **WITHOUT_VOLUME))
    check_changed()
    facts = facts_of(Harvest.objects.get())
    assert facts["dois"] == {"ready": 1, "blocked": 1}
    event = NotificationEvent(kind="harvest.ended", repository=feed.repository, facts={**facts, "state": "succeeded"})
    assert "DOIs: cannot be registered 1 · ready 1" in sentence(event)
