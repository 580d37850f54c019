"""The domain in identifiers, and the admin e-mail address. Reads settings; no database access."""

import re
from urllib.parse import urlsplit

from django.conf import settings

# The pattern of a domain name in oai-identifier.xsd.
_DOMAIN = re.compile(r"[a-zA-Z][a-zA-Z0-9\-]*(\.[a-zA-Z][a-zA-Z0-9\-]*)+")
_FALLBACK = "aggregator.localhost"  # for a site that has only an IP address or a host name without a dot


def namespace() -> str:
    """Return the domain name in identifiers: OAI_NAMESPACE, else the host of PUBLIC_URL."""
    name = settings.OAI_NAMESPACE or urlsplit(settings.PUBLIC_URL).hostname or ""
    return name if _DOMAIN.fullmatch(name) else _FALLBACK


def identifier_prefix() -> str:
    """Return the beginning of all identifiers."""
    return f"oai:{namespace()}:"


def admin_email() -> str:
    """Return an e-mail address of the operators; the protocol requires one."""
    candidates = (settings.SITE_CONTACT.removeprefix("mailto:"), settings.HARVEST_CONTACT)
    return next(
        (address for address in candidates if re.fullmatch(r"[^\s@]+@([^\s@]+\.)+[^\s@]+", address)),
        f"webmaster@{namespace()}",
    )
