"""Single sign-on with OpenID Connect, against a small identity provider on 127.0.0.1."""

import json
import time
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import OperationalError, connection
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from aggregator.access import oidc_client
from aggregator.checks.settings import logins_are_sensible
from harvesting.accounts.roles import STAFF, ensure_roles
from harvesting.models import AuditEntry, ExternalLogin
from tests.harvesting.fakeserver import Answer, Request, serving

pytestmark = pytest.mark.django_db
KEY = RSAKey.generate_key(2048, {"kid": "one"})
OTHER = RSAKey.generate_key(2048, {"kid": "one"})


class FakeProvider:
    """Answers as an OpenID provider; tests set the claims (`changes`), the nonce and the signing key of its tokens."""

    def __init__(self, url: str) -> None:
        self.url, self.nonce, self.key, self.published = url, "", KEY, KEY
        self.algorithm = "RS256"
        self.changes, self.form, self.document, self.headers, self.asked = {}, {}, {}, {}, []

    def answer(self, request: Request) -> Answer:
        self.asked.append(request.path)
        if request.path.endswith("/openid-configuration"):
            paths = {"authorization_endpoint": "/auth", "token_endpoint": "/token", "jwks_uri": "/keys"}
            addresses = {name: self.url + path for name, path in paths.items()}
            return json_answer({"issuer": self.url, **addresses, **self.document})
        if request.path == "/keys":
            return json_answer({"keys": [self.published.as_dict(private=False)]})
        self.form, self.headers = dict(request.form), {name.lower(): request.headers[name] for name in request.headers}
        now = int(time.time())
        claims = {"iss": self.url, "aud": "us", "sub": "s-1", "iat": now, "exp": now + 300, "nonce": self.nonce}
        claims |= {"email": "hanako@example.jp", "email_verified": True, **self.changes}
        return json_answer({"id_token": self.token(claims), "token_type": "Bearer"})

    def token(self, claims: dict) -> str:
        if self.algorithm == "none":
            parts = ({"alg": "none", "kid": "one"}, claims)
            return ".".join(
                [*(urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts), ""]
            )
        return jwt.encode({"alg": self.algorithm, "kid": "one"}, claims, self.key)


