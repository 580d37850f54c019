"""Formatting of stamps. No database access."""

from time import gmtime, strftime


def utc_timestamp(second: int | None) -> str:
    """Return seconds since 1970 in the form of OAI-PMH and W3C Datetime: 2026-11-22T05:00:00Z. None: now."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(second))
