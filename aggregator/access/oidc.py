"""Single sign-on by OpenID Connect: authorization code flow with PKCE (Core 1.0, sections 3.1.2 to 3.1.3.7; RFC 7636).

Authlib does the flow (`aggregator.access.oidc_client`). This module decides which account an identity belongs to. The
views are in `aggregator.views.site.external`.
"""

from collections.abc import Mapping
from typing import Any

from authlib.common.errors import AuthlibBaseError
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables
from joserfc.errors import JoseError

from aggregator.access.oidc_client import STATES, LoginFailed, identity_provider
from harvesting.accounts.forgotten import spelling_of
from harvesting.audit.trail import note
from harvesting.models import ExternalLogin
from harvesting.types import TransportError

NEXT = "oidc_next"  # session key of the page to open after the login
LEEWAY = 60  # seconds by which the two clocks may differ
# What Authlib raises for answers that do not fit.
_UNUSABLE = (AuthlibBaseError, JoseError, TransportError, ValueError, KeyError, TypeError, RuntimeError)


class BoundToAnother(Exception):
    """The account with this e-mail address is bound to another identity."""


def is_set_up() -> bool:
    return bool(settings.OIDC_ISSUER and settings.OIDC_CLIENT_ID)


def redirect_to_provider(request: HttpRequest, onward: str) -> HttpResponse:
    """Redirect the browser to the identity provider. What an earlier, unfinished login has stored is deleted.

    onward: the page to open after the login. Raises LoginFailed.
    """
    provider = identity_provider()
    provider.load_server_metadata()  # before anything is stored, so that a failure stores nothing
    for key in [key for key in request.session.keys() if key.startswith(STATES)]:  # noqa: SIM118  no dictionary
        del request.session[key]
    request.session[NEXT] = onward
    response: HttpResponse = provider.authorize_redirect(request, callback_url())
    return response


@sensitive_variables()
def complete_login(request: HttpRequest) -> tuple[Mapping[str, Any], str]:
    """Return the verified claims about the user, and the page to open after the login. Raises LoginFailed.

    The configured issuer must have signed the token for this client and this login (nonce), and recently.
    """
    provider, onward = identity_provider(), request.session.pop(NEXT, "")
    claims = {
        "iss": {"essential": True, "value": settings.OIDC_ISSUER},
        "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        "sub": {"essential": True},
        "nonce": {"essential": True},
    }
    try:
        tokens = provider.authorize_access_token(request, claims_options=claims, leeway=LEEWAY)
        return tokens["userinfo"], onward
    except JoseError as error:
        provider.forget_keys()
        raise LoginFailed(str(error)) from error
    except _UNUSABLE as error:
        raise LoginFailed(str(error)) from error


@transaction.atomic
def account_of(claims: Mapping[str, Any]) -> User | None:
    """Return the account that is bound to this identity, or None.

    At the first login, the only active account with the same verified e-mail address is bound to it. An account that is
    bound is never bound again by its address, which the institution may have given to another person: then
    BoundToAnother is raised, and staff decide (`harvesting.admin.people`).
    """
    identity = {"issuer": settings.OIDC_ISSUER, "subject": str(claims["sub"])[:300]}
    known = ExternalLogin.objects.filter(**identity).select_related("user").first()
    if known is not None:
        return known.user if known.user.is_active else None
    email = str(claims.get("email", ""))
    if not email or claims.get("email_verified") is not True:
        return None
    # Locked, so that of two first logins at the same time only one binds the account.
    found = get_user_model().objects.select_for_update().filter(email__iexact=email, is_active=True)
    users = [user for user in found if spelling_of(user.email) == spelling_of(email)]
    if len(users) != 1:
        return None
    if ExternalLogin.objects.filter(user=users[0]).exists():
        raise BoundToAnother(users[0].pk)
    ExternalLogin.objects.create(**identity, user=users[0])
    note(users[0], "login.bound", users[0].get_username(), details={"institution": settings.OIDC_ISSUER})
    return users[0]


def callback_url() -> str:
    """The address that is registered at the identity provider."""
    return f"{settings.PUBLIC_URL}{reverse('oidc_back')}"
