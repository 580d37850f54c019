"""The page about privacy says what this installation does, with the times that the code applies."""

from datetime import timedelta

import pytest
from django.utils.translation import override

from aggregator.alerts import requests
from aggregator.middleware import reader_cookie
from aggregator.views.site.privacy import period

pytestmark = pytest.mark.django_db


def page(client, language: str = "en") -> str:
    return client.get(f"/{language}/privacy").text


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(days=1), "1 day"),
        (timedelta(days=365), "365 days"),
        (timedelta(hours=36), "36 hours"),
        (timedelta(seconds=60), "1 minute"),
        (timedelta(minutes=90), "90 minutes"),
    ],
)
def test_a_time_is_said_in_its_largest_unit(span, words):
    with override("en"):
        assert period(span) == words


def test_times_come_from_the_code_that_applies_them(client, settings, monkeypatch):
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "host": "mail.example.jp"}
    settings.SESSION_COOKIE_AGE = 7 * 60 * 60
    monkeypatch.setattr(reader_cookie, "AGE", 5 * 60)
    monkeypatch.setattr(requests, "KEPT_UNCONFIRMED", timedelta(days=11))
    text = page(client)
    assert all(time in text for time in ("7 hours", "5 minutes", "11 days"))


def test_what_is_not_offered_is_left_out(client, settings):
    settings.ALERTS = False
    assert "Alerts: your address" not in page(client)


def test_the_log_is_described_as_it_is_configured(client, settings):
    assert "Requests are not noted" in page(client)
    settings.ACCESS_LOG = True
    assert "Each request is noted" in page(client)


def test_every_cookie_is_listed(client, settings):
    text = page(client)
    for name in (settings.LANGUAGE_COOKIE_NAME, settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "reader"):
        assert f">{name}</dt>" in text


def test_every_page_leads_there_and_it_leads_to_the_operator(client, settings):
    settings.SITE_OPERATOR = "Sample Library"
    assert 'href="/privacy"' in client.get("/about").text
    text = page(client)
    assert "Sample Library" in text
    assert 'href="/contact"' in text
    assert "プライバシー" in page(client, "ja")
