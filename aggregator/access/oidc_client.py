"""Authlib's OpenID Connect client with the requests of this site: guarded, with a deadline, and few of them.

Authlib makes the addresses, keeps state, nonce and PKCE verifier in the session, and verifies the signed token.
Requests go through harvesting.http.fetch like all other outgoing requests.
"""

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self
from urllib.parse import urlencode

from authlib.integrations.django_client import DjangoIntegration, DjangoOAuth2App
from authlib.oauth2.client import OAuth2Client
from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from harvesting.http.fetch import Fetched, Fetcher, FetchPolicy
from harvesting.registry.transport import operator_policy
from harvesting.types import TransportError

NAME = "oidc"  # part of the session keys in which Authlib keeps what must be remembered until the callback
STATES = f"_state_{NAME}_"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
DEADLINE = 15.0
MAX_BYTES = 1024 * 1024
FRESH = 60 * 60.0  # seconds for which the discovery document and the keys are used
PAUSE = 30.0  # seconds after a failure during which the identity provider is not asked again
PATIENCE = 2.0  # seconds to wait for another thread that is asking the identity provider


class LoginFailed(Exception):
    """The identity provider returned no identity, or one that cannot be verified."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, with those methods of a response of requests that Authlib calls."""

    fetched: Fetched

    @property
    def status_code(self) -> int:
        return self.fetched.status

    def json(self) -> Any:
        return json.loads(self.fetched.body)

    def raise_for_status(self) -> None:
        self.fetched.checked()


class GuardedClient(OAuth2Client):  # type: ignore[misc]  # Authlib has no types
    """Authlib's client, and also the session by which it sends; usually that is a session of the library requests."""

    def __init__(self, client_id: str = "", client_secret: str = "", **options: Any) -> None:
        super().__init__(self, client_id=client_id, client_secret=client_secret, **options)
        self.headers: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def request(self, _method: str, url: str, **_options: Any) -> Answer:
        """GET the address; Authlib asks for nothing else in this way. Tokens are requested by `post`."""
        with Fetcher(_policy()) as fetcher:
            return Answer(fetcher.fetch(url, headers={"Accept": "application/json"}))

    @sensitive_variables()
    def post(self, url: str, data: Mapping[str, str], headers: Mapping[str, str], auth: Any) -> Answer:
        """POST the form once, to no other address than this one."""
        url, prepared, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        with Fetcher(_policy()) as fetcher:
            return Answer(fetcher.deliver(url, body.encode(), prepared))


class IdentityProvider(DjangoOAuth2App):  # type: ignore[misc]
    """The configured identity provider. Its discovery document is fetched once an hour, by one thread at a time."""

    client_cls = GuardedClient

    def __init__(self, issuer: str, client_id: str, client_secret: str) -> None:
        super().__init__(
            DjangoIntegration(NAME),
            NAME,
            client_id=client_id,
            client_secret=client_secret,
            client_kwargs={"scope": "openid email profile", "code_challenge_method": "S256"},
        )
        self.issuer = issuer
        self._address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        self._lock = threading.Lock()
        self._fresh_until = self._failed_until = 0.0

    def load_server_metadata(self) -> dict[str, Any]:
        """Return the discovery document. Raises LoginFailed, at once if it could not be fetched a moment ago."""
        if time.monotonic() < self._fresh_until:
            return self.server_metadata
        if not self._lock.acquire(timeout=PATIENCE):
            raise LoginFailed("another login waits for the identity provider")
        try:
            if time.monotonic() >= self._fresh_until:
                self._load()
        finally:
            self._lock.release()
        return self.server_metadata

    def forget_keys(self) -> None:
        """Fetch the keys again for the next login: a token could not be verified, so they may have changed."""
        self.server_metadata.pop("jwks", None)

    def _load(self) -> None:
        if time.monotonic() < self._failed_until:
            raise LoginFailed("the identity provider did not answer a moment ago")
        self._failed_until = time.monotonic() + DEADLINE + PAUSE
        try:
            self.server_metadata = self._usable(self._get_session().request("GET", self._address))
        except (TransportError, ValueError) as error:
            self._failed_until = time.monotonic() + PAUSE
            raise LoginFailed(str(error)) from error
        self._fresh_until, self._failed_until = time.monotonic() + FRESH, 0.0

    def _usable(self, answer: Answer) -> dict[str, Any]:
        """Return the parts of the discovery document that are used. Raises ValueError, TransportError."""
        answer.raise_for_status()
        document = answer.json()
        if not isinstance(document, dict) or document.get("issuer") != self.issuer:
            raise ValueError("issuer")
        named = {name: str(document.get(name, "")) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
        if not all(named.values()):
            raise ValueError("the discovery document lacks an endpoint")
        supported = document.get("id_token_signing_alg_values_supported") or ALGORITHMS
        ways = document.get("token_endpoint_auth_methods_supported") or ["client_secret_post"]
        return {
            **named,
            "issuer": self.issuer,
            "id_token_signing_alg_values_supported": [name for name in ALGORITHMS if name in supported],
            "token_endpoint_auth_method": _way(ways, bool(self.client_secret)),
        }


def identity_provider() -> IdentityProvider:
    """The identity provider of the settings, the same object for all threads of this process."""
    return _identity_provider(settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)


@lru_cache(maxsize=1)
def _identity_provider(issuer: str, client_id: str, client_secret: str) -> IdentityProvider:
    return IdentityProvider(issuer, client_id, client_secret)


def _way(supported: list[str], has_secret: bool) -> str:
    """How this site identifies itself when it asks for a token."""
    if not has_secret:
        return "none"
    return "client_secret_post" if "client_secret_post" in supported else "client_secret_basic"


def _policy() -> FetchPolicy:
    return replace(operator_policy("OIDC_ISSUER"), deadline=DEADLINE, max_bytes=MAX_BYTES)
