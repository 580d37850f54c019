"""The transport for each protocol. To add one, write a package beside this module and add a row here. No Django."""

from collections.abc import Callable

from harvesting.http.fetch import Fetcher
from harvesting.transports.file.transport import FileTransport
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.transports.resourcesync.transport import ResourceSyncTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.transports.rss.transport import RssTransport
from harvesting.types import Source, Transport


def _oai_pmh(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return OaiPmhTransport(source.base_url, fetcher.fetch, retry_policy, method=source.method, encoding=source.encoding)


def _resourcesync(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return ResourceSyncTransport(source.base_url, fetcher.fetch, retry_policy)


def _rss(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return RssTransport(source, fetcher.fetch, retry_policy)


def _file(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return FileTransport(source, fetcher.fetch, retry_policy)


TRANSPORTS: dict[str, Callable[[Source, Fetcher, RetryPolicy], Transport]] = {
    "oai-pmh": _oai_pmh,
    "resourcesync": _resourcesync,
    "rss": _rss,
    "file": _file,
}
