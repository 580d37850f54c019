"""Single sign-on by OpenID Connect: authorization code flow with PKCE (Core 1.0, sections 3.1.2 to 3.1.3.7; RFC 7636).

Requests to the identity provider go through harvesting.http.fetch like all other outgoing requests; joserfc verifies
the signed token. Uses settings and the session; the views are in `aggregator.views.site.external`.
"""

import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from hmac import compare_digest
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from harvesting.audit.trail import note
from harvesting.http.fetch import Fetcher
from harvesting.models import ExternalLogin
from harvesting.registry.transport import fetch_policy
from harvesting.types import TransportError

SESSION = "oidc"  # session key of what must be remembered until the callback: state, nonce, verifier, next
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
LEEWAY = 60  # seconds by which the two clocks may differ
DEADLINE = 15.0
MAX_BYTES = 1024 * 1024


class LoginFailed(Exception):
    """The identity provider returned no identity, or one that cannot be verified."""


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """The endpoints of an identity provider, from its discovery document."""

    authorization: str
    token: str
    keys: str


def is_set_up() -> bool:
    return bool(settings.OIDC_ISSUER and settings.OIDC_CLIENT_ID)


def authorization_url(session: Any, onward: str) -> str:
    """Return the address to redirect the browser to. State, nonce and verifier are stored in the session.

    onward: the page to open after the login. Raises LoginFailed.
    """
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    session[SESSION] = {"state": state, "nonce": nonce, "verifier": verifier, "next": onward}
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    parameters = {
        "response_type": "code",
        "client_id": settings.OIDC_CLIENT_ID,
        "redirect_uri": callback_url(),
        "scope": "openid email profile",
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    address = discover().authorization
    return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters)}"


@sensitive_variables()
def complete_login(session: Any, query: Mapping[str, str]) -> tuple[Mapping[str, Any], str]:
    """Return the verified claims about the user, and the page to open after the login.

    query: the parameters of the callback request. Raises LoginFailed.
    """
    login = session.pop(SESSION, None)
    if not login or not compare_digest(query.get("state", "").encode(), login["state"].encode()):
        raise LoginFailed("state")
    if "code" not in query:
        raise LoginFailed(query.get("error", "no code"))
    endpoints = discover()
    form = {
        "grant_type": "authorization_code",
        "code": query["code"],
        "redirect_uri": callback_url(),
        "client_id": settings.OIDC_CLIENT_ID,
        "client_secret": settings.OIDC_CLIENT_SECRET,
        "code_verifier": login["verifier"],
    }
    tokens = fetch_json(endpoints.token, form)
    return claims_of(str(tokens.get("id_token", "")), fetch_json(endpoints.keys), login["nonce"]), login["next"]


def claims_of(token: str, keys: Any, nonce: str) -> Mapping[str, Any]:
    """Return the claims of the ID token. Raises LoginFailed unless the configured issuer signed the token for this
    client and this login (nonce), and it has not expired.
    """
    rules = jwt.JWTClaimsRegistry(
        leeway=LEEWAY,
        iss={"essential": True, "value": settings.OIDC_ISSUER},
        aud={"essential": True, "value": settings.OIDC_CLIENT_ID},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        decoded = jwt.decode(token, KeySet.import_key_set(keys), algorithms=ALGORITHMS)
        rules.validate(decoded.claims)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise LoginFailed(str(error)) from error
    several_audiences = isinstance(decoded.claims["aud"], list) and len(decoded.claims["aud"]) > 1
    if several_audiences and decoded.claims.get("azp") != settings.OIDC_CLIENT_ID:
        raise LoginFailed("azp")
    return decoded.claims


@transaction.atomic
def account_of(claims: Mapping[str, Any]) -> User | None:
    """Return the account that is bound to this identity, or None.

    At the first login the only active account with the same verified e-mail address is bound to it.
    """
    bound = ExternalLogin.objects.filter(issuer=settings.OIDC_ISSUER, subject=str(claims["sub"])[:300])
    known = bound.select_related("user").first()
    if known is not None:
        return known.user if known.user.is_active else None
    email = str(claims.get("email", ""))
    if not email or claims.get("email_verified") is not True:
        return None
    users = list(get_user_model().objects.filter(email__iexact=email, is_active=True)[:2])
    if len(users) != 1:
        return None
    ExternalLogin.objects.create(issuer=settings.OIDC_ISSUER, subject=str(claims["sub"])[:300], user=users[0])
    note(users[0], "login.bound", users[0].get_username(), details={"institution": settings.OIDC_ISSUER})
    return users[0]


def callback_url() -> str:
    return f"{settings.PUBLIC_URL}{reverse('oidc_back')}"


def discover() -> IdentityProvider:
    """Return the endpoints in the discovery document. Raises LoginFailed, also if it names another issuer."""
    document = fetch_json(f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration")
    if document.get("issuer") != settings.OIDC_ISSUER:
        raise LoginFailed("issuer")
    try:
        return IdentityProvider(
            *(str(document[name]) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"))
        )
    except KeyError as error:
        raise LoginFailed(str(error)) from error


@sensitive_variables()
def fetch_json(url: str, form: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the JSON object at this address; with a form, POST it. Raises LoginFailed."""
    policy = replace(fetch_policy(), deadline=DEADLINE, max_bytes=MAX_BYTES, min_pause=0.0)
    headers = {"Accept": "application/json"}
    try:
        with Fetcher(policy) as fetcher:
            if form is None:
                answer = fetcher.fetch(url, headers=headers).checked()
            else:
                form_headers = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
                answer = fetcher.deliver(url, urlencode(form).encode(), form_headers).checked()
        document = json.loads(answer.body)
    except (TransportError, ValueError) as error:
        raise LoginFailed(str(error)) from error
    if not isinstance(document, dict):
        raise LoginFailed("no object")
    return document
