"""Logging in by a proxy of our own that has asked already (Shibboleth, GakuNin): it names the person in a header.

Only the machines of TRUSTED_PROXIES are believed; from everybody else the header is taken away before it is read. An
account must exist: its login name is what the proxy says. On with REMOTE_USER_HEADER.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import PersistentRemoteUserMiddleware
from django.http import HttpRequest

from core.http.client_address import client, is_in, parse_networks
from harvesting.audit.trail import note


class ProxyLogin(PersistentRemoteUserMiddleware):
    """Behind Django's AuthenticationMiddleware. Persistent: the proxy may guard the login page alone."""

    header = "HTTP_" + settings.REMOTE_USER_HEADER.upper().replace("-", "_")

    def process_request(self, request: HttpRequest) -> None:
        """Believes the header from our own proxies only."""
        if self.header not in request.META:
            return
        proxies = parse_networks(settings.TRUSTED_PROXIES)
        if is_in(client(request.META.get("REMOTE_ADDR", ""), "", ()), proxies) and request.META[self.header]:
            super().process_request(request)
        else:
            del request.META[self.header]


class InvitedOnly(RemoteUserBackend):
    """Makes no accounts: who is not invited is nobody here, wherever she logged in."""

    create_unknown_user = False

    def configure_user(self, request: HttpRequest | None, user: Any, created: bool = True) -> Any:
        """Called by Django for everybody that the header names; user is None where there is no such account."""
        if user is not None and self.user_can_authenticate(user):
            note(user, "login.proxy", user.get_username())
        return user
