"""Harvesting of files, uploaded or at an address: XML, MARC, JSON and tables."""

from harvesting.http.fetch import Fetcher
from harvesting.texts import _
from harvesting.transports.file.messages import MESSAGES
from harvesting.transports.file.transport import FileTransport
from harvesting.transports.kind import TransportKind
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Source, Transport


def _make(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return FileTransport(source, fetcher.fetch, retry_policy)


TRANSPORT = TransportKind(
    name="file",
    label=_("file"),
    make=_make,
    address=_("File: the URL of the file, or upload it below."),
    guide_heading=_("A file"),
    guide=_(
        "XML, MARC, JSON Lines, CSV or TSV, at an address or uploaded. Suitable for small collections and for getting "
        "started."
    ),
    reads_files=True,
    messages=MESSAGES,
    issue_families=frozenset({"file"}),
)
