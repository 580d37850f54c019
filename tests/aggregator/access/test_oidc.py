"""Logging in at another house, against a small house of our own on loopback."""

import json
import time
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth import get_user_model
from joserfc import jwt
from joserfc.jwk import RSAKey

from aggregator.checks.settings import logins_are_sensible
from harvesting.models import AuditEntry, ExternalLogin
from tests.harvesting.fakeserver import Answer, Asked, serving

pytestmark = pytest.mark.django_db
KEY = RSAKey.generate_key(2048, {"kid": "one"})
OTHER = RSAKey.generate_key(2048, {"kid": "one"})


class House:
    """Answers as an OpenID provider; what the token says can be changed by the test."""

    def __init__(self, url: str) -> None:
        self.url, self.nonce, self.key, self.changes, self.form = url, "", KEY, {}, {}

    def answer(self, asked: Asked) -> Answer:
        if asked.path.endswith("/openid-configuration"):
            places = {"authorization_endpoint": "/auth", "token_endpoint": "/token", "jwks_uri": "/keys"}
            return told({"issuer": self.url, **{name: self.url + path for name, path in places.items()}})
        if asked.path == "/keys":
            return told({"keys": [KEY.as_dict(private=False)]})
        self.form = dict(asked.form)
        now = int(time.time())
        claims = {"iss": self.url, "aud": "us", "sub": "s-1", "iat": now, "exp": now + 300, "nonce": self.nonce}
        claims |= {"email": "hanako@example.jp", "email_verified": True, **self.changes}
        return told({"id_token": jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key), "token_type": "Bearer"})


def told(values: dict) -> Answer:
    return Answer(body=json.dumps(values).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
def house(settings):
    with serving() as server:
        made = House(server.url)
        server.answer = made.answer
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = server.url, "us", "secret"
        yield made


@pytest.fixture
def her():
    return get_user_model().objects.create_user("hanako", "Hanako@example.jp", is_superuser=True)


def go(client, house, **changes):
    """There and back."""
    away = client.get("/login/oidc", {"next": "/manage/trace/"})
    asked = dict(parse_qsl(urlsplit(away.url).query))
    house.nonce = asked["nonce"]
    return client.get("/login/oidc/back", {"state": asked["state"], "code": "c", **changes})


def test_who_was_invited_is_let_in_and_known_by_her_number_from_then_on(client, house, her):
    assert go(client, house).url == "/manage/trace/"
    assert client.session["_auth_user_id"] == str(her.pk)
    assert house.form["client_secret"] == "secret"
    assert house.form["code_verifier"]
    house.changes = {"email": "new@example.jp"}
    client.logout()
    assert go(client, house).url == "/manage/trace/"
    assert [each.action for each in AuditEntry.objects.order_by("pk")] == ["login.bound", "login.house", "login.house"]


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
def test_a_token_that_is_not_for_us_now_lets_nobody_in(client, house, her, changes):
    house.changes = changes
    assert go(client, house).url == "/login"
    assert "_auth_user_id" not in client.session


def test_a_token_signed_by_somebody_else_lets_nobody_in(client, house, her):
    house.key = OTHER
    assert go(client, house).url == "/login"


@pytest.mark.parametrize(
    "changes", [{"email_verified": False}, {"email_verified": "true"}, {"email": "x@example.jp"}, {"email": ""}]
)
def test_who_is_not_known_for_certain_is_told_to_ask_for_an_invitation(client, house, her, changes):
    house.changes = changes
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    answer = go(client, house)
    assert not ExternalLogin.objects.exists()
    assert "invite" in client.get(answer.url).text


def test_a_closed_account_stays_closed(client, house, her):
    go(client, house)
    client.logout()
    get_user_model().objects.update(is_active=False)
    assert go(client, house).url == "/login"


def test_what_did_not_begin_here_does_not_end_here(client, house, her):
    assert go(client, house, state="made up").url == "/login"
    assert client.get("/login/oidc/back", {"state": "", "code": "c"}).url == "/login"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_it_leads_to_no_other_site(client, house, her, target):
    away = dict(parse_qsl(urlsplit(client.get("/login/oidc", {"next": target}).url).query))
    house.nonce = away["nonce"]
    assert client.get("/login/oidc/back", {"state": away["state"], "code": "c"}).url == "/manage/"


def test_a_house_that_is_away_is_said_so(client, settings):
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = "http://127.0.0.1:9", "us"
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    assert client.get("/login/oidc").url == "/login"
    assert "did not work" in client.get("/login").text


def test_without_a_house_there_is_no_way(client):
    assert client.get("/login/oidc").status_code == 404
    assert "oidc" not in client.get("/login").text


def test_a_house_in_the_clear_or_half_of_one_is_found_by_the_checks(settings):
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = "http://login.example.jp", ""
    assert [each.id for each in logins_are_sensible()] == ["aggregator.E013", "aggregator.E013"]
