"""ResourceSync documents, line by line. No HTTP.

Every public function yields the pieces of one document; the sections are those of ResourceSync 1.1.
"""

from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from django.conf import settings
from django.urls import reverse
from lxml import etree

from aggregator.models import ChangeList, ResourceChange, ResourcePackage
from aggregator.provision.resourcesync import blocks, listing, naming, snapshots
from aggregator.provision.resourcesync.listing import Row
from aggregator.provision.resourcesync.snapshots import Snapshot
from aggregator.provision.timestamps import utc_timestamp
from metadata.formats import TARGET
from metadata.xml.parsing import strip_illegal

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
RS = "http://www.openarchives.org/rs/terms/"
XML = "application/xml"
ZIP = "application/zip"
MAX_SINGLE_LIST = 10_000  # recent changes in one document; if there are more, an index of documents replaces it
# Capabilities of a set, in the order in which clients use them: capability -> document (section 9).
CAPABILITIES = {
    "resourcelist": "resourcelist.xml",
    "resourcedump": "resourcedump.xml",
    "changelist": "changelist.xml",
    "changedump": "changedump.xml",
    "resourcelist-archive": "resourcelist-archive.xml",
    "resourcedump-archive": "resourcedump-archive.xml",
    "changelist-archive": "changelist-archive.xml",
    "changedump-archive": "changedump-archive.xml",
}


def source_description() -> Iterator[str]:
    """Section 8: links to the capability lists of all sets."""
    yield from _begin("urlset", _link("describedby", _about()), _md(capability="description"))
    for name in listing.sets():
        yield _url(
            naming.capability_list_url(name), _md(capability="capabilitylist"), _link("describedby", _about(name))
        )
    yield "</urlset>\n"


def capability_list(set_name: str, origin: int, hub_url: str) -> Iterator[str]:
    """Section 9. Capabilities without content are left out, since the schema allows no empty list."""
    empty = listing.empty_capabilities(origin)
    if not snapshots.snapshots(set_name):
        empty |= {"resourcelist-archive", "resourcedump-archive"}
    yield from _begin(
        "urlset",
        _link("describedby", _about(set_name)),
        _link("up", naming.description_url()),
        _md(capability="capabilitylist"),
    )
    for capability, document in CAPABILITIES.items():
        if capability not in empty:
            yield _url(naming.base(set_name) + document, _md(capability=capability))
    yield _url(naming.channel_url(set_name), _link("hub", hub_url), _md(capability="change-notification"))
    yield "</urlset>\n"


def resource_list_index(set_name: str, origin: int) -> Iterator[str]:
    """Section 10.2: one list per block of items."""
    at = listing.covered_until()
    yield from _begin("sitemapindex", _up(set_name), _md(capability="resourcelist", at=utc_timestamp(at)))
    for block, stamp, live in blocks.parts(origin):
        if live:
            yield _sitemap(
                f"{naming.base(set_name)}resourcelist-{block}.xml", utc_timestamp(stamp), _md(at=utc_timestamp(at))
            )
    yield "</sitemapindex>\n"


def resource_list(set_name: str, origin: int, block: int) -> Iterator[str]:
    """Section 10.1."""
    at = listing.covered_until()
    yield from _begin(
        "urlset",
        _up(set_name),
        _link("index", naming.base(set_name) + CAPABILITIES["resourcelist"]),
        _md(capability="resourcelist", at=utc_timestamp(at)),
    )
    for row in listing.resources(origin, block):
        yield _resource(set_name, row)
    yield "</urlset>\n"


def latest_changes(set_name: str, origin: int) -> Iterator[str]:
    """The recent changes: one open list if they are few enough, since common clients cannot read an index; else an
    index of lists. Older changes are in the archive.
    """
    lists = listing.latest_lists(origin)
    return change_list_index(set_name, lists) if has_many_changes(lists) else _one_change_list(set_name, lists)


def has_many_changes(lists: Sequence[ChangeList]) -> bool:
    """Return whether the changes of these lists are too many for one document."""
    return sum(change_list.count for change_list in lists) > MAX_SINGLE_LIST


def change_list_index(set_name: str, lists: Sequence[ChangeList]) -> Iterator[str]:
    """Section 12.2: the closed lists, and the open one."""
    since = utc_timestamp(lists[0].since)
    yield from _begin("sitemapindex", _up(set_name), _md(capability="changelist", **{"from": since}))
    for change_list in lists:
        yield _sitemap(_change_list_url(set_name, change_list), "", _md(**span_of(change_list)))
    yield "</sitemapindex>\n"


