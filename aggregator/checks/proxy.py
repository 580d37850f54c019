"""The deployment check that tries whether the web server in front passes on a user name that a browser has sent.

It asks this site under its public address, so it runs with “check --deploy” only, not when a process starts.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.urls import reverse
from django.utils.translation import gettext as _

from aggregator.access.remote_user import IGNORED
from aggregator.checks.settings import in_locale_language
from harvesting.http.fetch import Fetcher
from harvesting.registry.transport import operator_policy
from harvesting.types import TransportError

SECONDS = 10.0


@in_locale_language
def check_proxy(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    return list(proxy_removes_user_names()) if settings.REMOTE_USER_HEADER else []


def proxy_removes_user_names() -> Iterator[CheckMessage]:
    """Send a user name to a page and to the login, in both spellings that the program cannot tell apart."""
    name = settings.REMOTE_USER_HEADER
    for path in (f"{reverse('healthz')}?live", reverse("login")):
        for spelling in dict.fromkeys((name, name.replace("-", "_"))):
            try:
                passed_on = IGNORED.lower() in _headers(f"{settings.PUBLIC_URL}{path}", spelling)
            except TransportError as error:
                yield _untried(error.message)
                return
            if passed_on:
                yield Error(
                    _("The web server in front passes on the header %(header)s that browsers send to %(path)s.")
                    % {"header": spelling, "path": path},
                    hint=_("Let “deploy/new_settings.py --nginx” write its configuration, or remove the header there."),
                    id="aggregator.E032",
                )


def _headers(url: str, spelling: str) -> dict[str, str]:
    with Fetcher(replace(operator_policy("PUBLIC_URL"), deadline=SECONDS)) as fetcher:
        return dict(fetcher.fetch(url, headers={spelling: "forged"}).headers)


def _untried(reason: str) -> Warning:
    return Warning(
        _("Whether the web server in front removes the header %(header)s could not be tried (%(reason)s).")
        % {"header": settings.REMOTE_USER_HEADER, "reason": reason},
        hint=_("Run “check --deploy” again when the site answers at PUBLIC_URL."),
        id="aggregator.W010",
    )
