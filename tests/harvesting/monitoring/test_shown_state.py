"""The states of runs in words."""

import pytest
from django.utils import timezone, translation

from harvesting.models import Feed, Harvest, Repository
from harvesting.monitoring.wording import shown_state
from harvesting.registry.registration import register

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        ({"phase": "sweep", "code": "safety.zero"}, "waiting for a decision"),
        ({"phase": "sweep", "code": "run.paused"}, "paused"),
        ({"phase": "list", "code": "http.503", "resume_at": timezone.now()}, "paused"),
    ],
)
@translation.override("en")
def test_a_run_that_waits_for_a_person_is_not_called_paused(columns, label):
    feed = Feed(base_url="https://a.example.jp/oai")
    register(Repository(name="館", state="live"), [feed])
    assert shown_state(Harvest.objects.create(feed=feed, kind="full", state="paused", **columns)) == label
