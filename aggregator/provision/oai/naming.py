"""What identifiers and the repository itself are called. Knows the settings; no records."""

import re
from urllib.parse import urlsplit

from django.conf import settings

# oai-identifier.xsd
_DOMAIN = re.compile(r"[a-zA-Z][a-zA-Z0-9\-]*(\.[a-zA-Z][a-zA-Z0-9\-]*)+")
_TRIAL = "aggregator.localhost"  # where the site has no name of its own: an address, a bare host


def namespace() -> str:
    """The domain name in identifiers: OAI_NAMESPACE, else the host of PUBLIC_URL."""
    name = settings.OAI_NAMESPACE or urlsplit(settings.PUBLIC_URL).hostname or ""
    return name if _DOMAIN.fullmatch(name) else _TRIAL


def identifier_start() -> str:
    """What every identifier begins with."""
    return f"oai:{namespace()}:"


def admin_email() -> str:
    """An address of who runs the site; the protocol wants one."""
    known = (settings.SITE_CONTACT.removeprefix("mailto:"), settings.HARVEST_CONTACT)
    return next(
        (each for each in known if re.fullmatch(r"[^\s@]+@([^\s@]+\.)+[^\s@]+", each)), f"webmaster@{namespace()}"
    )
