"""ResourceSync documents, line by line. Knows rows and addresses; no HTTP.

Each function yields pieces of one document (ResourceSync 1.1; the section is named with each).
"""

from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from django.conf import settings
from django.urls import reverse

from aggregator.models import ChangeList, ResourceChange, ResourcePackage
from aggregator.provision.resourcesync import listing, naming
from aggregator.provision.resourcesync.listing import Row
from aggregator.provision.timestamps import moment
from metadata.formats import CROSSWALKS
from metadata.xml.parsing import legal

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
RS = "http://www.openarchives.org/rs/terms/"
XML = "application/xml"
ZIP = "application/zip"
MOST_IN_ONE = 10_000  # changes of the list that is asked for first
# What a capability list offers, in the order of use: capability -> document (section 9).
CAPABILITIES = {
    "resourcelist": "resourcelist.xml",
    "resourcedump": "resourcedump.xml",
    "changelist": "changelist.xml",
    "changedump": "changedump.xml",
    "changelist-archive": "changelist-archive.xml",
}


def source_description() -> Iterator[str]:
    """Section 8: every set has its capability list."""
    yield from _begin("urlset", _link("describedby", _about()), _md(capability="description"))
    for name in listing.sets():
        yield _url(
            naming.capability_list_url(name), _md(capability="capabilitylist"), _link("describedby", _about(name))
        )
    yield "</urlset>\n"


def capability_list(set_name: str, origin: int, hub_url: str) -> Iterator[str]:
    """Section 9. What has nothing to tell so far is not offered: the schema knows no empty list."""
    empty = listing.empty_capabilities(origin)
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
    """Section 10.2: a list for each span of numbers."""
    at = listing.moment()
    yield from _begin("sitemapindex", _up(set_name), _md(capability="resourcelist", at=moment(at)))
    for block, stamp, live in listing.parts(origin):
        if live:
            yield _sitemap(f"{naming.base(set_name)}resourcelist-{block}.xml", moment(stamp), _md(at=moment(at)))
    yield "</sitemapindex>\n"


def resource_list(set_name: str, origin: int, block: int) -> Iterator[str]:
    """Section 10.1."""
    at = listing.moment()
    yield from _begin(
        "urlset",
        _up(set_name),
        _link("index", naming.base(set_name) + CAPABILITIES["resourcelist"]),
        _md(capability="resourcelist", at=moment(at)),
    )
    for row in listing.resources(origin, block):
        yield _resource(set_name, row)
    yield "</urlset>\n"


def latest_changes(set_name: str, origin: int) -> Iterator[str]:
    """What happened lately, in one open list while that is no more than a list holds, else by an index of lists.

    Common clients read no index. What is older is in the archive.
    """
    lists = listing.latest_lists(origin)
    if sum(each.count for each in lists) > MOST_IN_ONE:
        return change_list_index(set_name, lists)
    return _one_change_list(set_name, lists)


def change_list_index(set_name: str, lists: Sequence[ChangeList]) -> Iterator[str]:
    """Section 12.2: lists that are closed, and the one that grows."""
    since = moment(lists[0].since)
    yield from _begin("sitemapindex", _up(set_name), _md(capability="changelist", **{"from": since}))
    for each in lists:
        yield _sitemap(_change_list_url(set_name, each), "", _md(**span_of(each)))
    yield "</sitemapindex>\n"


def _one_change_list(set_name: str, lists: Sequence[ChangeList]) -> Iterator[str]:
    since = moment(lists[0].since if lists else listing.moment())
    yield from _begin("urlset", _up(set_name), _md(capability="changelist", **{"from": since}))
    for each in lists:
        for row in listing.changes(each):
            yield _resource(set_name, row)
    yield "</urlset>\n"


def change_list(set_name: str, change_list: ChangeList) -> Iterator[str]:
    """Section 12.1: one entry for each change."""
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
    """Change Notification 1.0.1: changes as they are pushed, and what a channel shows."""
    span = {"from": moment(rows[0].stamp), "until": moment(rows[-1].stamp)} if rows else {}
    yield from _begin("urlset", _up(set_name), _md(capability="change-notification", **span))
    for row in rows:
        yield _resource(set_name, row)
    yield "</urlset>\n"


