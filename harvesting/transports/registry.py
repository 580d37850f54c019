"""Which transport speaks which protocol. To add one: a module beside this, and a row here. No Django."""

from collections.abc import Callable

from harvesting.fetch import Fetcher
from harvesting.transports.base import Transport
from harvesting.transports.oai_pmh import OaiPmhTransport, Patience


def _oai_pmh(base_url: str, fetcher: Fetcher, patience: Patience) -> Transport:
    return OaiPmhTransport(base_url, fetcher.fetch, patience)


TRANSPORTS: dict[str, Callable[[str, Fetcher, Patience], Transport]] = {
    "oai-pmh": _oai_pmh,
}