def _one_change_list(set_name: str, lists: Sequence[ChangeList]) -> Iterator[str]:
    since = utc_timestamp(lists[0].since if lists else listing.covered_until())
    yield from _begin("urlset", _up(set_name), _md(capability="changelist", **{"from": since}))
    for change_list in lists:
        for row in listing.changes(change_list):
            yield _resource(set_name, row)
    yield "</urlset>\n"


def change_list(set_name: str, change_list: ChangeList) -> Iterator[str]:
    """Section 12.1: one entry per change."""
    yield from _begin(
        "urlset",
        _up(set_name),
        _link("index", naming.base(set_name) + CAPABILITIES["changelist"]),
        _md(capability="changelist", **span_of(change_list)),
    )
    for row in listing.changes(change_list):
        yield _resource(set_name, row)
    yield "</urlset>\n"


def change_notification(set_name: str, rows: Sequence[Row]) -> Iterator[str]:
    """ResourceSync Change Notification 1.0.1: changes as pushed to subscribers and shown by a channel."""
    span = {"from": utc_timestamp(rows[0].stamp), "until": utc_timestamp(rows[-1].stamp)} if rows else {}
    yield from _begin("urlset", _up(set_name), _md(capability="change-notification", **span))
    for row in rows:
        yield _resource(set_name, row)
    yield "</urlset>\n"


def snapshot_archive(set_name: str, capability: str) -> Iterator[str]:
    """ResourceSync Archives: the resource lists, or the resource dumps, at earlier times."""
    yield from _begin("urlset", _up(set_name), _md(capability=f"{capability}-archive"))
    for snapshot in snapshots.snapshots(set_name):
        yield _url(_snapshot_url(set_name, capability, snapshot), _md(capability=capability, **_time_of(snapshot)))
    yield "</urlset>\n"


def archived_dump(set_name: str, snapshot: Snapshot) -> Iterator[str]:
    """Section 11.1: the resource dump at an earlier time."""
    yield from _begin("urlset", _up(set_name), _md(capability="resourcedump", **_time_of(snapshot)))
    yield from (_package(set_name, package.row) for package in snapshot.packages)
    yield "</urlset>\n"


def archived_list_index(set_name: str, snapshot: Snapshot) -> Iterator[str]:
    """Section 10.2: the resource list at an earlier time, one list per block of items."""
    yield from _begin("sitemapindex", _up(set_name), _md(capability="resourcelist", **_time_of(snapshot)))
    start = _snapshot_url(set_name, "resourcelist", snapshot).removesuffix(".xml")
    for package in snapshot.packages:
        yield _sitemap(f"{start}-{package.block}.xml", "", _md(at=utc_timestamp(package.at)))
    yield "</sitemapindex>\n"


def archived_list(set_name: str, snapshot: Snapshot, block: int) -> Iterator[str]:
    """Section 10.1: a part of the resource list at an earlier time."""
    for package in snapshot.packages:
        if package.block == block:
            index = _link("index", _snapshot_url(set_name, "resourcelist", snapshot))
            at = utc_timestamp(package.at)
            yield from _begin("urlset", _up(set_name), index, _md(capability="resourcelist", at=at))
            for entry in snapshots.resources(package):
                yield etree.tostring(entry, encoding="unicode")
            yield "</urlset>\n"


def _snapshot_url(set_name: str, capability: str, snapshot: Snapshot) -> str:
    return f"{naming.base(set_name)}{capability}-at-{snapshot.completed}.xml"


def _time_of(snapshot: Snapshot) -> dict[str, str]:
    return {"at": utc_timestamp(snapshot.at), "completed": utc_timestamp(snapshot.completed)}


def change_list_archive(set_name: str, origin: int) -> Iterator[str]:
    """ResourceSync Archives: all closed lists."""
    yield from _begin("urlset", _up(set_name), _md(capability="changelist-archive"))
    for change_list in listing.change_lists(origin):
        if change_list.until is not None:
            yield _url(_change_list_url(set_name, change_list), _md(capability="changelist", **span_of(change_list)))
    yield "</urlset>\n"


def change_dump_archive(set_name: str, packages: Iterable[ResourcePackage]) -> Iterator[str]:
    """ResourceSync Archives: one change dump for each closed list whose package is kept."""
    yield from _begin("urlset", _up(set_name), _md(capability="changedump-archive"))
    for package in packages:
        if package.change_list:
            url = f"{naming.base(set_name)}changedump-{package.change_list.pk}.xml"
            yield _url(url, _md(capability="changedump", **span_of(package.change_list)))
    yield "</urlset>\n"


def archived_change_dump(set_name: str, package: ResourcePackage, change_list: ChangeList) -> Iterator[str]:
    """Section 13.1: the change dump of one closed list."""
    yield from _begin("urlset", _up(set_name), _md(capability="changedump", **span_of(change_list)))
    yield _package(set_name, package)
    yield "</urlset>\n"


