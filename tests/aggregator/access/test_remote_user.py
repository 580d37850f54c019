"""Single sign-on by a trusted proxy: its header logs a user in, the same header from anybody else does not."""

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
    importlib.reload(remote_user)  # it reads the name of the header at import
    middleware = [*settings.MIDDLEWARE]
    middleware.insert(
        middleware.index("aggregator.access.middleware.PermissionMiddleware"),
        "aggregator.access.remote_user.ProxyLogin",
    )
    settings.MIDDLEWARE = middleware


@pytest.fixture
def hanako():
    return get_user_model().objects.create_user("hanako@example.ac.jp", is_superuser=True)


def test_the_user_named_by_a_trusted_proxy_is_logged_in(client, hanako):
    answer = client.get("/manage/trace/", REMOTE_ADDR="10.1.2.3", **{HEADER: hanako.username})
    assert answer.status_code == 200
    assert AuditEntry.objects.get().action == "login.proxy"


@pytest.mark.parametrize("address", ["203.0.113.7", "", "127.0.0.1"])
def test_the_header_from_an_untrusted_client_is_ignored(client, hanako, address):
    answer = client.get("/manage/", REMOTE_ADDR=address, HTTP_X_FORWARDED_FOR="10.1.2.3", **{HEADER: hanako.username})
    assert answer.status_code == 302
    request = RequestFactory().get("/", REMOTE_ADDR=address, **{HEADER: hanako.username})
    remote_user.ProxyLogin(lambda _request: HttpResponse()).process_request(request)
    assert HEADER not in request.META


def test_a_user_who_was_not_invited_gets_no_account(client, hanako):
    assert client.get("/manage/", REMOTE_ADDR="10.1.2.3", **{HEADER: "somebody@example.ac.jp"}).status_code == 302
    assert get_user_model().objects.count() == 1


def test_a_closed_account_stays_closed(client, hanako):
    get_user_model().objects.update(is_active=False)
    assert client.get("/manage/", REMOTE_ADDR="10.1.2.3", **{HEADER: hanako.username}).status_code == 302


def test_the_checks_report_a_header_without_a_trusted_proxy(settings):
    settings.TRUSTED_PROXIES = []
    assert [error.id for error in logins_are_sensible()] == ["aggregator.E012"]
