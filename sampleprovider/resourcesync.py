"""ResourceSync 1.1, source side: a path in, a document, a dump or a resource out. Pure; knows no HTTP.

One capability list for each metadataPrefix; each record is a resource per prefix. Section numbers are those of
ANSI/NISO Z39.99-2017. Everything is written anew for each request from the records as they are.
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
EARLY = (1980, 1, 1, 0, 0, 0)  # the same bytes for the same records


@dataclass(frozen=True, slots=True)
class Place:
    """Where one list of a source is served: its records, and the addresses around it."""

    source: SampleSource
    prefix: str
    root: str
    now: str

    @property
    def url(self) -> str:
        """Of the folder of everything of this prefix."""
        return f"{self.root}/resourcesync/{quote(self.prefix)}"

    def resource(self, record: SampleRecord) -> str:
        """The address of a record's metadata."""
        return f"{self.url}/resources/{quote(record.local_id, safe='')}.xml"

    def content(self, record: SampleRecord) -> bytes:
        """Its bytes as served: links to the default address lead here."""
        return record.payloads[self.prefix].replace(DEFAULT_BASE.encode(), self.root.rpartition("/")[0].encode())


def resourcesync(source: SampleSource, path: str, base: str, now: datetime | None = None) -> Reply | None:
    """What is at a path below a source, None for nothing. base: address of the server."""
    moment = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    root = f"{base}/{quote(source.name)}"
    if path in (WELL_KNOWN, "resourcesync", "resourcesync/description.xml"):
        return _document(description(Place(source, "", root, moment)), source, f"{root}/{WELL_KNOWN}")
    _, _, rest = path.partition("resourcesync/")
    prefix, _, name = rest.partition("/")
    if not path.startswith("resourcesync/") or prefix not in source.prefixes:
        return None
    return _below(Place(source, prefix, root, moment), name)


def robots(source: SampleSource, base: str) -> str:
    """The lines of robots.txt that lead to the resource lists (section 6.3.4)."""
    url = f"{base}/{quote(source.name)}/resourcesync"
    return "".join(f"Sitemap: {url}/{quote(prefix)}/resourcelist.xml\n" for prefix in source.prefixes)


def _below(place: Place, name: str) -> Reply | None:
    """A resource, a package or a list of one prefix."""
    if name.startswith("resources/"):
        return _resource(place, name.removeprefix("resources/").removesuffix(".xml"))
    if name.endswith(".zip"):
        return _package(place, name)
    plain = name.removesuffix(".gz")
    document = _list(place, plain)
    if document is None:
        return None
    reply = _document(document, place.source, f"{place.url}/{plain}")
    if plain == name:
        return reply
    return Reply(gzip.compress(reply.body, mtime=0), content_type="application/gzip", headers=reply.headers)


def description(place: Place) -> str:
    """The Source Description (section 8)."""
    entries = [
        _url(f"{place.root}/resourcesync/{quote(prefix)}/capabilitylist.xml", '<rs:md capability="capabilitylist"/>')
        for prefix in place.source.prefixes
    ]
    return _urlset('<rs:md capability="description"/>', entries)


def capability_list(place: Place) -> str:
    """The Capability List of one prefix (section 9)."""
    top = _link("up", f"{place.root}/{WELL_KNOWN}") + '<rs:md capability="capabilitylist"/>'
    entries = [_url(f"{place.url}/{name}.xml", f'<rs:md capability="{name}"/>') for name in CAPABILITIES]
    return _urlset(top, entries)


def live_records(place: Place) -> list[SampleRecord]:
    """What a resource list holds: deleted records are not mentioned in it."""
    return [each for each in place.source.holdings.listing(place.prefix, "") if not each.deleted]


def changes(place: Place) -> list[SampleRecord]:
    """What a change list holds, oldest first."""
    return list(place.source.holdings.listing(place.prefix, ""))


def resource_list(place: Place, records: Sequence[SampleRecord], up: str) -> str:
    """A Resource List (section 10.1)."""
    top = f'{up}<rs:md capability="resourcelist" at="{place.now}" completed="{place.now}"/>'
    return _urlset(top, [resource_entry(place, record) for record in records])


def change_list(place: Place, records: Sequence[SampleRecord], up: str) -> str:
    """A Change List (section 12.1), open at its end."""
    start = moment(records[0].datestamp) if records else place.now
    return _urlset(
        f'{up}<rs:md capability="changelist" from="{start}"/>', [change_entry(place, record) for record in records]
    )


def resource_entry(place: Place, record: SampleRecord, path: str = "") -> str:
    """A resource with its hash and length; path: inside a package."""
    return _url(
        place.resource(record),
        f"<lastmod>{moment(record.datestamp)}</lastmod>{_facts(place.content(record), path=path)}",
    )


