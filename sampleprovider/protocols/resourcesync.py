"""ResourceSync 1.1, provider side: takes a path, returns a document, a dump or a resource. Pure; no HTTP.

There is one capability list for each metadataPrefix; a record is one resource per prefix. Section numbers are those of
ANSI/NISO Z39.99-2017. Everything is written for each request from the current records.
"""

import gzip
import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from sampleprovider.replies import Reply
from sampleprovider.source import DEFAULT_BASE, SampleRecord, SampleSource

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"'
CAPABILITIES = ("resourcelist", "resourcedump", "changelist", "changedump")
WELL_KNOWN = ".well-known/resourcesync"  # section 6.3.2
PART = re.compile(r"(resourcelist|changelist)-(\d+)\.xml")
EARLY = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that the same records give the same bytes


@dataclass(frozen=True, slots=True)
class Location:
    """The lists of one prefix of a source: the addresses at which they are served. root: address of the source."""

    source: SampleSource
    prefix: str
    root: str
    now: str

    @property
    def url(self) -> str:
        """The address below which everything of this prefix is served."""
        return f"{self.root}/resourcesync/{quote(self.prefix)}"

    def resource(self, record: SampleRecord) -> str:
        """Return the address of the metadata of a record."""
        return f"{self.url}/resources/{quote(record.local_id, safe='')}.xml"

    def content(self, record: SampleRecord) -> bytes:
        """Return the metadata as served: links to the default address are changed to this server."""
        return record.payloads[self.prefix].replace(DEFAULT_BASE.encode(), self.root.rpartition("/")[0].encode())


def resourcesync(source: SampleSource, path: str, base: str, now: datetime | None = None) -> Reply | None:
    """Return the reply for a path below a source, None if there is nothing. base: address of the server."""
    timestamp = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    root = f"{base}/{quote(source.name)}"
    if path in (WELL_KNOWN, "resourcesync", "resourcesync/description.xml"):
        return _document(description(Location(source, "", root, timestamp)), source, f"{root}/{WELL_KNOWN}")
    _, _, rest = path.partition("resourcesync/")
    prefix, _, name = rest.partition("/")
    if not path.startswith("resourcesync/") or prefix not in source.prefixes:
        return None
    return _prefix_reply(Location(source, prefix, root, timestamp), name)


def robots(source: SampleSource, base: str) -> str:
    """Return the lines of robots.txt with the addresses of the resource lists (section 6.3.4)."""
    url = f"{base}/{quote(source.name)}/resourcesync"
    return "".join(f"Sitemap: {url}/{quote(prefix)}/resourcelist.xml\n" for prefix in source.prefixes)


def _prefix_reply(location: Location, name: str) -> Reply | None:
    """A resource, a package or a list of one prefix."""
    if name.startswith("resources/"):
        return _resource(location, name.removeprefix("resources/").removesuffix(".xml"))
    if name.endswith(".zip"):
        return _package(location, name)
    plain = name.removesuffix(".gz")
    document = _list(location, plain)
    if document is None:
        return None
    reply = _document(document, location.source, f"{location.url}/{plain}")
    if plain == name:
        return reply
    return Reply(gzip.compress(reply.body, mtime=0), content_type="application/gzip", headers=reply.headers)


def description(location: Location) -> str:
    """The Source Description (section 8)."""
    entries = [
        _url(f"{location.root}/resourcesync/{quote(prefix)}/capabilitylist.xml", '<rs:md capability="capabilitylist"/>')
        for prefix in location.source.prefixes
    ]
    return _urlset('<rs:md capability="description"/>', entries)


def capability_list(location: Location) -> str:
    """The Capability List of one prefix (section 9)."""
    top = _link("up", f"{location.root}/{WELL_KNOWN}") + '<rs:md capability="capabilitylist"/>'
    entries = [_url(f"{location.url}/{name}.xml", f'<rs:md capability="{name}"/>') for name in CAPABILITIES]
    return _urlset(top, entries)


def live_records(location: Location) -> list[SampleRecord]:
    """The records of a resource list: those that are not deleted."""
    return [record for record in location.source.holdings.listing(location.prefix, "") if not record.deleted]


def changes(location: Location) -> list[SampleRecord]:
    """The records of a change list, the oldest change first."""
    return list(location.source.holdings.listing(location.prefix, ""))


def resource_list(location: Location, records: Sequence[SampleRecord], up: str) -> str:
    """A Resource List (section 10.1)."""
    top = f'{up}<rs:md capability="resourcelist" at="{location.now}" completed="{location.now}"/>'
    return _urlset(top, [resource_entry(location, record) for record in records])


def change_list(location: Location, records: Sequence[SampleRecord], up: str) -> str:
    """A Change List (section 12.1) without an end time."""
    start = w3c_datetime(records[0].datestamp) if records else location.now
    return _urlset(
        f'{up}<rs:md capability="changelist" from="{start}"/>', [change_entry(location, record) for record in records]
    )


def resource_entry(location: Location, record: SampleRecord, path: str = "") -> str:
    """The entry of a resource with its hash and length. path: inside a package."""
    return _url(
        location.resource(record),
        f"<lastmod>{w3c_datetime(record.datestamp)}</lastmod>{_facts(location.content(record), path=path)}",
    )


