"""System checks of settings: each message has an id and says what to do. No database, no network.

Checks that only matter for a public site are in `aggregator.checks.public`, those of the machine and its services in
`aggregator.checks.machine`. All are registered in `aggregator.apps`.
"""

import os
from collections.abc import Callable, Iterator
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import override

from aggregator.access.permissions import addresses, declared
from aggregator.search import ENGINES
from core.commands import locale_language
from core.files.place import UnknownPlace, bucket_of
from core.http.client_address import parse_networks
from harvesting.http.addresses import parse_allowed_networks
from metadata.formats import xsd_roots
from metadata.validation.xsd.folder import SchemaFolder

type Check = Callable[..., list[CheckMessage]]
LEAST_SECRET = 20  # characters of the secret that the proxy sends
LOOPBACK_HOSTS = {"127.0.0.1", "localhost", "[::1]", "::1", "testserver"}


def in_locale_language(check: Check) -> Check:
    """Run the check in the language of the locale, since its messages are read in the terminal."""

    @wraps(check)
    def translated(app_configs: Any, **options: Any) -> list[CheckMessage]:
        with override(locale_language()):
            return check(app_configs, **options)

    return translated


@in_locale_language
def check_site(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    return [
        *debug_is_off(),
        *secret_is_own(),
        *public_url_is_answered(),
        *proxies_are_readable(),
        *proxies_are_named(),
        *networks_of_metrics_are_readable(),
        *limits_are_sensible(),
        *addresses_are_declared(),
        *logins_are_sensible(),
        *mail_is_sensible(),
        *search_engine_is_known(),
        *place_of_files_is_known(),
    ]


@in_locale_language
def check_harvesting(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    return [
        *networks_are_readable(),
        *seconds_are_sensible(),
        *contact_is_given(),
        *keys_are_usable(),
        *schemas_are_usable(),
        *search_engine_is_known(),
    ]


def named_hosts() -> dict[str, str]:
    return {"hosts": ", ".join(public_hosts())}


def public_hosts() -> list[str]:
    """Return the hosts in ALLOWED_HOSTS other than this machine itself."""
    return sorted({*settings.ALLOWED_HOSTS} - LOOPBACK_HOSTS)


def debug_is_off() -> Iterator[CheckMessage]:
    if settings.DEBUG and public_hosts():
        yield Error(
            _("DEBUG is on while the site is served as %(hosts)s: error pages would show settings.") % named_hosts(),
            hint=_("Unset DEBUG."),
            id="aggregator.E001",
        )


def secret_is_own() -> Iterator[CheckMessage]:
    if public_hosts() and not os.environ.get("SECRET_KEY"):
        yield Error(
            _("SECRET_KEY is not set, but the site is served as %(hosts)s.") % named_hosts(),
            hint=_("Set SECRET_KEY to a long random string known only to this installation."),
            id="aggregator.E002",
        )


def public_url_is_answered() -> Iterator[CheckMessage]:
    parts = urlsplit(settings.PUBLIC_URL)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        yield Error(
            _("PUBLIC_URL is not a web address: %(value)r.") % {"value": settings.PUBLIC_URL},
            hint=_("For example https://books.example.jp"),
            id="aggregator.E004",
        )
    elif not any(covers(pattern, parts.hostname) for pattern in settings.ALLOWED_HOSTS):
        yield Warning(
            _("PUBLIC_URL uses the host %(host)s, which is not in ALLOWED_HOSTS: published links would be refused.")
            % {"host": parts.hostname},
            hint=_("Add the host to ALLOWED_HOSTS."),
            id="aggregator.W002",
        )


def covers(pattern: str, host: str) -> bool:
    """Return whether an entry of ALLOWED_HOSTS matches, as in Django: a name, ".example.jp" with subdomains, or "*"."""
    return pattern in {"*", host, f"[{host}]"} or (pattern.startswith(".") and f".{host}".endswith(pattern))


def proxies_are_readable() -> Iterator[CheckMessage]:
    hint = _("Addresses or networks of your own proxies, separated by commas: 127.0.0.1,10.1.2.0/24")
    yield from entries_are_readable("TRUSTED_PROXIES", parse_networks, hint, "aggregator.E009")


def networks_of_metrics_are_readable() -> Iterator[CheckMessage]:
    hint = _("Addresses or networks, separated by commas: 127.0.0.1,10.1.2.0/24")
    yield from entries_are_readable("METRICS_NETWORKS", parse_networks, hint, "aggregator.E028")


def entries_are_readable(
    name: str, parse: Callable[[list[str]], object], hint: str, code: str
) -> Iterator[CheckMessage]:
    """Yield an error for every entry of a setting for which `parse` raises ValueError."""
    for entry in getattr(settings, name):
        try:
            parse([entry])
        except ValueError as error:
            text = _("%(name)s: %(entry)r cannot be read (%(reason)s).")
            yield Error(text % {"name": name, "entry": entry, "reason": error}, hint=hint, id=code)


def proxies_are_named() -> Iterator[CheckMessage]:
    """The web server, granian, listens on this machine only, so a public site has a proxy in front of it."""
    if settings.PUBLIC_URL.startswith("https:") and not settings.TRUSTED_PROXIES:
        yield Warning(
            _("TRUSTED_PROXIES is not set: readers' addresses are unknown, so searches are not counted per network."),
            hint=_(
                "Set it to the proxy in front of this site, for example 127.0.0.1; the proxy must set X-Forwarded-For."
            ),
            id="aggregator.W005",
        )


def addresses_are_declared() -> Iterator[CheckMessage]:
    for name, route, _parts in addresses():
        if declared(name) is None:
            yield Error(
                _("Nobody can open the address %(route)s (%(name)s): no minimum role is declared for it.")
                % {"route": route, "name": name},
                hint=_("Add a row to aggregator/access/permissions.py."),
                id="aggregator.E011",
            )


def logins_are_sensible() -> Iterator[CheckMessage]:
    """A user header without a trusted proxy, or an identity provider without https, would let anybody log in."""
    if settings.REMOTE_USER_HEADER and not settings.TRUSTED_PROXIES:
        yield Error(
            _("REMOTE_USER_HEADER is set, but TRUSTED_PROXIES lists no proxy that may send it."),
            hint=_("Add the proxy in front of this site to TRUSTED_PROXIES, for example 127.0.0.1."),
            id="aggregator.E012",
        )
    if settings.REMOTE_USER_HEADER and len(settings.REMOTE_USER_SECRET) < LEAST_SECRET:
        yield Error(
            _("REMOTE_USER_HEADER is set, but REMOTE_USER_SECRET has fewer than %(least)d characters.")
            % {"least": LEAST_SECRET},
            hint=_(
                "Let “deploy/new_settings.py” generate one, and let the proxy send it before the name, "
                "separated by a space."
            ),
            id="aggregator.E031",
        )
    parts = urlsplit(settings.OIDC_ISSUER)
    if settings.OIDC_ISSUER and parts.scheme != "https" and parts.hostname not in LOOPBACK_HOSTS:
        yield Error(
            _("OIDC_ISSUER is not an https address: %(value)r.") % {"value": settings.OIDC_ISSUER},
            hint=_(
                "Enter the issuer exactly as the identity provider states it, for example https://login.example.ac.jp"
            ),
            id="aggregator.E013",
        )
    if bool(settings.OIDC_ISSUER) != bool(settings.OIDC_CLIENT_ID):
        yield Error(
            _("OIDC_ISSUER and OIDC_CLIENT_ID must be set together, and one of them is not set."),
            hint=_("The identity provider issues the client ID when this site is registered with it."),
            id="aggregator.E013",
        )


def mail_is_sensible() -> Iterator[CheckMessage]:
    port = str(settings.MAIL_SERVER["port"])
    if not port.isdecimal() or not 0 < int(port) < 65536:
        text = _("EMAIL_PORT is %(value)r; it must be a port number.") % {"value": port}
        yield Error(text, hint=_("Usually 587 or 25."), id="aggregator.E014")
    if settings.MAIL_SECURITY not in ("", "starttls", "tls"):
        text = _("EMAIL_SECURITY is %(value)r.") % {"value": settings.MAIL_SECURITY}
        yield Error(text, hint=_("Use “starttls” or “tls”, or unset it."), id="aggregator.E014")


def search_engine_is_known() -> Iterator[CheckMessage]:
    """Refuse an unknown SEARCH_URL: were it ignored, operators would wait for documents in a cluster that gets none."""
    parts = urlsplit(settings.SEARCH_URL)
    if settings.SEARCH_URL and (not parts.scheme or parts.scheme not in ENGINES):
        shown = f"{parts.scheme}://{parts.hostname}" if parts.scheme and parts.hostname else _("not a URL")
        yield Error(
            _("SEARCH_URL names a search engine that this version cannot use (%(shown)s).") % {"shown": shown},
            hint=_("Unset SEARCH_URL to keep the index in AGGREGATOR_DATA, where one machine searches and writes."),
            id="aggregator.E030",
        )


def place_of_files_is_known() -> Iterator[CheckMessage]:
    """Refuse an unreadable FILES_URL: files would go to a folder of one machine, where others do not find them."""
    if not settings.FILES_URL:
        return
    if find_spec("storages") is None:
        yield Error(
            _("FILES_URL is set, but its packages are not installed."),
            hint=_("Install the packages in requirements-s3.txt into .venv, or unset FILES_URL."),
            id="aggregator.E034",
        )
    try:
        bucket_of(settings.FILES_URL)
    except UnknownPlace:
        yield Error(
            _("FILES_URL is not the address of a bucket."),
            hint=_(
                "Use s3://BUCKET/PREFIX; keys and the address of the server are named by AWS_ACCESS_KEY_ID, "
                "AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL_S3."
            ),
            id="aggregator.E035",
        )


def limits_are_sensible() -> Iterator[CheckMessage]:
    minimums = {"SEARCH_SLOTS": 1.0, "SEARCH_RATE": 0.0, "SEARCH_BURST": 1.0, "RESULTS_SECONDS": 0.0, "DUMP_DAYS": 0.0}
    minimums |= {"LOANS_PER_DAY": 1.0, "LINK_CHECKS_PER_DAY": 0.0, "LINK_CHECKS_PER_HOST": 1.0, "LINK_DEAD_DAYS": 1.0}
    database_minimums = {"DATABASE_SECONDS": 0.0, "DATABASE_LOCK_SECONDS": 0.0, "DATABASE_IDLE_SECONDS": 0.0}
    minimums |= database_minimums | {"AVAILABILITY_MINUTES": 0.0, "LIVE_MINUTES": 0.0}
    yield from at_least(minimums, _("a number"), "aggregator.E010")


def at_least(minimums: dict[str, float], what: str, code: str) -> Iterator[CheckMessage]:
    """Yield an error for every setting that is not a number or is below its minimum."""
    for name, minimum in minimums.items():
        value = getattr(settings, name)
        if not minimum <= value < float("inf"):
            yield Error(
                _("%(name)s is %(value)s; it must be %(what)s, at least %(least)s.")
                % {"name": name, "value": os.environ.get(name, value), "what": what, "least": f"{minimum:g}"},
                hint=_("Unset %(name)s to use the default.") % {"name": name},
                id=code,
            )


def networks_are_readable() -> Iterator[CheckMessage]:
    hint = _("Networks with or without ports, separated by commas: 10.1.0.0/16,127.0.0.0/8:8400-8499")
    yield from entries_are_readable("HARVEST_ALLOWED_NETWORKS", parse_allowed_networks, hint, "aggregator.E003")


def seconds_are_sensible() -> Iterator[CheckMessage]:
    minimums = {"HARVEST_MIN_PAUSE": 0.0, "HARVEST_DEADLINE": 1.0, "HARVEST_RETRY_WAIT": 0.0}
    yield from at_least(minimums, _("a number of seconds"), "aggregator.E005")


def contact_is_given() -> Iterator[CheckMessage]:
    if not settings.HARVEST_CONTACT:
        yield Warning(
            _("HARVEST_CONTACT is not set: the providers that are harvested cannot reach you."),
            hint=_("Set it to the e-mail address of the person who runs the harvests."),
            id="aggregator.W001",
        )
        return
    try:
        validate_email(settings.HARVEST_CONTACT)
    except ValidationError:
        yield Error(
            _("HARVEST_CONTACT is not an e-mail address: %(value)r.") % {"value": settings.HARVEST_CONTACT},
            hint=_("One address, for example harvest@library.example.jp"),
            id="aggregator.E006",
        )


def keys_are_usable() -> Iterator[CheckMessage]:
    for number, key in enumerate(settings.CREDENTIALS_KEYS, start=1):
        try:
            Fernet(key)
        except ValueError:
            yield Error(
                _("Key %(number)s of CREDENTIALS_KEYS is not a Fernet key.") % {"number": number},
                hint=_("“manage.py rotate_credentials --new-key” prints a new key. Separate several keys with commas."),
                id="aggregator.E007",
            )


def schemas_are_usable() -> Iterator[CheckMessage]:
    """Checking records against schemas is optional, so a missing setting is not reported."""
    if not settings.AGGREGATOR_SCHEMAS:
        return
    path = Path(settings.AGGREGATOR_SCHEMAS)
    if not path.is_dir():
        yield Error(
            _("AGGREGATOR_SCHEMAS names a folder that does not exist: %(path)s.") % {"path": path},
            hint=_(
                "“manage.py fetch_schemas” creates and fills it; "
                "to use the schemas that are shipped, unset AGGREGATOR_SCHEMAS."
            ),
            id="aggregator.E008",
        )
        return
    folder = SchemaFolder(path)
    reasons = {name: folder.unusable_reason(tag) for name, tag in xsd_roots().items()}
    if all(reason is None for reason in reasons.values()):
        yield Warning(
            _("AGGREGATOR_SCHEMAS: %(path)s contains no schema for any format that this program reads.")
            % {"path": path},
            hint=_(
                "“manage.py fetch_schemas” fetches the official schemas, which are listed in "
                "docs/how-to/check-against-schemas.md."
            ),
            id="aggregator.W003",
        )
    for name, reason in reasons.items():
        if reason:
            yield Warning(
                _(
                    "AGGREGATOR_SCHEMAS: records in %(name)s are not checked, "
                    "because the schema cannot be used: %(reason)s"
                )
                % {"name": name, "reason": reason},
                hint=_("“manage.py fetch_schemas” fetches the missing ones."),
                id="aggregator.W004",
            )