def json_answer(values: dict) -> Answer:
    return Answer(body=json.dumps(values).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
def provider(settings):
    with serving() as server:
        oidc_client._identity_provider.cache_clear()  # an earlier server may have had the same port
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


@pytest.mark.parametrize(
    "look_alike", ["admın@example.jp", "ADMıN@EXAMPLE.JP", "admin@exampłe.jp", "ad\u200bmin@example.jp"]
)
def test_an_address_that_only_the_database_takes_for_the_same_binds_no_account(client, provider, look_alike):
    """UPPER of PostgreSQL makes I of the Turkish ı, so a comparison without case finds somebody else's address."""
    get_user_model().objects.create_user("admin", "admin@example.jp", is_superuser=True)
    provider.changes = {"email": look_alike}
    assert log_in(client, provider).url == "/login"
    assert not ExternalLogin.objects.exists()


def test_a_closed_account_stays_closed(client, provider, hanako):
    log_in(client, provider)
    client.logout()
    get_user_model().objects.update(is_active=False)
    assert log_in(client, provider).url == "/login"


@pytest.mark.parametrize("issuer", ["", "https://former.example.ac.jp"])
def test_a_bound_account_is_not_bound_again_by_its_address(client, provider, hanako, issuer, caplog):
    """The institution gave hanako's address to another person, or the site changed to another institution."""
    ExternalLogin.objects.create(issuer=issuer or provider.url, subject="hanako's own", user=hanako)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    answer = log_in(client, provider)
    assert "_auth_user_id" not in client.session
    assert ExternalLogin.objects.count() == 1
    assert "another login" in client.get(answer.url).text
    assert str(hanako.pk) in caplog.text


def test_after_staff_have_unlinked_an_account_it_is_bound_at_the_next_login(client, provider, settings):
    ensure_roles()
    staff = get_user_model().objects.create_user("staff", is_staff=True)
    staff.groups.add(Group.objects.get(name=STAFF))
    taro = get_user_model().objects.create_user("taro", "hanako@example.jp")
    link = ExternalLogin.objects.create(issuer=provider.url, subject="former", user=taro)
    client.force_login(staff)
    assert client.get("/admin/harvesting/externallogin/").status_code == 200
    assert client.post(f"/admin/harvesting/externallogin/{link.pk}/delete/", {"post": "yes"}).status_code == 302
    assert AuditEntry.objects.get(action="login.unbound").about == "taro"
    client.logout()
    log_in(client, provider)
    assert ExternalLogin.objects.get().subject == "s-1"


def test_staff_cannot_unlink_an_administrator(client, provider, hanako):
    ensure_roles()
    staff = get_user_model().objects.create_user("staff", is_staff=True)
    staff.groups.add(Group.objects.get(name=STAFF))
    link = ExternalLogin.objects.create(issuer=provider.url, subject="former", user=hanako)
    client.force_login(staff)
    assert client.post(f"/admin/harvesting/externallogin/{link.pk}/delete/", {"post": "yes"}).status_code == 403
    assert ExternalLogin.objects.exists()


def test_the_discovery_document_is_not_fetched_for_every_login_that_begins(client, provider):
    for _click in range(20):
        assert client.get("/login/oidc").url.startswith(f"{provider.url}/auth")
    assert provider.asked == ["/.well-known/openid-configuration"]


def test_a_provider_that_fails_is_not_asked_again_at_once_and_nothing_is_stored(client, provider):
    provider.document = {"issuer": "https://another.example"}
    for _click in range(20):
        assert client.get("/login/oidc").url == "/login"
    assert len(provider.asked) == 1
    assert not [key for key in dict(client.session) if "oidc" in key]
    provider.document = {}
    oidc_client.identity_provider()._failed_until -= oidc_client.PAUSE
    assert client.get("/login/oidc").url.startswith(provider.url)


@pytest.mark.parametrize("path", ["/login/oidc", "/login/oidc/back"])
def test_while_the_disk_is_full_a_page_says_so(client, provider, hanako, path):
    query = dict(parse_qsl(urlsplit(client.get("/login/oidc").url).query))
    provider.nonce = query["nonce"]

    def refuse_writes(run, sql, *rest):
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            raise OperationalError("database or disk is full")
        return run(sql, *rest)

    with connection.execute_wrapper(refuse_writes):
        assert client.get(path, {"state": query["state"], "code": "c"}).status_code == 503


def test_many_begun_logins_leave_one_in_the_session(client, provider):
    for _click in range(5):
        client.get("/login/oidc")
    assert len([key for key in dict(client.session) if key.startswith(oidc_client.STATES)]) == 1


def test_a_changed_key_is_fetched_for_the_login_after_the_one_that_fails(client, provider, hanako):
    log_in(client, provider)
    client.logout()
    provider.key = provider.published = OTHER
    assert log_in(client, provider).url == "/login"
    assert log_in(client, provider).url == "/manage/trace/"


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_without_a_signature_of_the_provider_logs_nobody_in(client, provider, hanako, algorithm):
    provider.document = {"id_token_signing_alg_values_supported": ["RS256", "none", "HS256"]}
    provider.algorithm, provider.key = algorithm, OctKey.import_key("secret-of-this-client-and-no-key")
    assert log_in(client, provider).url == "/login"
    assert not ExternalLogin.objects.exists()


def test_the_secret_is_sent_in_the_way_that_the_provider_supports(client, provider, hanako):
    provider.document = {"token_endpoint_auth_methods_supported": ["client_secret_basic"]}
    assert log_in(client, provider).url == "/manage/trace/"
    assert provider.headers["authorization"] == f"Basic {b64encode(b'us:secret').decode()}"
    assert "client_secret" not in provider.form


def test_the_registered_redirect_address_stays(client, provider):
    query = dict(parse_qsl(urlsplit(client.get("/login/oidc").url).query))
    assert query["redirect_uri"] == "http://127.0.0.1:8000/login/oidc/back"
    assert query["code_challenge_method"] == "S256"


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
