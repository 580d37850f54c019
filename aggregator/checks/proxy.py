"""The deployment check that tries whether the web server in front passes on a user name that a browser has made up.

It asks this site under its public address, so it runs with “check --deploy” only, not when a process starts.
"""

import secrets
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.urls import reverse
from django.utils.translation import gettext as _

from aggregator.access.remote_user import RESULT, UNKNOWN
from aggregator.checks.settings import in_locale_language
from harvesting.http.fetch import Fetcher
from harvesting.registry.transport import operator_policy
from harvesting.types import TransportError

SECONDS = 10.0


@in_locale_language
def check_proxy(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    return list(proxy_removes_user_names()) if settings.REMOTE_USER_HEADER else []


def proxy_removes_user_names() -> Iterator[CheckMessage]:
    """Send a user name to a page and to the login, in both spellings that the program cannot tell apart, and as that of
    HTTP authentication, which nginx believes unchecked where it does not authenticate itself.
    """
    name, login, forged = settings.REMOTE_USER_HEADER, reverse("login"), f"forged-{secrets.token_hex(8)}"
    spellings = dict.fromkeys((name, name.replace("-", "_")))
    headers = [(path, spelling) for path in (f"{reverse('healthz')}?live", login) for spelling in spellings]
    try:
        for path, spelling in headers:
            if _result(path, spelling, forged):
                yield _passed_on(path, spelling)
        if _result(login, "Authorization", f"Basic {b64encode(f'{forged}:'.encode()).decode()}") == UNKNOWN:
            yield _unchecked(login)
    except TransportError as error:
        yield _untried(error.message)


def _result(path: str, header: str, value: str) -> str:
    """What the program says that it did with the name in a request with this header; "" if none arrived."""
    with Fetcher(replace(operator_policy("PUBLIC_URL"), deadline=SECONDS)) as fetcher:
        response = fetcher.fetch(f"{settings.PUBLIC_URL}{path}", headers={header: value})
        return response.headers.get(RESULT.lower(), "")


def _passed_on(path: str, header: str) -> Error:
    return Error(
        _("The web server in front passes on the header %(header)s that browsers send to %(path)s.")
        % {"header": header, "path": path},
        hint=_("Let “deploy/new_settings.py --nginx” write its configuration, or remove the header there."),
        id="aggregator.E032",
    )


def _unchecked(path: str) -> Error:
    return Error(
        _("The web server in front believes the name that a browser sends to %(path)s, without checking a password.")
        % {"path": path},
        hint=_(
            "Anybody can log in as an administrator. In its configuration, replace $remote_user by the variable of the "
            "module that authenticates, or let auth_basic protect the address."
        ),
        id="aggregator.E036",
    )


def _untried(reason: str) -> Warning:
    return Warning(
        _("Whether the web server in front removes the header %(header)s could not be tried (%(reason)s).")
        % {"header": settings.REMOTE_USER_HEADER, "reason": reason},
        hint=_("Run “check --deploy” again when the site answers at PUBLIC_URL."),
        id="aggregator.W010",
    )