def change_entry(location: Location, record: SampleRecord, path: str = "") -> str:
    """The entry of a change with its time. path: inside a package."""
    when = w3c_datetime(record.datestamp)
    if record.deleted:
        return _url(location.resource(record), f'<rs:md change="deleted" datetime="{when}"/>')
    facts = _facts(location.content(record), f'change="updated" datetime="{when}" ', path)
    return _url(location.resource(record), f"<lastmod>{when}</lastmod>{facts}")


def package(location: Location, records: Sequence[SampleRecord], entry: Callable[..., str], top: str) -> bytes:
    """A ZIP file with its manifest (sections 11.1.1 and 13.1.1)."""
    paths = {record.identifier: f"resources/{number:06d}.xml" for number, record in enumerate(records)}
    manifest = _urlset(
        top, [entry(location, record, "" if record.deleted else f"/{paths[record.identifier]}") for record in records]
    )
    files = {"manifest.xml": manifest.encode()}
    files |= {paths[record.identifier]: location.content(record) for record in records if not record.deleted}
    return zipped(files)


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a ZIP file; the same files give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, EARLY), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def w3c_datetime(datestamp: str) -> str:
    """Return a datestamp as W3C datetime in UTC; a date becomes midnight."""
    return datestamp if "T" in datestamp else f"{datestamp}T00:00:00Z"


def _list(location: Location, name: str) -> str | None:
    """The list document with this name, None if there is none."""
    if name == "capabilitylist.xml":
        return capability_list(location)
    if name in ("resourcedump.xml", "changedump.xml"):
        return _dump(location, name.removesuffix(".xml"))
    part = PART.fullmatch(name)
    kind = part[1] if part else name.removesuffix(".xml")
    if kind not in _LISTS:
        return None
    records, write = _LISTS[kind][0](location), _LISTS[kind][1]
    size = location.source.list_size
    up = _link("up", f"{location.url}/capabilitylist.xml")
    if not part:
        return write(location, records, up) if len(records) <= size else _index(location, kind, len(records))
    start = int(part[2]) * size
    return write(location, records[start : start + size], up + _link("index", f"{location.url}/{kind}.xml"))


def _index(location: Location, kind: str, count: int) -> str:
    """A Resource List Index or Change List Index (sections 10.2 and 12.2)."""
    size = location.source.list_size
    times = f'from="{w3c_datetime(changes(location)[0].datestamp)}"' if kind == "changelist" else f'at="{location.now}"'
    lists = "".join(
        f"<sitemap><loc>{escape(f'{location.url}/{kind}-{number}.xml')}</loc></sitemap>\n"
        for number in range(-(-count // size))
    )
    up = _link("up", f"{location.url}/capabilitylist.xml")
    return f'{HEAD}<sitemapindex {NAMESPACES}>\n{up}<rs:md capability="{kind}" {times}/>\n{lists}</sitemapindex>\n'


def _dump(location: Location, kind: str) -> str:
    """A Resource Dump or Change Dump with its one package (sections 11.1 and 13.1)."""
    packed = _package_bytes(location, kind)
    times = f'at="{location.now}"' if kind == "resourcedump" else f'from="{_start(location)}"'
    top = _link("up", f"{location.url}/capabilitylist.xml") + f'<rs:md capability="{kind}" {times}/>'
    facts = _facts(packed, media="application/zip")
    return _urlset(top, [_url(f"{location.url}/{kind}.zip", facts)])


def _package_bytes(location: Location, kind: str) -> bytes:
    if kind == "resourcedump":
        top = f'<rs:md capability="resourcedump-manifest" at="{location.now[:10]}T00:00:00Z"/>'
        return package(location, live_records(location), resource_entry, top)
    top = f'<rs:md capability="changedump-manifest" from="{_start(location)}"/>'
    return package(location, changes(location), change_entry, top)


def _start(location: Location) -> str:
    return next((w3c_datetime(record.datestamp) for record in changes(location)), location.now)


def _package(location: Location, name: str) -> Reply | None:
    kind = name.removesuffix(".zip")
    if kind not in ("resourcedump", "changedump"):
        return None
    return Reply(_package_bytes(location, kind), content_type="application/zip")


def _resource(location: Location, local: str) -> Reply | None:
    record = location.source.holdings.find(local)
    if record is None or record.deleted or location.prefix not in record.payloads:
        return None
    return Reply(location.content(record), content_type="application/xml")


def _document(text: str, source: SampleSource, url: str) -> Reply:
    """A list, with the links of WebSub if the source has a hub (ResourceSync Change Notification, section 6)."""
    links: tuple[tuple[str, str], ...] = ()
    if source.hub:
        links = (("Link", f'<{source.hub}>; rel="hub", <{url}>; rel="self"'),)
    return Reply(text.encode(), content_type="application/xml", headers=links)


def _urlset(top: str, entries: Sequence[str]) -> str:
    return f"{HEAD}<urlset {NAMESPACES}>\n{top}\n{''.join(entries)}</urlset>\n"


def _url(loc: str, rest: str) -> str:
    return f"<url><loc>{escape(loc)}</loc>{rest}</url>\n"


def _link(rel: str, href: str) -> str:
    return f'<rs:ln rel="{rel}" href={quoteattr(href)}/>\n'


def _facts(content: bytes, before: str = "", path: str = "", media: str = "application/xml") -> str:
    digests = f"sha-256:{hashlib.sha256(content).hexdigest()}"
    inside = f" path={quoteattr(path)}" if path else ""
    return f'<rs:md {before}hash="{digests}" length="{len(content)}" type="{media}"{inside}/>'


_LISTS = {"resourcelist": (live_records, resource_list), "changelist": (changes, change_list)}
