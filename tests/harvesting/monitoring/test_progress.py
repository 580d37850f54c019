"""What a run is doing now, as people who watch it are told."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from harvesting.harvest.watchdog import Watchdog
from harvesting.models import Harvest
from harvesting.monitoring.progress import doing
from harvesting.transports.retries import RetryPolicy
from harvesting.types import TransportError
from tests.harvesting.batches import begin_run, new_feed

pytestmark = pytest.mark.django_db


def fail_with_500(run: Harvest, seconds: float, monkeypatch: pytest.MonkeyPatch) -> Harvest:
    """Let a request of a run fail once; return the run as stored."""
    url = "https://a.example.jp/oai\0"
    error = TransportError("500", "http.500", permanent=False, url=url, status=500)
    monkeypatch.setattr("harvesting.transports.retries.uniform", lambda _low, _high: seconds)
    RetryPolicy(announce=Watchdog(run).announce, max_attempts=3).wait(error, 1)
    return Harvest.objects.get(pk=run.pk)


def test_a_failed_request_is_followed_by_a_countdown(monkeypatch):
    run = fail_with_500(begin_run(new_feed()), 8.4, monkeypatch)
    now = timezone.now()
    with translation.override("en"):
        assert "500" in doing(run, now)
        assert doing(run, now).endswith("Attempt 2 of 3 follows in 8 seconds.")
        assert "Attempt" not in doing(run, now + timedelta(seconds=9))
    with translation.override("ja"):
        assert "3回中2回目の要求まで、あと8秒" in doing(run, now)


def test_a_wait_that_nobody_would_notice_is_not_stored(monkeypatch):
    run = fail_with_500(begin_run(new_feed()), 0.2, monkeypatch)
    assert run.coming_retry == {}
