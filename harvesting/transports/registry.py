"""The transports. To add one, write a package beside this module and add a line here. No Django."""

from harvesting.http.fetch import Fetcher
from harvesting.transports import file, live, oai_pmh, push, resourcesync, rss
from harvesting.transports.kind import TransportKind
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Source, Transport, TransportError

# By name, in the order of choices. The first is the default.
TRANSPORTS: dict[str, TransportKind] = {
    kind.name: kind
    for kind in (
        oai_pmh.TRANSPORT,
        resourcesync.TRANSPORT,
        rss.TRANSPORT,
        file.TRANSPORT,
        push.TRANSPORT,
        *live.TRANSPORTS,
    )
}
DEFAULT = next(iter(TRANSPORTS.values()))


def _refuse(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    raise TransportError("unknown protocol", "run.unknown_protocol", permanent=True, url=source.base_url)


UNKNOWN = TransportKind(name="", label="", make=_refuse)  # for a feed whose protocol is not registered (any more)


def for_files() -> TransportKind:
    """The transport of files on this server."""
    return next(kind for kind in TRANSPORTS.values() if kind.reads_files)


def for_pushes() -> TransportKind:
    """The transport of records that providers send of their own accord."""
    return next(kind for kind in TRANSPORTS.values() if kind.is_pushed)


def live_protocols() -> list[str]:
    """The names of the protocols of which nothing is harvested, because readers' searches are passed on."""
    return [kind.name for kind in TRANSPORTS.values() if kind.is_live]


def fetched_protocols() -> list[str]:
    """The names of the protocols of which records are fetched, from an address or a file."""
    return [kind.name for kind in TRANSPORTS.values() if not kind.is_pushed]
