"""Small feeds for tests, and a transport that harvests them from the fake server."""

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.retries import RetryPolicy
from harvesting.transports.rss.transport import RssTransport
from harvesting.types import Batch, HarvestRequest, Source
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer

NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
    'xmlns:dcndl="http://ndl.go.jp/dcndl/terms/" xmlns:atom="http://www.w3.org/2005/Atom"'
)
PUBLISHED = "<pubDate>Wed, 16 Feb 2022 23:19:50 +0900</pubDate>"


def item(number: int | str, extra: str = PUBLISHED, *, link: str = "", title: str = "") -> str:
    address = link or f"https://opac.example.jp/bib/{number}"
    return f"<item><title>{title or f'見本の本{number}'}</title><link>{address}</link>{extra}</item>"


def rss(*items: str, channel: str = "", head: str = '<?xml version="1.0" encoding="UTF-8"?>') -> str:
    about = f"<title>新着図書</title><link>https://opac.example.jp/</link>{channel}"
    return f'{head}<rss version="2.0" {NAMESPACES}><channel>{about}{"".join(items)}</channel></rss>'


def answer(feed: str | bytes, **headers: str) -> Answer:
    body = feed if isinstance(feed, bytes) else feed.encode()
    header_names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body=body, headers={"Content-Type": "text/xml", **header_names})


def fetcher() -> Fetcher:
    return Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, deadline=60))


def transport(server: FakeServer, *, tries: int = 1, **source: str) -> RssTransport:
    fields = {"base_url": f"{server.url}/feed", **source}
    return RssTransport(Source(**fields), fetcher().fetch, RetryPolicy(max_attempts=tries, sleep=lambda seconds: None))


def harvest(rss_transport: RssTransport, **request: object) -> list[Batch]:
    return list(rss_transport.batches(HarvestRequest(metadata_prefix="rss", **request)))


def identifiers(batches: list[Batch]) -> list[str]:
    return [record.identifier.rpartition("/")[2] for batch in batches for record in batch.records]


def codes(batches: list[Batch]) -> list[str]:
    return [observation.code for batch in batches for observation in batch.observations]
