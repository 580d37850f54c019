"""Deprecations: announced in the headers of exactly the responses that they concern, and on the page of terms."""

from datetime import date

import pytest

from aggregator.provision import deprecations
from aggregator.provision.deprecations import DEPRECATIONS, NOTICE_MONTHS, Deprecation, headers_for

ROW = Deprecation(
    name="/api/search?old=",
    path="/api/search",
    parameter="old",
    since=date(2026, 1, 1),
    sunset=date(2027, 1, 1),
    successor="/api/search?q=",
    about="Use q instead.",
)


@pytest.fixture
def announced(monkeypatch):
    monkeypatch.setattr(deprecations, "DEPRECATIONS", (ROW,))


def test_the_headers_have_the_forms_of_the_standards(announced):
    headers = headers_for("/api/search", "old=", "https://x.example/terms")
    assert headers["Deprecation"] == "@1767225600"
    assert headers["Sunset"] == "Fri, 01 Jan 2027 00:00:00 GMT"
    assert '<https://x.example/terms>; rel="deprecation"' in headers["Link"]
    assert headers["Link"].endswith('</api/search?q=>; rel="successor-version"')


@pytest.mark.parametrize(
    ("path", "query_string"), [("/api/search", "q=old"), ("/api/searches", "old=1"), ("/search", "old=1")]
)
def test_other_requests_get_no_headers(announced, path, query_string):
    assert headers_for(path, query_string, "/terms") == {}


def test_every_deprecation_gives_enough_notice():
    assert not [row for row in DEPRECATIONS if (row.sunset - row.since).days < NOTICE_MONTHS * 30]


def test_a_deprecation_is_announced_in_responses_and_on_the_page(client, shelf, monkeypatch):
    assert "Deprecation" not in client.get("/api/search?old=1")
    monkeypatch.setattr(deprecations, "DEPRECATIONS", (ROW,))
    answer = client.get("/api/search?old=1")
    assert (answer["Deprecation"], answer["Sunset"]) == ("@1767225600", "Fri, 01 Jan 2027 00:00:00 GMT")
    assert "Use q instead." in client.get("/terms").text
