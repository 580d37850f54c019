"""What a provider has agreed with the agencies, as the rules about DOIs take it."""

from urllib.parse import urlsplit

from harvesting.models import DoiAgreement, Feed, Repository
from metadata.deposits.kinds import CROSSREF, JALC
from metadata.deposits.terms import NO_TERMS, Terms


def terms_of(repository_id: int) -> Terms:
    """Return the terms of a provider: one query for a provider without an agreement, two more for others."""
    agreement = DoiAgreement.objects.filter(repository=repository_id).first()
    if agreement is None:
        return NO_TERMS
    prefixes = {JALC: tuple(agreement.jalc_prefixes.split()), CROSSREF: tuple(agreement.crossref_prefixes.split())}
    return Terms(prefixes=prefixes, hosts=_hosts(repository_id, agreement.hosts))


def _hosts(repository_id: int, further: str) -> tuple[str, ...]:
    """Return the hosts of the provider's home page and feeds, and those that its agreement names."""
    home = Repository.objects.filter(pk=repository_id).values_list("home_page", flat=True)
    feeds = Feed.objects.filter(repository=repository_id).values_list("base_url", flat=True)
    hosts = (urlsplit(address).hostname for address in (*home, *feeds) if "://" in address)
    return tuple(dict.fromkeys([*filter(None, hosts), *further.lower().split()]))
