"""Single sign-on by a trusted proxy: its header logs a user in at /login, the same header from others never does."""

import pytest
from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.test import RequestFactory

from aggregator.access import remote_user
from aggregator.checks.proxy import check_proxy
from aggregator.checks.settings import logins_are_sensible
from harvesting.models import AuditEntry
from tests.harvesting.fakeserver import Answer, serving

pytestmark = pytest.mark.django_db
HEADER = "HTTP_X_REMOTE_USER"
SECRET = "twenty-characters-of-secret"
PROXY = "10.1.2.3"


@pytest.fixture(autouse=True)
def shibboleth(settings):
    settings.REMOTE_USER_HEADER, settings.TRUSTED_PROXIES = "X-Remote-User", ["10.0.0.0/8"]
    settings.REMOTE_USER_SECRET = SECRET
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, "aggregator.access.remote_user.InvitedOnly"]
    middleware = [*settings.MIDDLEWARE]
    middleware.insert(
        middleware.index("aggregator.access.middleware.PermissionMiddleware"),
        "aggregator.access.remote_user.ProxyLogin",
    )
    settings.MIDDLEWARE = middleware


@pytest.fixture
def hanako():
    return get_user_model().objects.create_user("hanako@example.ac.jp", is_superuser=True)


def open_page(client, path="/login", value=f"{SECRET} hanako@example.ac.jp", address=PROXY, **query):
    return client.get(path, query, REMOTE_ADDR=address, **{HEADER: value})


def is_logged_in(client) -> bool:
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("path", ["/login", "/en/login"])
def test_the_user_named_by_the_proxy_at_the_login_is_logged_in_and_led_on(client, hanako, path):
    assert open_page(client, path, next="/manage/trace/").url == "/manage/trace/"
    assert client.get("/manage/trace/").status_code == 200
    assert AuditEntry.objects.get().action == "login.proxy"


@pytest.mark.parametrize("path", ["/manage/", "/", "/admin/", "/login/oidc", "/api/search", "/password/forgotten"])
def test_the_header_is_believed_at_the_login_only(client, hanako, path):
    assert open_page(client, path)[remote_user.RESULT]
    assert not is_logged_in(client)


@pytest.mark.parametrize("value", ["hanako@example.ac.jp", f"wrong {SECRET} hanako@example.ac.jp", f"{SECRET}x hanako"])
def test_a_name_without_the_secret_logs_nobody_in(client, hanako, value):
    assert open_page(client, value=value)[remote_user.RESULT]
    assert not is_logged_in(client)


def test_without_a_secret_in_the_settings_no_name_is_believed(client, hanako, settings):
    settings.REMOTE_USER_SECRET = ""
    open_page(client, value=" hanako@example.ac.jp")
    assert not is_logged_in(client)


@pytest.mark.parametrize("address", ["203.0.113.7", "", "127.0.0.1"])
def test_the_header_from_an_untrusted_client_is_ignored(client, hanako, address):
    open_page(client, address=address)
    assert not is_logged_in(client)
    request = RequestFactory().get("/login", REMOTE_ADDR=address, **{HEADER: f"{SECRET} hanako@example.ac.jp"})
    remote_user.ProxyLogin(lambda _request: HttpResponse())(request)
    assert HEADER not in request.META


def test_nobody_authenticated_sees_the_login_page(client, hanako):
    answer = open_page(client, value=SECRET)
    assert (answer.status_code, answer.has_header(remote_user.RESULT)) == (200, False)


def test_a_user_who_was_not_invited_gets_no_account(client, hanako):
    assert open_page(client, value=f"{SECRET} somebody@example.ac.jp").status_code == 200
    assert get_user_model().objects.count() == 1


def test_a_closed_account_stays_closed(client, hanako):
    get_user_model().objects.update(is_active=False)
    open_page(client)
    assert not is_logged_in(client)


def test_the_checks_report_a_header_without_a_trusted_proxy_or_a_secret(settings):
    settings.TRUSTED_PROXIES, settings.REMOTE_USER_SECRET = [], "short"
    assert [error.id for error in logins_are_sensible()] == ["aggregator.E012", "aggregator.E031"]


@pytest.mark.parametrize(("removes", "found"), [(True, []), (False, ["aggregator.E032"] * 4)])
def test_a_deploy_check_tries_whether_the_web_server_removes_the_header(settings, removes, found):
    with serving() as server:
        settings.PUBLIC_URL = server.url
        names = {"x-remote-user", "x_remote_user"}

        def answer(request):
            passed_on = names & {name.lower() for name in request.headers} and not removes
            return Answer(body=b"ok", headers={remote_user.RESULT: remote_user.IGNORED} if passed_on else {})

        server.answer = answer
        assert [message.id for message in check_proxy(None)] == found


def test_a_deploy_check_tries_whether_the_web_server_believes_a_name_without_a_password(settings):
    with serving() as server:
        settings.PUBLIC_URL = server.url

        def answer(request):
            claimed = any(name.lower() == "authorization" for name in request.headers)
            is_believed = claimed and request.path == "/login"
            return Answer(body=b"ok", headers={remote_user.RESULT: remote_user.UNKNOWN} if is_believed else {})

        server.answer = answer
        assert [message.id for message in check_proxy(None)] == ["aggregator.E036"]


def test_the_answer_says_that_a_believed_name_has_no_account(client, hanako):
    assert open_page(client, value=f"{SECRET} nobody").headers[remote_user.RESULT] == remote_user.UNKNOWN
    assert remote_user.RESULT not in open_page(client).headers


def test_a_site_that_does_not_answer_yet_is_a_warning(settings):
    settings.PUBLIC_URL = "http://127.0.0.1:9"
    assert [message.id for message in check_proxy(None)] == ["aggregator.W010"]
