"""In a flood, searches are refused before Django sees them; at any other time nothing changes."""

import itertools
from http.cookies import SimpleCookie

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory

from aggregator import early_refusals
from aggregator.early_refusals import FLOOD, KEPT, EarlyRefusals
from aggregator.middleware import rate_limit
from aggregator.middleware.reader_cookie import COOKIE, is_reader
from aggregator.middleware.refusals import busy
from core.http.concurrency import ConcurrencyLimit

PERSONAL = {"X-Request-ID", "Set-Cookie"}


class Site:
    """The site behind early refusals.

    passed: how many requests came to Django. limits: those of the site, which are full until a test leaves them.
    """

    def __init__(self, monkeypatch) -> None:
        self.passed = 0
        self.limits: list[ConcurrencyLimit] = []
        self.now = itertools.repeat(100.0)
        monkeypatch.setattr(early_refusals.time, "monotonic", lambda: next(self.now))
        made = self.limits

        class Full(ConcurrencyLimit):
            def __init__(self, *_arguments: object) -> None:
                super().__init__(0)
                made.append(self)

        monkeypatch.setattr(rate_limit, "ConcurrencyLimit", Full)
        self._handler = WSGIHandler()
        self._door = EarlyRefusals(self._pass)

    def _pass(self, environ, start_response):
        self.passed += 1
        return self._handler(environ, start_response)

    def get(self, path="/search?q=x", method="GET", **headers):
        """Return status, headers and body."""
        started = []
        request = RequestFactory().generic(method, path, headers={"Accept": "text/html", "Host": "127.0.0.1"} | headers)
        body = b"".join(self._door(request.environ, lambda *what: started.append(what)))
        return started[0][0], started[0][1], body

    def flood(self, count=FLOOD + 1, **request):
        return [self.get(**request) for _number in range(count)]


@pytest.fixture
def site(monkeypatch, db):
    return Site(monkeypatch)


@pytest.mark.parametrize(
    "path", ["/search?q=x", "/en/search?q=x", "/api/search?q=x", "/sru?query=x", "/oai?verb=Identify"]
)
def test_a_refusal_of_a_flood_is_like_any_other_but_does_not_reach_django(site, path):
    first = site.flood(path=path)[0]
    passed = site.passed
    status, headers, body = site.get(path)
    assert site.passed == passed
    assert (status, body) == (first[0], first[2])
    assert status == "503 Service Unavailable"

    def common(headers):
        return [(name, value) for name, value in headers if name not in PERSONAL]

    assert common(headers) == common(first[1])
    assert int(dict(headers)["Retry-After"]) >= 1


def test_a_few_refusals_are_no_flood(site):
    site.flood(FLOOD)
    passed = site.passed
    site.get()
    assert site.passed == passed + 1


def test_a_flood_is_over_when_for_a_second_hardly_anything_was_refused(site):
    site.flood()
    site.now = itertools.repeat(101.0)
    passed = site.passed
    site.get()
    assert site.passed == passed
    site.now = itertools.repeat(103.0)
    site.get()
    assert site.passed == passed + 1


def test_whoever_finds_room_is_let_in_during_a_flood(site):
    site.flood()
    passed = site.passed
    for limit in site.limits:
        limit.leave()
    site.get()
    assert site.passed == passed + 1


@pytest.mark.parametrize(
    "request_", [{"Cookie": "reader=1"}, {"Authorization": "Bearer agg_x"}, {"method": "HEAD"}, {"path": "/about"}]
)
def test_known_clients_and_other_pages_are_left_to_django(site, request_):
    site.flood()
    passed = site.passed
    site.get(**request_)
    assert site.passed == passed + 1


def test_the_form_of_a_refusal_is_the_one_that_was_asked_for(site):
    site.flood()
    assert b"<html" in site.get()[2]
    passed = site.passed
    site.get("/api/search?q=x")  # its form is not known yet
    assert site.passed == passed + 1
    data = site.get("/api/search?q=x")
    assert site.passed == passed + 1
    assert dict(data[1])["Content-Type"].startswith("application/problem+json")


def test_a_reader_who_is_refused_gets_a_cookie_of_their_own_network(site, settings):
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    first = {"X-Forwarded-For": "203.0.113.9"}
    site.flood(**first)
    passed = site.passed
    given = dict(site.get(**{"X-Forwarded-For": "198.51.100.7"})[1])["Set-Cookie"]
    assert site.passed == passed
    assert "HttpOnly" in given and "SameSite=Lax" in given
    value = SimpleCookie(given)[COOKIE].value

    def counts_from(address):
        headers = {"Cookie": f"{COOKIE}={value}", "X-Forwarded-For": address}
        return is_reader(RequestFactory().get("/search", headers=headers))

    assert counts_from("198.51.100.99")
    assert not counts_from("203.0.113.9")


def test_the_refusals_that_are_kept_are_few_whatever_is_asked(site):
    for number in range(KEPT + 20):
        site.get(**{"Accept-Language": f"x-{number}"})
    assert len(site._door._kept) == KEPT


def test_a_refusal_says_nothing_about_the_budget_of_the_client_that_got_it_first(site, rf):
    response = busy(rf.get("/search"))
    response["RateLimit-Remaining"] = "7"
    kept = early_refusals._without_client(response, ConcurrencyLimit(0))
    assert "RateLimit-Remaining" not in dict(kept.headers)
