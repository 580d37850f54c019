"""A ResourceSync source on loopback for tests: a dictionary of paths, and helpers that write its documents."""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.resourcesync.transport import ResourceSyncTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Batch, HarvestedRecord, HarvestRequest
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, Request, serving

AT = "2026-01-03T09:00:00Z"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
DC = "http://purl.org/dc/elements/1.1/"


def metadata(title: str) -> bytes:
    """Return a resource: a description in oai_dc."""
    return f'<oai_dc xmlns:dc="{DC}"><dc:title>{escape(title)}</dc:title></oai_dc>'.encode()


def sha256(data: bytes) -> str:
    return f"sha-256:{hashlib.sha256(data).hexdigest()}"


def md(**attributes: str) -> str:
    """Return an rs:md element. A trailing underscore of a name (from_) is removed."""
    return "<rs:md " + " ".join(f"{name.rstrip('_')}={quoteattr(value)}" for name, value in attributes.items()) + "/>"


def ln(rel: str, href: str, **attributes: str) -> str:
    attributes = {"rel": rel, "href": href, **attributes}
    return "<rs:ln " + " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items()) + "/>"


def entry(loc: str, *inside: str, lastmod: str = "", name: str = "url") -> str:
    modified = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<{name}><loc>{escape(loc)}</loc>{modified}{''.join(inside)}</{name}>"


def document(*inside: str, root: str = "urlset") -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><{root} {NS}>{"".join(inside)}</{root}>'.encode()


def index(*inside: str) -> bytes:
    return document(*inside, root="sitemapindex")


def part(loc: str, *inside: str) -> str:
    return entry(loc, *inside, name="sitemap")


def package(manifest: bytes, members: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {"manifest.xml": manifest, **members}.items():
            archive.writestr(name, data)
    return file.getvalue()


@dataclass
class Source:
    """A site. at: path -> body or Answer; other paths are answered with 404. entrance: the registered path."""

    server: FakeServer
    at: dict[str, bytes | Answer] = field(default_factory=dict)
    entrance: str = "/.well-known/resourcesync"

    @property
    def requested_paths(self) -> list[str]:
        return [request.path for request in self.server.requests]

    def url(self, path: str) -> str:
        return self.server.url + path

    def answer(self, request: Request) -> Answer:
        body = self.at.get(request.path, Answer(status=404))
        return body if isinstance(body, Answer) else Answer(body=body, headers={"Content-Type": "application/xml"})

    def offer(self, **lists: str) -> None:
        """Add a Source Description and a Capability List with these lists: capability -> path."""
        names = {name.replace("_", "-"): path for name, path in lists.items()}
        self.at["/.well-known/resourcesync"] = document(
            md(capability="description"), entry(self.url("/caps.xml"), md(capability="capabilitylist"))
        )
        self.at["/caps.xml"] = document(
            ln("up", self.url("/.well-known/resourcesync")),
            md(capability="capabilitylist"),
            *(entry(self.url(path), md(capability=name)) for name, path in names.items()),
        )

    def resources(self, count: int, start: int = 0) -> list[str]:
        """Add this many descriptions. Return the entries that list them, with hash and length."""
        entries = []
        for number in range(start, start + count):
            path, data = f"/r{number}.xml", metadata(f"本{number}")
            self.at[path] = data
            entries.append(self.listing(path, data))
        return entries

    def listing(self, path: str, data: bytes, **attributes: str) -> str:
        attributes = {"hash": sha256(data), "length": str(len(data)), "type": "application/xml", **attributes}
        return entry(self.url(path), md(**attributes), lastmod="2026-01-02T13:00:00Z")

    def change(self, path: str, change: str, when: str, /, **attributes: str) -> str:
        return entry(self.url(path), md(change=change, datetime=when, **attributes))

    def transport(self, path: str = "") -> ResourceSyncTransport:
        fetcher = Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, read_timeout=20, deadline=60))
        patience = RetryPolicy(max_attempts=2, first_wait=0, sleep=lambda seconds: None)
        return ResourceSyncTransport(self.url(path or self.entrance), fetcher.fetch, patience)

    def harvest(self, path: str = "", **request: object) -> list[Batch]:
        harvest_request = HarvestRequest(**{"metadata_prefix": "oai_dc", **request})  # type: ignore[arg-type]
        return list(self.transport(path).batches(harvest_request))


@contextmanager
def source() -> Iterator[Source]:
    with serving() as server:
        site = Source(server)
        server.answer = site.answer
        yield site


def records(batches: list[Batch]) -> list[HarvestedRecord]:
    return [record for batch in batches for record in batch.records]


def names(batches: list[Batch]) -> list[str]:
    """Return the last parts of the identifiers, with the prefix "-" for a deleted record, "!" for one with issues."""
    marked_records = [("-" if record.deleted else "!" if record.issues else "", record) for record in records(batches)]
    return [mark + record.identifier.rpartition("/")[2] for mark, record in marked_records]


def observations(batches: list[Batch]) -> list[str]:
    return [observation.code for batch in batches for observation in batch.observations]


def listed(site: Source, *entries: str, at: str = AT) -> None:
    """Give the source a Resource List with these entries."""
    site.offer(resourcelist="/list.xml")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=at), *entries)


def changed(site: Source, *entries: str, from_: str = "2026-01-01T00:00:00Z", **extra: str) -> None:
    """Give the source an empty Resource List and an open Change List with these entries."""
    site.offer(resourcelist="/list.xml", changelist="/changes.xml")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT))
    site.at["/changes.xml"] = document(md(capability="changelist", from_=from_, **extra), *entries)