def change_entry(place: Place, record: SampleRecord, path: str = "") -> str:
    """A change, with the time at which it happened."""
    when = moment(record.datestamp)
    if record.deleted:
        return _url(place.resource(record), f'<rs:md change="deleted" datetime="{when}"/>')
    facts = _facts(place.content(record), f'change="updated" datetime="{when}" ', path)
    return _url(place.resource(record), f"<lastmod>{when}</lastmod>{facts}")


def package(place: Place, records: Sequence[SampleRecord], entry: Callable[..., str], top: str) -> bytes:
    """A ZIP file with its manifest (sections 11.1.1 and 13.1.1)."""
    paths = {record.identifier: f"resources/{number:06d}.xml" for number, record in enumerate(records)}
    manifest = _urlset(
        top, [entry(place, each, "" if each.deleted else f"/{paths[each.identifier]}") for each in records]
    )
    files = {"manifest.xml": manifest.encode()}
    files |= {paths[each.identifier]: place.content(each) for each in records if not each.deleted}
    return zipped(files)


def zipped(files: dict[str, bytes]) -> bytes:
    """A ZIP file; the same files give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, EARLY), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def moment(datestamp: str) -> str:
    """A datestamp as W3C datetime in UTC; a day begins at midnight."""
    return datestamp if "T" in datestamp else f"{datestamp}T00:00:00Z"


def _list(place: Place, name: str) -> str | None:
    """A document that lists something."""
    if name == "capabilitylist.xml":
        return capability_list(place)
    if name in ("resourcedump.xml", "changedump.xml"):
        return _dump(place, name.removesuffix(".xml"))
    part = PART.fullmatch(name)
    kind = part[1] if part else name.removesuffix(".xml")
    if kind not in _LISTS:
        return None
    records, write = _LISTS[kind][0](place), _LISTS[kind][1]
    size = place.source.list_size
    up = _link("up", f"{place.url}/capabilitylist.xml")
    if not part:
        return write(place, records, up) if len(records) <= size else _index(place, kind, len(records))
    start = int(part[2]) * size
    return write(place, records[start : start + size], up + _link("index", f"{place.url}/{kind}.xml"))


def _index(place: Place, kind: str, count: int) -> str:
    """A Resource List Index or Change List Index (sections 10.2 and 12.2)."""
    size = place.source.list_size
    said = f'from="{moment(changes(place)[0].datestamp)}"' if kind == "changelist" else f'at="{place.now}"'
    lists = "".join(
        f"<sitemap><loc>{escape(f'{place.url}/{kind}-{number}.xml')}</loc></sitemap>\n"
        for number in range(-(-count // size))
    )
    up = _link("up", f"{place.url}/capabilitylist.xml")
    return f'{HEAD}<sitemapindex {NAMESPACES}>\n{up}<rs:md capability="{kind}" {said}/>\n{lists}</sitemapindex>\n'


def _dump(place: Place, kind: str) -> str:
    """A Resource Dump or Change Dump with its one package (sections 11.1 and 13.1)."""
    packed = _packed(place, kind)
    said = f'at="{place.now}"' if kind == "resourcedump" else f'from="{_start(place)}"'
    top = _link("up", f"{place.url}/capabilitylist.xml") + f'<rs:md capability="{kind}" {said}/>'
    facts = _facts(packed, media="application/zip")
    return _urlset(top, [_url(f"{place.url}/{kind}.zip", facts)])


def _packed(place: Place, kind: str) -> bytes:
    if kind == "resourcedump":
        top = f'<rs:md capability="resourcedump-manifest" at="{place.now[:10]}T00:00:00Z"/>'
        return package(place, live_records(place), resource_entry, top)
    top = f'<rs:md capability="changedump-manifest" from="{_start(place)}"/>'
    return package(place, changes(place), change_entry, top)


def _start(place: Place) -> str:
    return next((moment(each.datestamp) for each in changes(place)), place.now)


def _package(place: Place, name: str) -> Reply | None:
    kind = name.removesuffix(".zip")
    if kind not in ("resourcedump", "changedump"):
        return None
    return Reply(_packed(place, kind), content_type="application/zip")


def _resource(place: Place, local: str) -> Reply | None:
    record = place.source.holdings.find(local)
    if record is None or record.deleted or place.prefix not in record.payloads:
        return None
    return Reply(place.content(record), content_type="application/xml")


def _document(text: str, source: SampleSource, url: str) -> Reply:
    """A list, with the links of WebSub where the source has a hub (framework notification, section 6)."""
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
