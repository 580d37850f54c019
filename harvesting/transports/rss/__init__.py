"""Harvesting of RSS and Atom feeds."""

from harvesting.http.fetch import Fetcher
from harvesting.texts import _
from harvesting.transports.kind import Detection, TransportKind
from harvesting.transports.retries import RetryPolicy
from harvesting.transports.rss.messages import MESSAGES
from harvesting.transports.rss.transport import RssTransport
from harvesting.types import Source, Transport
from metadata.formats import FEED_ITEM

_ROOTS = (b"rss", b"feed")  # Atom, too: the transport reports what it can use
_RSS_1 = b"http://purl.org/rss/1.0/"


def _make(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return RssTransport(source, fetcher.fetch, retry_policy)


def _recognises(root: bytes, start: bytes) -> bool:
    return root in _ROOTS or (root == b"RDF" and _RSS_1 in start)


TRANSPORT = TransportKind(
    name="rss",
    label="RSS",
    make=_make,
    address=_("RSS: the URL of the feed."),
    place=_("of an RSS or Atom feed"),
    guide=_(
        "RSS 1.0 or 2.0, in UTF-8. A feed cannot report deletions: please offer a second address that lists all "
        "records, so that deletions can be detected."
    ),
    detection=Detection(recognises=_recognises),
    default_prefix=FEED_ITEM.prefix,
    needs_full_runs=True,
    full_list_apart=True,
    messages=MESSAGES,
    issue_codes=frozenset({"rss.E001", "rss.N002", "rss.W008"}),  # the others are found by reading the record
)
