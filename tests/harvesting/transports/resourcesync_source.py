"""A ResourceSync source on loopback for tests: a dictionary of paths, and short ways to write its documents."""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.patience import Patience
from harvesting.transports.resourcesync.transport import ResourceSyncTransport
from harvesting.types import Batch, HarvestedRecord, HarvestRequest
from tests.harvesting.fakeserver import LOOPBACK, Answer, Asked, FakeServer, serving

AT = "2026-01-03T09:00:00Z"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
DC = "http://purl.org/dc/elements/1.1/"


def metadata(title: str) -> bytes:
    """A resource: one description."""
    return f'<oai_dc xmlns:dc="{DC}"><dc:title>{escape(title)}</dc:title></oai_dc>'.encode()


def sha256(data: bytes) -> str:
    return f"sha-256:{hashlib.sha256(data).hexdigest()}"


def md(**attributes: str) -> str:
    """rs:md; a trailing underscore is for from_."""
    return "<rs:md " + " ".join(f"{name.rstrip('_')}={quoteattr(value)}" for name, value in attributes.items()) + "/>"


def ln(rel: str, href: str, **attributes: str) -> str:
    said = {"rel": rel, "href": href, **attributes}
    return "<rs:ln " + " ".join(f"{name}={quoteattr(value)}" for name, value in said.items()) + "/>"


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
    """at: path -> body or Answer. What is not in it is answered with 404."""

    server: FakeServer
    at: dict[str, bytes | Answer] = field(default_factory=dict)
    entrance: str = "/.well-known/resourcesync"

    @property
    def asked(self) -> list[str]:
        return [each.path for each in self.server.asked]

    def url(self, path: str) -> str:
        return self.server.url + path

    def answer(self, asked: Asked) -> Answer:
        found = self.at.get(asked.path, Answer(status=404))
        return found if isinstance(found, Answer) else Answer(body=found, headers={"Content-Type": "application/xml"})

    def offer(self, **lists: str) -> None:
        """A Source Description and a Capability List with these lists: capability -> path."""
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
        """Puts that many descriptions up; the entries that list them, with hash and length."""
        entries = []
        for number in range(start, start + count):
            path, data = f"/r{number}.xml", metadata(f"本{number}")
            self.at[path] = data
            entries.append(self.listing(path, data))
        return entries

    def listing(self, path: str, data: bytes, **said: str) -> str:
        attributes = {"hash": sha256(data), "length": str(len(data)), "type": "application/xml", **said}
        return entry(self.url(path), md(**attributes), lastmod="2026-01-02T13:00:00Z")

    def change(self, path: str, change: str, when: str, /, **said: str) -> str:
        return entry(self.url(path), md(change=change, datetime=when, **said))

    def transport(self, path: str = "") -> ResourceSyncTransport:
        fetcher = Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, read_timeout=20, deadline=60))
        patience = Patience(tries=2, first_wait=0, sleep=lambda seconds: None)
        return ResourceSyncTransport(self.url(path or self.entrance), fetcher.fetch, patience)

    def harvest(self, path: str = "", **request: object) -> list[Batch]:
        asked = HarvestRequest(**{"metadata_prefix": "oai_dc", **request})  # type: ignore[arg-type]
        return list(self.transport(path).batches(asked))


@contextmanager
def source() -> Iterator[Source]:
    with serving() as server:
        made = Source(server)
        server.answer = made.answer
        yield made


def records(batches: list[Batch]) -> list[HarvestedRecord]:
    return [record for batch in batches for record in batch.records]


def names(batches: list[Batch]) -> list[str]:
    """The last part of each identifier; "-" before a deleted one, "!" before one with issues."""
    marks = [("-" if each.deleted else "!" if each.issues else "", each) for each in records(batches)]
    return [mark + each.identifier.rpartition("/")[2] for mark, each in marks]


def observations(batches: list[Batch]) -> list[str]:
    return [observation.code for batch in batches for observation in batch.observations]
