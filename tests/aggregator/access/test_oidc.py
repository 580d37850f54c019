"""Single sign-on with OpenID Connect, against a small identity provider on 127.0.0.1."""

import json
import time
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth import get_user_model
from joserfc import jwt
from joserfc.jwk import RSAKey

from aggregator.checks.settings import logins_are_sensible
from harvesting.models import AuditEntry, ExternalLogin
from tests.harvesting.fakeserver import Answer, Request, serving

pytestmark = pytest.mark.django_db
KEY = RSAKey.generate_key(2048, {"kid": "one"})
OTHER = RSAKey.generate_key(2048, {"kid": "one"})


class FakeProvider:
    """Answers as an OpenID provider; tests set the claims (`changes`), the nonce and the signing key of its tokens."""

    def __init__(self, url: str) -> None:
        self.url, self.nonce, self.key, self.changes, self.form = url, "", KEY, {}, {}

    def answer(self, request: Request) -> Answer:
        if request.path.endswith("/openid-configuration"):
            paths = {"authorization_endpoint": "/auth", "token_endpoint": "/token", "jwks_uri": "/keys"}
            return json_answer({"issuer": self.url, **{name: self.url + path for name, path in paths.items()}})
        if request.path == "/keys":
            return json_answer({"keys": [KEY.as_dict(private=False)]})
        self.form = dict(request.form)
        now = int(time.time())
        claims = {"iss": self.url, "aud": "us", "sub": "s-1", "iat": now, "exp": now + 300, "nonce": self.nonce}
        claims |= {"email": "hanako@example.jp", "email_verified": True, **self.changes}
        return json_answer(
            {"id_token": jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key), "token_type": "Bearer"}
        )


def json_answer(values: dict) -> Answer:
    return Answer(body=json.dumps(values).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
def provider(settings):
    with serving() as server:
        fake = FakeProvider(server.url)
        server.answer = fake.answer
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = server.url, "us", "secret"
        yield fake


@pytest.fixture
def hanako():
    return get_user_model().objects.create_user("hanako", "Hanako@example.jp", is_superuser=True)


def log_in(client, provider, **changes):
    """Go to the provider and come back; return the last response. changes: parameters of the callback to replace."""
    redirect = client.get("/login/oidc", {"next": "/manage/trace/"})
    query = dict(parse_qsl(urlsplit(redirect.url).query))
    provider.nonce = query["nonce"]
    return client.get("/login/oidc/back", {"state": query["state"], "code": "c", **changes})


def test_an_invited_user_is_logged_in_and_recognised_by_the_subject_from_then_on(client, provider, hanako, settings):
    assert log_in(client, provider).url == "/manage/trace/"
    assert client.session["_auth_user_id"] == str(hanako.pk)
    assert provider.form["client_secret"] == "secret"
    assert provider.form["code_verifier"]
    provider.changes = {"email": "new@example.jp"}
    client.logout()
    assert log_in(client, provider).url == "/manage/trace/"
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == [
        "login.bound",
        "login.house",
        "login.house",
    ]
    assert AuditEntry.objects.get(action="login.bound").details == {"institution": settings.OIDC_ISSUER}


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["us", "another"]},
        {"nonce": "another"},
        {"exp": 1},
        {"sub": None},
    ],
)
def test_a_token_with_wrong_claims_logs_nobody_in(client, provider, hanako, changes):
    provider.changes = changes
    assert log_in(client, provider).url == "/login"
    assert "_auth_user_id" not in client.session


def test_a_token_signed_with_another_key_logs_nobody_in(client, provider, hanako):
    provider.key = OTHER
    assert log_in(client, provider).url == "/login"


@pytest.mark.parametrize(
    "changes", [{"email_verified": False}, {"email_verified": "true"}, {"email": "x@example.jp"}, {"email": ""}]
)
def test_a_user_without_a_verified_known_address_needs_an_invitation(client, provider, hanako, changes):
    provider.changes = changes
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    answer = log_in(client, provider)
    assert not ExternalLogin.objects.exists()
    assert "invite" in client.get(answer.url).text


def test_a_closed_account_stays_closed(client, provider, hanako):
    log_in(client, provider)
    client.logout()
    get_user_model().objects.update(is_active=False)
    assert log_in(client, provider).url == "/login"


def test_a_callback_with_a_foreign_state_logs_nobody_in(client, provider, hanako):
    assert log_in(client, provider, state="made up").url == "/login"
    assert client.get("/login/oidc/back", {"state": "", "code": "c"}).url == "/login"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_a_login_never_redirects_to_another_site(client, provider, hanako, target):
    query = dict(parse_qsl(urlsplit(client.get("/login/oidc", {"next": target}).url).query))
    provider.nonce = query["nonce"]
    assert client.get("/login/oidc/back", {"state": query["state"], "code": "c"}).url == "/manage/"


def test_an_unreachable_provider_is_reported_on_the_login_page(client, settings):
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = "http://127.0.0.1:9", "us"
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    assert client.get("/login/oidc").url == "/login"
    assert "Single sign-on failed" in client.get("/login").text


def test_without_a_provider_there_is_no_single_sign_on(client):
    assert client.get("/login/oidc").status_code == 404
    assert "oidc" not in client.get("/login").text


def test_the_checks_report_a_provider_without_https_or_without_a_client_id(settings):
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = "http://login.example.jp", ""
    assert [error.id for error in logins_are_sensible()] == ["aggregator.E013", "aggregator.E013"]
