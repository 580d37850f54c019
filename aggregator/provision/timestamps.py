"""How a stamp is written for others. Pure."""

from time import gmtime, strftime


def moment(second: int | None) -> str:
    """Seconds since 1970 in UTC as OAI-PMH and W3C Datetime write them: 2026-11-22T05:00:00Z. None: now."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(second))
