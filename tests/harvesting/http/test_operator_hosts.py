"""A service that the operator named may have an internal address; nothing else becomes reachable by that."""

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.registry.transport import operator_policy
from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, serving


@pytest.fixture
def own():
    with serving() as server:
        server.answer = lambda request: Answer(b"own")
        yield server


@pytest.fixture
def other():
    with serving() as server:
        server.answer = lambda request: Answer(b"other")
        yield server


def test_an_internal_service_of_the_operator_is_reached(own):
    with Fetcher(FetchPolicy(operator_url=f"{own.url}/x", min_pause=0)) as fetcher:
        assert fetcher.fetch(f"{own.url}/y").body == b"own"


def test_another_port_of_the_same_machine_is_refused(own, other):
    with Fetcher(FetchPolicy(operator_url=own.url, min_pause=0)) as fetcher:
        with pytest.raises(TransportError) as refusal:
            fetcher.fetch(other.url)
        assert refusal.value.code == "net.refused_address"
        assert other.requests == []


def test_a_redirect_away_from_the_service_is_refused(own, other):
    own.answer = lambda request: Answer(b"", status=302, headers={"Location": f"{other.url}/secret"})
    with Fetcher(FetchPolicy(operator_url=own.url, min_pause=0)) as fetcher:
        with pytest.raises(TransportError) as refusal:
            fetcher.fetch(own.url)
        assert refusal.value.code == "net.refused_address"
        assert other.requests == []


def test_without_the_setting_nothing_internal_is_reached(own):
    with Fetcher(FetchPolicy(min_pause=0)) as fetcher, pytest.raises(TransportError):
        fetcher.fetch(own.url)


def test_only_a_listed_setting_makes_an_exception(settings):
    settings.OIDC_ISSUER = "https://login.library.internal"
    assert operator_policy("OIDC_ISSUER").operator_url == "https://login.library.internal"
    with pytest.raises(ValueError, match="SITE_CONTACT"):
        operator_policy("SITE_CONTACT")
