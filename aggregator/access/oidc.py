"""Logging in at another house by OpenID Connect (authorization code with PKCE): the way there, and who came back.

The requests go through harvesting.http.fetch like all others; joserfc checks the signed token. Core 1.0, sections
3.1.2 to 3.1.3.7; RFC 7636. Knows settings and the session; which page answers is in `aggregator.views.site.external`.
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

SESSION = "oidc"  # what is remembered on the way: state, nonce, verifier, next
SIGNED_BY = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
LEEWAY = 60  # seconds that two clocks may differ
DEADLINE = 15.0
LARGEST = 1024 * 1024


class LoginFailed(Exception):
    """The other house did not say who it is, or not so that we can believe it."""


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """What its discovery document says."""

    authorization: str
    token: str
    keys: str


def is_set_up() -> bool:
    return bool(settings.OIDC_ISSUER and settings.OIDC_CLIENT_ID)


def way_there(session: Any, onward: str) -> str:
    """The address to send the browser to; what must come back is kept in the session. Raises LoginFailed."""
    state, nonce, verifier = (secrets.token_urlsafe(32) for _each in range(3))
    session[SESSION] = {"state": state, "nonce": nonce, "verifier": verifier, "next": onward}
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": settings.OIDC_CLIENT_ID,
        "redirect_uri": callback(),
        "scope": "openid email profile",
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    address = house().authorization
    return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}"


@sensitive_variables()
def who_came_back(session: Any, answer: Mapping[str, str]) -> tuple[Mapping[str, Any], str]:
    """What the house says of the person, and where she wanted to go. Raises LoginFailed."""
    kept = session.pop(SESSION, None)
    if not kept or not compare_digest(answer.get("state", "").encode(), kept["state"].encode()):
        raise LoginFailed("state")
    if "code" not in answer:
        raise LoginFailed(answer.get("error", "no code"))
    there = house()
    form = {
        "grant_type": "authorization_code",
        "code": answer["code"],
        "redirect_uri": callback(),
        "client_id": settings.OIDC_CLIENT_ID,
        "client_secret": settings.OIDC_CLIENT_SECRET,
        "code_verifier": kept["verifier"],
    }
    told = asked(there.token, form)
    return claims_of(str(told.get("id_token", "")), asked(there.keys), kept["nonce"]), kept["next"]


def claims_of(token: str, keys: Any, nonce: str) -> Mapping[str, Any]:
    """The claims of a token that the house has signed for us, for this login, and lately. Raises LoginFailed."""
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
        read = jwt.decode(token, KeySet.import_key_set(keys), algorithms=SIGNED_BY)
        rules.validate(read.claims)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise LoginFailed(str(error)) from error
    several = isinstance(read.claims["aud"], list) and len(read.claims["aud"]) > 1
    if several and read.claims.get("azp") != settings.OIDC_CLIENT_ID:
        raise LoginFailed("azp")
    return read.claims


@transaction.atomic
def account_of(claims: Mapping[str, Any]) -> User | None:
    """The account that was bound to this person, or at the first login the one with her verified e-mail address."""
    bound = ExternalLogin.objects.filter(issuer=settings.OIDC_ISSUER, subject=str(claims["sub"])[:300])
    found = bound.select_related("user").first()
    if found is not None:
        return found.user if found.user.is_active else None
    email = str(claims.get("email", ""))
    if not email or claims.get("email_verified") is not True:
        return None
    users = list(get_user_model().objects.filter(email__iexact=email, is_active=True)[:2])
    if len(users) != 1:
        return None
    ExternalLogin.objects.create(issuer=settings.OIDC_ISSUER, subject=str(claims["sub"])[:300], user=users[0])
    note(users[0], "login.bound", users[0].get_username(), details={"house": settings.OIDC_ISSUER})
    return users[0]


def callback() -> str:
    return f"{settings.PUBLIC_URL}{reverse('oidc_back')}"


def house() -> IdentityProvider:
    """From the discovery document, which must name the issuer that we asked. Raises LoginFailed."""
    told = asked(f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration")
    if told.get("issuer") != settings.OIDC_ISSUER:
        raise LoginFailed("issuer")
    try:
        return IdentityProvider(*(str(told[name]) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")))
    except KeyError as error:
        raise LoginFailed(str(error)) from error


@sensitive_variables()
def asked(url: str, form: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON object that the house answers. Raises LoginFailed."""
    policy = replace(fetch_policy(), deadline=DEADLINE, max_bytes=LARGEST, min_pause=0.0)
    headers = {"Accept": "application/json"}
    try:
        with Fetcher(policy) as fetcher:
            if form is None:
                answer = fetcher.fetch(url, headers=headers).checked()
            else:
                form_headers = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
                answer = fetcher.deliver(url, urlencode(form).encode(), form_headers).checked()
        told = json.loads(answer.body)
    except (TransportError, ValueError) as error:
        raise LoginFailed(str(error)) from error
    if not isinstance(told, dict):
        raise LoginFailed("no object")
    return told
