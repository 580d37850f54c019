"""What is odd in a response to Identify. Pure."""

from datetime import datetime
from urllib.parse import urlsplit

from harvesting.transports.oai_pmh.envelope import parse_date
from harvesting.types import Identity, Observation


def check_identity(identity: Identity, base_url: str, now: datetime) -> tuple[Observation, ...]:
    """Report another base URL than the registered one, and an unusable earliestDatestamp."""
    observations = []
    if _comparable(identity.base_url) != _comparable(base_url):
        facts = {"found": identity.base_url[:500] or "-", "url": base_url}
        observations.append(Observation(code="oai.base_url", facts=facts))
    earliest = parse_date(identity.earliest_datestamp)
    if earliest is None or earliest > now:
        facts = {"date": identity.earliest_datestamp[:50] or "-"}
        observations.append(Observation(code="oai.earliest", facts=facts))
    return tuple(observations)


def _comparable(url: str) -> str:
    """A base URL without the differences that do not matter: scheme, case of the host, final slash."""
    parts = urlsplit(url.strip())
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}?{parts.query}"
