"""The domain in identifiers, and the admin e-mail address. Reads settings; no database access."""

import re

from django.conf import settings

from aggregator.catalogue.identity import domain


def identifier_prefix() -> str:
    """Return the beginning of all identifiers."""
    return f"oai:{domain()}:"


def admin_email() -> str:
    """Return an e-mail address of the operators; the protocol requires one."""
    candidates = (settings.SITE_CONTACT.removeprefix("mailto:"), settings.HARVEST_CONTACT)
    return next(
        (address for address in candidates if re.fullmatch(r"[^\s@]+@([^\s@]+\.)+[^\s@]+", address)),
        f"webmaster@{domain()}",
    )
