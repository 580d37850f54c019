"""The health check and the error pages."""

import re

import pytest
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisConnectionError

from aggregator.models import MatchAlarm
from aggregator.review.patterns import waiting


class Queue:
    """A queue server that answers."""

    def ping(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def queue(monkeypatch):
    monkeypatch.setattr("aggregator.observability.readiness.django_rq.get_connection", lambda _name: Queue())


def test_health_is_ok_when_database_and_index_can_be_read(client, shelf):
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert {
        "status": "ok",
        "database": "ok",
        "queue": "ok",
        "index": "ok",
        "disk": "ok",
    }.items() <= answer.json().items()


def test_health_reports_what_matching_leaves_to_people(client, shelf):
    assert client.get("/healthz").json()["pairs_to_review"] == sum(waiting().values())
    MatchAlarm.objects.create(kind=MatchAlarm.Kind.CROWDED_KEY, number=1, records=201, since=timezone.now())
    assert client.get("/healthz").json()["matching_alarms"] == MatchAlarm.objects.count() > 0


def test_health_names_what_failed(client, shelf, monkeypatch):
    def broken():
        raise OSError("no such folder")

    monkeypatch.setattr("aggregator.observability.readiness.get_index", broken)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["index"], answer.json()["database"]) == (503, "failed", "ok")


def test_health_gives_reasons_without_internal_details(client, shelf, monkeypatch, caplog):
    def away(_queue):
        raise RedisConnectionError("10.1.2.3:6379 refused")

    monkeypatch.setattr(Queue, "ping", away)
    answer = client.get("/healthz", headers={"Accept-Language": "en"})
    assert (answer.status_code, answer.json()["queue"]) == (503, "failed")
    assert answer.json()["reasons"] == {"queue": "The queue server does not answer; no harvests can start."}
    assert "10.1.2.3" not in answer.text
    assert [entry.exc_info for entry in caplog.records if "10.1.2.3" in entry.getMessage()] == [None]  # no traceback


def test_a_full_disk_is_a_failure(client, shelf, monkeypatch):
    monkeypatch.setattr("aggregator.observability.readiness.LEAST_FREE", 2**62)
    assert client.get("/healthz").json()["disk"] == "failed"


def test_live_checks_only_the_process(client, monkeypatch):
    monkeypatch.setattr("aggregator.views.site.health.failures", None)
    assert client.get("/healthz?live").json() == {"status": "ok"}


@pytest.mark.parametrize("name", ["/nope", "/books/", "/repositories/R1"])
def test_the_404_page_offers_a_search(client, shelf, name):
    answer = client.get(name)
    assert answer.status_code == 404
    assert 'role="search"' in answer.text


def test_the_500_page_works_without_the_database(client, shelf, monkeypatch):
    def broken():
        raise RuntimeError

    monkeypatch.setattr("aggregator.views.public.search.providers.listed", broken)
    client.raise_request_exception = False
    answer = client.get("/")
    assert answer.status_code == 500
    assert "No data was lost" in answer.text


def test_pages_have_a_strict_content_security_policy_and_obey_it(client, shelf):
    answer = client.get("/")
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert not re.search(r"<script(?![^>]*\ssrc=)", answer.text)
    assert " style=" not in answer.text


def test_the_403_page_shows_the_name_of_the_user(client, shelf, django_user_model):
    client.force_login(django_user_model.objects.create_user("hanako", is_staff=True))
    answer = client.get("/admin/harvesting/repository/", headers={"Accept-Language": "en"})
    assert answer.status_code == 403
    assert "You are logged in as hanako" in answer.text


def test_a_form_without_its_token_gets_an_explanation(shelf, settings):
    settings.DEBUG = False
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {}, headers={"Accept-Language": "en"})
    assert answer.status_code == 403
    assert "Nothing was changed" in answer.text


def test_an_unknown_host_gets_the_400_page(client, shelf):
    answer = client.get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "This request cannot be answered" in answer.text
