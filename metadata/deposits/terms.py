"""What a provider has agreed with the agencies, and whether a DOI that a record asks for keeps to it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from metadata.deposits.kinds import AGENCIES
from metadata.deposits.needs import REGISTRATION
from metadata.deposits.values import HANDLE_HOST, address_of, doi_of
from metadata.issue import Issue, where
from metadata.record import BibliographicRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """prefixes: agency -> the prefixes ("10.12345") that it has given the provider. hosts: of the provider's pages.

    Without any prefix the provider takes no part, and nothing is checked; without hosts these are not.
    """

    prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()


NO_TERMS = Terms()


def check_terms(record: BibliographicRecord, terms: Terms) -> Iterator[Issue]:
    """Yield what in the DOI of the record, and in the address to which it leads, is not the provider's."""
    for agency in AGENCIES:
        doi = doi_of(record, agency)
        if not doi or not any(terms.prefixes.values()):
            continue
        known = terms.prefixes.get(agency, ())
        if doi.partition("/")[0] not in known:
            place = where(REGISTRATION, "identifierType", agency)
            yield Issue(code="doi.E021", field=place, value=doi, result=", ".join(known) or "-")
        address = address_of(record)
        if address and terms.hosts and not _is_on(address, (*terms.hosts, HANDLE_HOST)):
            yield Issue(code="doi.E024", field="jpcoar:identifier", value=address, result=", ".join(terms.hosts))


def _is_on(address: str, hosts: tuple[str, ...]) -> bool:
    """Whether an address is on one of the hosts, or on a host below one."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    return any(host == known or host.endswith(f".{known}") for known in hosts)
