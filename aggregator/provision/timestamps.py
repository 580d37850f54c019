"""Formatting of stamps. No database access."""

import time
from functools import lru_cache


def utc_timestamp(second: int | None) -> str:
    """Return seconds since 1970 in the form of OAI-PMH and W3C Datetime: 2026-11-22T05:00:00Z. None: now."""
    return _formatted(int(time.time()) if second is None else second)


@lru_cache(maxsize=1024)  # the entries of a page share a few seconds
def _formatted(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))
