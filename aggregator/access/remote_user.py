"""Single sign-on by a trusted proxy that has authenticated the user (Shibboleth, GakuNin) and names them in a header.

The setting REMOTE_USER_HEADER turns this on. The value of the header is REMOTE_USER_SECRET, a space, and a login name,
for which an account must exist. It is believed at /login only, only from TRUSTED_PROXIES, and only with the secret.

The secret is in the same header as the name because WSGI servers make the same variable of X-Remote-User and
X_Remote_User: a second header with the secret would not show which of the two a browser has sent.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import PersistentRemoteUserMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.debug import sensitive_variables

from core.http.client_address import client, is_in, parse_networks
from harvesting.audit.trail import note

# Header of a response to a request whose header with the user's name was IGNORED: if a browser gets it, the proxy does
# not remove such headers from requests, as it must. Or the name was believed but there is no such account (UNKNOWN): if
# the name was made up by the browser, the proxy has not authenticated it. A system check looks for both
# (`aggregator.checks.proxy`).
RESULT, IGNORED, UNKNOWN = "X-Aggregator-Remote-User", "ignored", "unknown"
LOGGED_IN = "aggregator.remote_user"  # key in request.META: the proxy has logged the user in with this request


class ProxyLogin(PersistentRemoteUserMiddleware):
    """Must come after Django's AuthenticationMiddleware, and after the language prefix is removed from the path.

    Persistent: the user stays logged in on requests without the header.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        super().__init__(get_response)
        self.header = "HTTP_" + settings.REMOTE_USER_HEADER.upper().replace("-", "_")  # type: ignore[misc]

    @sensitive_variables("value")
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Log the user in, if the proxy names one. Nothing else sees the header."""
        value = request.META.pop(self.header, "")
        name = believed_name(request, value)
        if name:
            request.META[self.header] = name
            self.process_request(request)
            del request.META[self.header]
            request.META[LOGGED_IN] = True
        response: HttpResponseBase = self.get_response(request)  # type: ignore[assignment]
        if value and name is None:
            response[RESULT] = IGNORED
        elif name and not request.user.is_authenticated:
            response[RESULT] = UNKNOWN
        return response


@sensitive_variables("value", "secret")
def believed_name(request: HttpRequest, value: str) -> str | None:
    """Return the login name in the header, "" if the proxy has authenticated nobody, None if it cannot be believed."""
    secret, _space, name = value.partition(" ")
    proxies = parse_networks(settings.TRUSTED_PROXIES)
    is_believed = (
        request.path_info == reverse("login")
        and is_in(client(request.META.get("REMOTE_ADDR", ""), "", ()), proxies)
        and bool(settings.REMOTE_USER_SECRET)
        and constant_time_compare(secret, settings.REMOTE_USER_SECRET)
    )
    return name.strip() if is_believed else None


class InvitedOnly(RemoteUserBackend):
    """Creates no accounts: users must have been invited, even if the proxy has authenticated them."""

    create_unknown_user = False

    def configure_user(self, request: HttpRequest | None, user: Any, created: bool = True) -> Any:
        """Add the login to the audit trail. Called by Django for every name; user is None if no account matches."""
        if user is not None and self.user_can_authenticate(user):
            note(user, "login.proxy", user.get_username())
        return user