def dump(set_name: str, capability: str, packages: Iterable[ResourcePackage]) -> Iterator[str]:
    """Sections 11.1 and 13.1. The packages of a change dump are those of closed lists, the oldest first."""
    packages = list(packages)
    first = min((package.at for package in packages), default=listing.covered_until())
    if capability == "changedump":
        first = min((package.change_list.since for package in packages if package.change_list), default=first)
        span = {"from": utc_timestamp(first)}
    else:
        span = {"at": utc_timestamp(first)}
        if packages:
            span["completed"] = utc_timestamp(max(package.completed for package in packages))
    yield from _begin("urlset", _up(set_name), _md(capability=capability, **span))
    yield from (_package(set_name, package) for package in packages)
    yield "</urlset>\n"


def _package(set_name: str, package: ResourcePackage) -> str:
    """Return the entry of a ZIP file in a dump."""
    span = span_of(package.change_list) if package.change_list else {}
    span = span or {"at": utc_timestamp(package.at), "completed": utc_timestamp(package.completed)}
    facts = {"type": ZIP, "length": str(package.length), "hash": _hash(bytes(package.sha256)), **span}
    manifest = naming.base(set_name) + package.name.removesuffix(".zip") + "-manifest.xml"
    return _url(naming.base(set_name) + package.name, _md(**facts), _link("contents", manifest, type=XML))


def manifest(set_name: str, capability: str, span: dict[str, str], rows: Iterable[Row]) -> Iterator[str]:
    """Sections 11.2 and 13.2: the contents of a package. rows: with hash and length of the bytes in the package."""
    yield from _begin("urlset", _up(set_name), _md(capability=capability, **span))
    for row in rows:
        yield _resource(set_name, row, path=True)
    yield "</urlset>\n"


def _resource(set_name: str, row: Row, path: bool = False) -> str:
    """Return one entry. A deleted resource has neither bytes nor links."""
    facts = {"change": row.kind, "datetime": utc_timestamp(row.stamp) if row.kind else ""}
    if row.kind == ResourceChange.Kind.DELETED:
        return _url(naming.resource_url(set_name, row.name), _md(**facts))
    facts |= {"hash": _hash(row.sha256), "length": str(row.length), "type": naming.MEDIA_TYPE}
    if path:
        facts["path"] = "/" + naming.path_in_package(row.name, row.sha256 if row.kind else b"")
    return (
        f"<url><loc>{escape(naming.resource_url(set_name, row.name))}</loc>"
        f"<lastmod>{utc_timestamp(row.stamp)}</lastmod>"
        f"{_md(**facts)}{_link('describes', row.page) if row.page else ''}{_licences(row)}{_PROFILE}</url>\n"
    )


def _licences(row: Row) -> str:
    return "".join(_link("license", licence) for licence in row.licences)


def _begin(root: str, *head: str) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{SITEMAP}" xmlns:rs="{RS}">\n'
    yield from (f"{line}\n" for line in head)


def _url(loc: str, *inner: str) -> str:
    return f"<url><loc>{escape(loc)}</loc>{''.join(inner)}</url>\n"


def _sitemap(loc: str, lastmod: str, *inner: str) -> str:
    last = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<sitemap><loc>{escape(loc)}</loc>{last}{''.join(inner)}</sitemap>\n"


def _md(**attributes: str) -> str:
    return f"<rs:md{_attributes(attributes)}/>"


def _link(rel: str, href: str, **attributes: str) -> str:
    return f"<rs:ln{_attributes({'rel': rel, 'href': href, **attributes})}/>"


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(strip_illegal(value))}" for name, value in attributes.items() if value)


def _up(set_name: str) -> str:
    return _link("up", naming.capability_list_url(set_name))


def span_of(change_list: ChangeList) -> dict[str, str]:
    """Return the time span of a change list, as attributes."""
    span = {"from": utc_timestamp(change_list.since)}
    return span if change_list.until is None else span | {"until": utc_timestamp(change_list.until)}


def _change_list_url(set_name: str, change_list: ChangeList) -> str:
    return f"{naming.base(set_name)}changelist-{change_list.pk}.xml"


def _hash(digest: bytes) -> str:
    return f"sha-256:{digest.hex()}"


def _about(set_name: str = "") -> str:
    """Return the address of the page about the source, or about one of its sets."""
    if set_name and set_name != naming.MERGED:
        return settings.PUBLIC_URL + reverse("repository", args=[set_name])
    return settings.PUBLIC_URL + reverse("about")


_PROFILE = _link("profile", TARGET.namespace)
