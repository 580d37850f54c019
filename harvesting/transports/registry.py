"""Which transport speaks which protocol. To add one: a module beside this, and a row here. No Django."""

from collections.abc import Callable

from harvesting.http.fetch import Fetcher
from harvesting.transports.file.transport import FileTransport
from harvesting.transports.oai_pmh.transport import OaiPmhTransport, Patience
from harvesting.transports.resourcesync.transport import ResourceSyncTransport
from harvesting.transports.rss.transport import RssTransport
from harvesting.types import Source, Transport


def _oai_pmh(source: Source, fetcher: Fetcher, patience: Patience) -> Transport:
    return OaiPmhTransport(source.base_url, fetcher.fetch, patience, method=source.method, encoding=source.encoding)


def _resourcesync(source: Source, fetcher: Fetcher, patience: Patience) -> Transport:
    return ResourceSyncTransport(source.base_url, fetcher.fetch, patience)


def _rss(source: Source, fetcher: Fetcher, patience: Patience) -> Transport:
    return RssTransport(source, fetcher.fetch, patience)


def _file(source: Source, fetcher: Fetcher, patience: Patience) -> Transport:
    return FileTransport(source, fetcher.fetch, patience)


TRANSPORTS: dict[str, Callable[[Source, Fetcher, Patience], Transport]] = {
    "oai-pmh": _oai_pmh,
    "resourcesync": _resourcesync,
    "rss": _rss,
    "file": _file,
}
