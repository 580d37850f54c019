"""A proxy of our own says who is logged in; nobody else can."""

import importlib

import pytest
from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.test import RequestFactory

from aggregator.access import remote_user
from aggregator.checks.settings import logins_are_sensible
from harvesting.models import AuditEntry

pytestmark = pytest.mark.django_db
HEADER = "HTTP_X_REMOTE_USER"


@pytest.fixture(autouse=True)
def shibboleth(settings):
    settings.REMOTE_USER_HEADER, settings.TRUSTED_PROXIES = "X-Remote-User", ["10.0.0.0/8"]
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, "aggregator.access.remote_user.InvitedOnly"]
    importlib.reload(remote_user)  # which reads the name of the header once
    middleware = [*settings.MIDDLEWARE]
    middleware.insert(
        middleware.index("aggregator.access.middleware.PermissionMiddleware"),
        "aggregator.access.remote_user.ProxyLogin",
    )
    settings.MIDDLEWARE = middleware


@pytest.fixture
def her():
    return get_user_model().objects.create_user("hanako@example.ac.jp", is_superuser=True)


def test_whom_our_proxy_names_is_logged_in(client, her):
    answer = client.get("/manage/trace/", REMOTE_ADDR="10.1.2.3", **{HEADER: her.username})
    assert answer.status_code == 200
    assert AuditEntry.objects.get().action == "login.proxy"


@pytest.mark.parametrize("address", ["203.0.113.7", "", "127.0.0.1"])
def test_the_header_of_anybody_else_counts_for_nothing(client, her, address):
    answer = client.get("/manage/", REMOTE_ADDR=address, HTTP_X_FORWARDED_FOR="10.1.2.3", **{HEADER: her.username})
    assert answer.status_code == 302
    request = RequestFactory().get("/", REMOTE_ADDR=address, **{HEADER: her.username})
    remote_user.ProxyLogin(lambda _request: HttpResponse()).process_request(request)
    assert HEADER not in request.META


def test_who_was_not_invited_gets_no_account(client, her):
    assert client.get("/manage/", REMOTE_ADDR="10.1.2.3", **{HEADER: "somebody@example.ac.jp"}).status_code == 302
    assert get_user_model().objects.count() == 1


def test_a_closed_account_stays_closed(client, her):
    get_user_model().objects.update(is_active=False)
    assert client.get("/manage/", REMOTE_ADDR="10.1.2.3", **{HEADER: her.username}).status_code == 302


def test_a_header_without_a_proxy_is_found_by_the_checks(settings):
    settings.TRUSTED_PROXIES = []
    assert [each.id for each in logins_are_sensible()] == ["aggregator.E012"]
