"""System checks that only matter once others can reach the site: secrets, addresses, access to services.

They read settings; they use no database and no network. Nothing is reported on a developer's own machine, so that the
two commands of the README need no settings.
"""

import ipaddress
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.utils.translation import gettext as _

from aggregator.checks.settings import LOOPBACK_HOSTS, in_locale_language, public_hosts
from core.database.dialects import dialect
from core.http.client_address import parse_networks
from core.log_lines import is_log_format

LEAST_SECRET = 50  # characters, as in Django's own deployment check
LEAST_TOKEN = 20  # characters
INTERNAL_SUFFIXES = (".local", ".internal", ".lan", ".home.arpa", ".localdomain")  # host names of local networks


@in_locale_language
def check_public(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    return [
        *secret_is_long(),
        *public_url_is_encrypted(),
        *hosts_are_named(),
        *credentials_keys_are_given(),
        *proxies_are_ours(),
        *queue_is_closed(),
        *database_is_shared(),
        *operation_is_sensible(),
    ]


def secret_is_long() -> Iterator[CheckMessage]:
    key = settings.SECRET_KEY
    if public_hosts() and (len(key) < LEAST_SECRET or len(set(key)) < 5 or key.startswith("django-insecure-")):
        yield Error(
            _("SECRET_KEY can be guessed: it has fewer than %(least)d characters, or is not random.")
            % {"least": LEAST_SECRET},
            hint=_("Generate one: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"),
            id="aggregator.E015",
        )


def public_url_is_encrypted() -> Iterator[CheckMessage]:
    """A public host name needs https; an address of the local network does not."""
    parts = urlsplit(settings.PUBLIC_URL)
    named = [host for host in public_hosts() if not is_internal(host.lstrip("."))]
    if named and parts.scheme == "http" and (parts.hostname in LOOPBACK_HOSTS or not is_internal(parts.hostname or "")):
        yield Error(
            _("PUBLIC_URL is %(url)s, but the site is served as %(hosts)s: passwords would be sent unencrypted.")
            % {"url": settings.PUBLIC_URL, "hosts": ", ".join(named)},
            hint=_("Set PUBLIC_URL to the https address of the site, and enable TLS on the web server in front of it."),
            id="aggregator.E016",
        )


def hosts_are_named() -> Iterator[CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        yield Error(
            _("ALLOWED_HOSTS is “*”: a forged Host header would appear in responses."),
            hint=_("List the host names of the site, separated by commas."),
            id="aggregator.E017",
        )


def credentials_keys_are_given() -> Iterator[CheckMessage]:
    """A key file beside the data would be lost or stolen together with it, and every machine would create its own."""
    if public_hosts() and not settings.CREDENTIALS_KEYS:
        yield Error(
            _(
                "CREDENTIALS_KEYS is not set: the key to the providers' passwords would be stored "
                "together with the passwords."
            ),
            hint=_(
                "“manage.py rotate_credentials --new-key” prints a new key. If AGGREGATOR_DATA contains "
                "a file “credentials_key”, use its lines, separated by commas, and keep the file "
                "elsewhere."
            ),
            id="aggregator.E018",
        )


def proxies_are_ours() -> Iterator[CheckMessage]:
    for entry in settings.TRUSTED_PROXIES:
        try:
            (network,) = parse_networks([entry])
        except ValueError:
            continue  # reported as aggregator.E009
        if network.prefixlen < 8:
            yield Error(
                _("TRUSTED_PROXIES includes %(network)s: anyone could forge a client address.") % {"network": network},
                hint=_("List only your own web servers, for example 127.0.0.1,10.1.2.0/24"),
                id="aggregator.E019",
            )


def queue_is_closed() -> Iterator[CheckMessage]:
    """Anybody who can write to the queue can run jobs on the workers."""
    parts = urlsplit(settings.REDIS_URL)
    if is_remote(parts) and not is_internal(parts.hostname or "") and not parts.password:
        yield Error(
            _("REDIS_URL points to %(host)s without a password: anyone could add jobs to the queue.")
            % {"host": parts.hostname},
            hint=_("Set a password (requirepass), and write the URL as rediss://:password@host:6379/0"),
            id="aggregator.E020",
        )
    if (parts.hostname or "") in LOOPBACK_HOSTS and not parts.password:
        yield Warning(
            _("REDIS_URL has no password: every user of this machine could add jobs to the queue."),
            hint=_("Use a socket (append deploy/redis.conf to redis.conf), or set a password (requirepass)."),
            id="aggregator.W011",
        )


def database_is_shared() -> Iterator[CheckMessage]:
    if is_remote(urlsplit(settings.REDIS_URL)) and not dialect().is_networked:
        yield Warning(
            _(
                "REDIS_URL points to another machine, but the database is a file on this one: workers on "
                "other machines cannot use it."
            ),
            hint=_("Set DATABASE_URL to a PostgreSQL server that all machines can reach."),
            id="aggregator.W006",
        )


def operation_is_sensible() -> Iterator[CheckMessage]:
    if not is_log_format(settings.LOG_FORMAT):
        yield Error(
            _("LOG_FORMAT is %(value)r.") % {"value": settings.LOG_FORMAT},
            hint=_("Use “json” or “line”, or unset it."),
            id="aggregator.E021",
        )
    if settings.METRICS_TOKEN and len(settings.METRICS_TOKEN) < LEAST_TOKEN:
        yield Error(
            _("METRICS_TOKEN can be guessed: it has fewer than %(least)d characters.") % {"least": LEAST_TOKEN},
            hint=_("Generate one: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"),
            id="aggregator.E022",
        )
    if settings.SENTRY_DSN and find_spec("sentry_sdk") is None:
        yield Error(
            _("SENTRY_DSN is set, but its package is not installed."),
            hint=_("Install the packages in requirements-sentry.txt into .venv, or unset SENTRY_DSN."),
            id="aggregator.E023",
        )


def is_remote(parts: SplitResult) -> bool:
    """Return whether a service is on another machine."""
    return bool(parts.hostname) and parts.hostname not in LOOPBACK_HOSTS and not is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_internal(host: str) -> bool:
    """Return whether only the local network can reach a host: a private address, a name without a dot, or one with a
    suffix for internal names.
    """
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_global
    except ValueError:
        return "." not in host or host.endswith(INTERNAL_SUFFIXES)
