"""Small feeds for tests, and a transport that asks the fake server for them."""

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.patience import Patience
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
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body=body, headers={"Content-Type": "text/xml", **named})


def fetcher() -> Fetcher:
    return Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, deadline=60))


def transport(server: FakeServer, *, tries: int = 1, **source: str) -> RssTransport:
    known = {"base_url": f"{server.url}/feed", **source}
    return RssTransport(Source(**known), fetcher().fetch, Patience(tries=tries, sleep=lambda seconds: None))


def batches(asked: RssTransport, **request: object) -> list[Batch]:
    return list(asked.batches(HarvestRequest(metadata_prefix="rss", **request)))


def identifiers(found: list[Batch]) -> list[str]:
    return [record.identifier.rpartition("/")[2] for batch in found for record in batch.records]


def codes(found: list[Batch]) -> list[str]:
    return [observation.code for batch in found for observation in batch.observations]