def change_list_archive(set_name: str, origin: int) -> Iterator[str]:
    """ResourceSync Archives: every list that was closed."""
    yield from _begin("urlset", _up(set_name), _md(capability="changelist-archive"))
    for each in listing.change_lists(origin):
        if each.until is not None:
            yield _url(_change_list_url(set_name, each), _md(capability="changelist", **span_of(each)))
    yield "</urlset>\n"


def dump(set_name: str, capability: str, packages: Iterable[ResourcePackage]) -> Iterator[str]:
    """Sections 11.1 and 13.1. The packages of a change dump are those of closed lists, the oldest first."""
    packages = list(packages)
    first = min((each.at for each in packages), default=listing.moment())
    if capability == "changedump":
        first = min((each.change_list.since for each in packages if each.change_list), default=first)
        span = {"from": moment(first)}
    else:
        span = {"at": moment(first)}
        if packages:
            span["completed"] = moment(max(each.completed for each in packages))
    yield from _begin("urlset", _up(set_name), _md(capability=capability, **span))
    for each in packages:
        within = span_of(each.change_list) if each.change_list else {}
        within = within or {"at": moment(each.at), "completed": moment(each.completed)}
        facts = {"type": ZIP, "length": str(each.length), "hash": _hash(bytes(each.sha256)), **within}
        manifest = naming.base(set_name) + each.name.removesuffix(".zip") + "-manifest.xml"
        yield _url(naming.base(set_name) + each.name, _md(**facts), _link("contents", manifest, type=XML))
    yield "</urlset>\n"


def manifest(set_name: str, capability: str, span: dict[str, str], rows: Iterable[Row]) -> Iterator[str]:
    """Sections 11.2 and 13.2: what is in a package. rows: with the hash and length of what really is in it."""
    yield from _begin("urlset", _up(set_name), _md(capability=capability, **span))
    for row in rows:
        yield _resource(set_name, row, path=True)
    yield "</urlset>\n"


def _resource(set_name: str, row: Row, path: bool = False) -> str:
    """One entry. What is gone has neither bytes nor links."""
    facts = {"change": row.kind, "datetime": moment(row.stamp) if row.kind else ""}
    if row.kind == ResourceChange.Kind.DELETED:
        return _url(naming.resource_url(set_name, row.name), _md(**facts))
    facts |= {"hash": _hash(row.sha256), "length": str(row.length), "type": naming.MEDIA_TYPE}
    if path:
        facts["path"] = "/" + naming.path_in_package(row.name, row.sha256 if row.kind else b"")
    return (
        f"<url><loc>{escape(naming.resource_url(set_name, row.name))}</loc><lastmod>{moment(row.stamp)}</lastmod>"
        f"{_md(**facts)}{_link('describes', row.page) if row.page else ''}{_PROFILE}</url>\n"
    )


def _begin(root: str, *head: str) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{SITEMAP}" xmlns:rs="{RS}">\n'
    yield from (f"{each}\n" for each in head)


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
    return "".join(f" {name}={quoteattr(legal(value))}" for name, value in attributes.items() if value)


def _up(set_name: str) -> str:
    return _link("up", naming.capability_list_url(set_name))


def span_of(change_list: ChangeList) -> dict[str, str]:
    """From when until when a list tells changes."""
    span = {"from": moment(change_list.since)}
    return span if change_list.until is None else span | {"until": moment(change_list.until)}


def _change_list_url(set_name: str, change_list: ChangeList) -> str:
    return f"{naming.base(set_name)}changelist-{change_list.pk}.xml"


def _hash(digest: bytes) -> str:
    return f"sha-256:{digest.hex()}"


def _about(set_name: str = "") -> str:
    """The page for people about the source or one of its sets."""
    if set_name and set_name != naming.MERGED:
        return settings.PUBLIC_URL + reverse("repository", args=[set_name])
    return settings.PUBLIC_URL + reverse("about")


_PROFILE = _link("profile", CROSSWALKS[naming.PREFIX].namespace)
