"""Single sign-on by a trusted proxy that has authenticated the user (Shibboleth, GakuNin) and names them in a header.

The header is accepted only from TRUSTED_PROXIES; from any other client it is removed before anything reads it. It
holds a login name, for which an account must exist. The setting REMOTE_USER_HEADER turns this on.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import PersistentRemoteUserMiddleware
from django.http import HttpRequest

from core.http.client_address import client, is_in, parse_networks
from harvesting.audit.trail import note


class ProxyLogin(PersistentRemoteUserMiddleware):
    """Must come after Django's AuthenticationMiddleware.

    Persistent: the user stays logged in on requests without the header, so the proxy may protect the login page only.
    """

    header = "HTTP_" + settings.REMOTE_USER_HEADER.upper().replace("-", "_")

    def process_request(self, request: HttpRequest) -> None:
        """Log the user in, if the header comes from a trusted proxy."""
        if self.header not in request.META:
            return
        proxies = parse_networks(settings.TRUSTED_PROXIES)
        if is_in(client(request.META.get("REMOTE_ADDR", ""), "", ()), proxies) and request.META[self.header]:
            super().process_request(request)
        else:
            del request.META[self.header]


class InvitedOnly(RemoteUserBackend):
    """Creates no accounts: users must have been invited, even if the proxy has authenticated them."""

    create_unknown_user = False

    def configure_user(self, request: HttpRequest | None, user: Any, created: bool = True) -> Any:
        """Add the login to the audit trail. Called by Django for every name; user is None if no account matches."""
        if user is not None and self.user_can_authenticate(user):
            note(user, "login.proxy", user.get_username())
        return user
