"""Live sources as transports: they are described and tried like other providers, but nothing is harvested."""

from collections.abc import Callable

from harvesting.http.fetch import Fetcher
from harvesting.live.kinds import JSON, LINK, OPENSEARCH, SRU
from harvesting.live.messages import MESSAGES
from harvesting.live.types import LiveSource
from harvesting.texts import _
from harvesting.transports.kind import Detection, TransportKind
from harvesting.transports.live.transport import LiveTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Source, Transport
from metadata.formats import FEED_ITEM, FORMATS


def _maker(kind: str) -> Callable[[Source, Fetcher, RetryPolicy], Transport]:
    def make(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
        live = LiveSource(number="", names={}, kind=kind, address=source.base_url, options=source.live)
        return LiveTransport(live, fetcher.fetch)

    return make


def _is_explain(root: bytes, start: bytes) -> bool:
    """Whether a body answers an SRU address without parameters: with a description, or with an error.

    root: name of the root element. start: the beginning of the body. A response with records may be a file to harvest.
    """
    return root == b"explainResponse" or (
        root == b"searchRetrieveResponse" and b"diagnostic" in start and b"recordData" not in start
    )


def _is_description(root: bytes, start: bytes) -> bool:
    return root == b"OpenSearchDescription"


TRANSPORTS = (
    TransportKind(
        name=SRU,
        label=_("live search: SRU"),
        make=_maker(SRU),
        address=_("Live search by SRU: the address of the interface, without parameters."),
        place=_("of an SRU interface"),
        guide_heading=_("Live search"),
        guide=_(
            "Catalogues that cannot be harvested can be searched at the moment when a reader asks for it: SRU 1.1, 1.2 "
            "or 2.0, OpenSearch with RSS or Atom, or a service that answers in JSON. No records are stored here."
        ),
        detection=Detection(recognises=_is_explain, any_status=True),
        is_live=True,
        live_options=("known_item", "indexes", "search_page", "rate"),
        messages=MESSAGES,
    ),
    TransportKind(
        name=OPENSEARCH,
        label=_("live search: OpenSearch"),
        make=_maker(OPENSEARCH),
        address=_("Live search by OpenSearch: the address of the description, or of a page that links to it."),
        place=_("of an OpenSearch description"),
        detection=Detection(recognises=_is_description),
        default_prefix=FEED_ITEM.prefix,
        is_live=True,
        live_options=("known_item", "template", "search_page", "rate"),
    ),
    TransportKind(
        name=JSON,
        label=_("live search: JSON"),
        make=_maker(JSON),
        address=_(
            "Live search by JSON: the address of a search with {words} in place of the search words, such as "
            "https://catalog.example.jp/search?q={words}&limit={count}."
        ),
        default_prefix=next(known.prefix for known in FORMATS.values() if known.is_data(b"{")),
        is_live=True,
        live_options=("known_item", "items", "fields", "total", "link", "search_page", "encoding", "rate"),
    ),
    TransportKind(
        name=LINK,
        label=_("live search: link only"),
        make=_maker(LINK),
        address=_(
            "Live search by link only: the address of the results page of the catalogue, with {words} in place of the "
            "search words."
        ),
        is_live=True,
        is_link=True,
        live_options=("encoding",),
    ),
)
