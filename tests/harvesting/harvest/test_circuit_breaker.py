"""Suspended feeds: probed now and then with one small request, and active again after an answer."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from harvesting.harvest import circuit_breaker
from harvesting.models import Feed, Repository
from harvesting.types import TransportError

pytestmark = pytest.mark.django_db


def suspended(feed: Feed, **columns: object) -> Feed:
    past = timezone.now() - timedelta(minutes=1)
    Repository.objects.update(state="live")
    Feed.objects.update(**{"failures": 5, "rest_until": past, **columns})
    feed.refresh_from_db()
    return feed


def test_an_answer_of_the_provider_ends_the_suspension(source, feed_of):
    feed = suspended(feed_of(source))
    assert circuit_breaker.probe(feed)
    feed.refresh_from_db()
    assert feed.rest_until is None


def test_a_feed_of_an_unavailable_provider_is_suspended_for_longer(source, feed_of):
    feed = suspended(feed_of(source), base_url="http://127.0.0.1:9/oai")
    assert not circuit_breaker.probe(feed)
    feed.refresh_from_db()
    assert feed.failures == 6
    assert feed.rest_until > timezone.now() + timedelta(minutes=110)


@pytest.mark.parametrize(
    ("code", "away"),
    [("net.connect", True), ("http.500", True), ("http.503", True), ("oai.badVerb", False), ("http.403", False)],
)
def test_any_answer_in_the_protocol_means_that_the_provider_is_available(code, away):
    assert circuit_breaker.is_unavailable(TransportError("", code, permanent=False)) is away


def test_the_message_about_a_suspension_says_when_it_ends(source, feed_of):
    with translation.override("en"):
        assert "failed" in circuit_breaker.rest_message(suspended(feed_of(source)))
        assert circuit_breaker.rest_message(Feed()) == ""
