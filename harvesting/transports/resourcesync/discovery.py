"""From the address that a librarian knows to the lists of a source (ResourceSync 1.1, sections 6.3, 8 and 9).

The address may be that of the site, of a page, of the Source Description, of a Capability List or of any list.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import IO
from urllib.parse import unquote, urljoin, urlsplit

from harvesting.http.fetch import Fetched
from harvesting.transports.resourcesync.documents import Entry, read_entries
from harvesting.transports.resourcesync.links import HEAD_BYTES, header_links, html_links, sitemaps
from harvesting.transports.resourcesync.requests import DOCUMENT_BYTES, Asking, Document, stream_of
from harvesting.types import TransportError

WELL_KNOWN, ROBOTS = "/.well-known/resourcesync", "/robots.txt"
LISTS = ("resourcelist", "resourcedump", "changelist", "changedump")
ARCHIVES = tuple(f"{name}-archive" for name in LISTS)
MOST_SETS = 500
# What is not there is looked for elsewhere; what is broken or forbidden is told.
ABSENT = frozenset({"http.404", "http.410", "rs.not_resourcesync", "rs.other_host", "http.405", "http.406"})
CHANNELS = ("change-notification", "framework-notification")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One set of resources: what its Capability List offers. lists: capability -> URLs, in their order.

    spec: the URL of the Capability List, or of the list that stands for it. hub, topic: of its notifications.
    """

    spec: str
    name: str = ""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    hub: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovered:
    """url: the document that was found first. described: where the source describes itself to people, or ""."""

    url: str
    described: str = ""
    offers: tuple[Offer, ...] = ()


def discover(asking: Asking, url: str) -> Discovered:
    """Everything that the source offers. TransportError "rs.not_found" (facts: url, tried), "rs.no_list"."""
    first = _entrance(asking, url)
    if first.capability == "description":
        offers = tuple(_described(asking, first))
    elif first.capability == "capabilitylist":
        offers = (_offer(asking, first),)
    else:
        offers = tuple(_of_list(asking, each) for each in _beside(asking, first, url))
    offers = tuple(offer for offer in offers if offer.lists)
    if not offers:
        raise TransportError(f"{url} offers no list", "rs.no_list", permanent=True, url=first.url)
    return Discovered(url=first.url, described=first.linked("describedby"), offers=offers)


def chosen(offers: tuple[Offer, ...], set_spec: str, prefix: str = "") -> tuple[Offer, ...]:
    """The sets that setSpec names: by URL, by a part of its path, or by name. Without a setSpec all; where a source
    has one set for each format, those whose path names the prefix."""
    if not set_spec:
        return tuple(offer for offer in offers if prefix in _loose(offer)) or offers
    for names in (_exact, _loose):
        found = tuple(offer for offer in offers if set_spec.strip() in names(offer))
        if found:
            return found
    available = ", ".join(offer.spec for offer in offers[:20])
    raise TransportError(
        f"no set {set_spec}", "rs.unknown_set", permanent=True, set=set_spec[:200], available=available[:1000]
    )


def _exact(offer: Offer) -> set[str]:
    return {offer.spec, offer.name, *(url for urls in offer.lists.values() for url in urls)}


def _loose(offer: Offer) -> set[str]:
    path = urlsplit(offer.spec).path
    return {unquote(path), unquote(path.rpartition("/")[2]), *path.strip("/").split("/")}


def _entrance(asking: Asking, url: str) -> Document:
    """The first ResourceSync document: at the address itself, else on the ways that section 6.3 names."""
    page = _page(asking, url)
    if isinstance(page, Document):
        return page
    tried = [url]
    for candidate in _ways(asking, url, page):
        if candidate in tried:
            continue
        tried.append(candidate)
        try:
            document = asking.document(candidate)
            if page is None and not candidate.startswith(url.rstrip("/") + "/"):
                asking.note("rs.elsewhere", url=url, found=candidate)
            return document
        except TransportError as error:
            if error.code not in ABSENT:
                raise
    raise TransportError(
        f"no ResourceSync at {url}", "rs.not_found", permanent=True, url=url, tried=", ".join(tried)[:1000]
    )


def _ways(asking: Asking, url: str, page: Fetched | None) -> Iterator[str]:
    """Candidates in turn; the later ones are only asked for when the earlier have led nowhere."""
    root = url
    if page is not None:
        root = page.final_url
        links = [*header_links(page.headers.get("link", ""), root), *html_links(_start(page), root)]
        yield from (link.href for link in links if link.rel == "resourcesync")
    yield urljoin(root, WELL_KNOWN)
    yield root.partition("?")[0].rstrip("/") + WELL_KNOWN  # several sources on one host, each in its folder
    yield from _of_robots(asking, urljoin(root, ROBOTS))


def _page(asking: Asking, url: str) -> Document | Fetched | None:
    """What stands at the address itself; None if nothing does."""
    try:
        page = asking.get(url, DOCUMENT_BYTES, spool=True)
    except TransportError as error:
        if error.code not in ABSENT:
            raise
        return None
    asking.admit(page.final_url)
    try:
        return asking.read(page)
    except TransportError as error:
        if error.code == "rs.not_resourcesync":
            return page
        if error.code == "xml.malformed":
            return asking.document(url)
        raise


def _start(page: Fetched) -> bytes:
    stream: IO[bytes] = stream_of(page)
    start = stream.read(HEAD_BYTES)
    stream.seek(0)
    return start


def _of_robots(asking: Asking, url: str) -> Iterator[str]:
    """The Sitemaps of robots.txt: those that speak ResourceSync first."""
    try:
        robots = asking.get(url, 1024 * 1024)
    except TransportError as error:
        if error.code not in ABSENT:
            raise
        return
    plain = []
    for candidate in sitemaps(robots.body, robots.final_url):
        try:
            speaks = bool(asking.document(candidate).head.capability)
        except TransportError as error:
            if error.permanent:
                continue
            raise
        if speaks:
            yield candidate
        else:
            plain.append(candidate)
    yield from plain


def _beside(asking: Asking, first: Document, url: str) -> tuple[Document, ...]:
    """robots.txt may name a Resource List for each of several sets (section 6.3.4)."""
    if urlsplit(url).path.strip("/"):
        return (first,)
    robots = [asking.document(each) for each in _of_robots(asking, urljoin(first.url, ROBOTS))]
    if first.url not in {each.url for each in robots}:
        return (first,)
    return tuple(each for each in robots if bool(each.head.capability) == bool(first.head.capability))


def _described(asking: Asking, description: Document) -> Iterator[Offer]:
    """The sets of a Source Description; of one that is split, those of its parts."""
    lists: dict[str, Entry] = {}
    for entry in list(_entries(description)):
        if description.head.is_index and entry.loc:
            lists.update({each.loc: each for each in _entries(asking.document(entry.loc)) if each.loc})
        elif entry.loc:
            lists[entry.loc] = entry
    for url, entry in list(lists.items())[:MOST_SETS]:
        try:
            offer = _offer(asking, asking.document(url))
        except TransportError as error:
            if not error.permanent or len(lists) == 1:
                raise
            asking.note("rs.list_missing", incomplete=True, url=url, reason=error.code)
            continue
        name = next((link.href for link in entry.linked("describedby")), "")
        hub = description.linked("hub")
        offer = replace(offer, spec=url, name=offer.name or name)
        yield offer if offer.hub or not hub else replace(offer, hub=hub, topic=_topic(description))


def _offer(asking: Asking, document: Document) -> Offer:
    """What a Capability List offers. WEKO3 gives one list of each kind for every index, beside section 9."""
    lists: dict[str, list[str]] = {}
    for entry in _entries(document):
        capability = entry.attributes.get("capability", "").strip()
        if entry.loc and capability in (*LISTS, *ARCHIVES):
            lists.setdefault(capability, []).append(entry.loc)
    own = {name: tuple(dict.fromkeys(_own(asking, urls))) for name, urls in lists.items()}
    offer = _with_links(document, {name: urls for name, urls in own.items() if urls})
    return offer if offer.hub else _with_channel(document, offer)


def _with_channel(document: Document, offer: Offer) -> Offer:
    """A channel is an entry with a link to its hub (Framework Notification 1.0.1, section 5)."""
    channels = (each for each in _entries(document) if each.attributes.get("capability", "") in CHANNELS)
    for each in channels:
        hub = next((link.href for link in each.linked("hub")), "")
        if hub and each.loc:
            return replace(offer, hub=hub, topic=each.loc)
    return offer


def _own(asking: Asking, urls: Iterable[str]) -> Iterator[str]:
    for url in urls:
        if asking.is_own(url):
            yield url
        else:
            asking.note("rs.other_host", incomplete=True, url=url)


def _of_list(asking: Asking, document: Document) -> Offer:
    """The set of a list that was given itself, with what its Capability List offers beside it."""
    capability = document.capability
    if capability not in (*LISTS, *ARCHIVES):
        raise TransportError(
            f"{document.url} is a {capability}",
            "rs.not_resourcesync",
            permanent=True,
            url=document.url,
            found=f"capability “{capability[:60]}”",
        )
    if not document.head.capability:
        asking.note("rs.plain_sitemap", url=document.url)
    alone = _with_links(document, {capability: (document.url,)})
    up = document.linked("up")
    if not up or not asking.is_own(up):
        return alone
    try:
        parent = asking.document(up)
    except TransportError as error:
        if error.code not in ABSENT:
            raise
        return alone
    if parent.capability != "capabilitylist":
        return alone
    offer = _offer(asking, parent)
    return replace(alone, lists={**offer.lists, **alone.lists}, hub=alone.hub or offer.hub, topic=alone.topic)


def _with_links(document: Document, lists: Mapping[str, tuple[str, ...]]) -> Offer:
    """rel="hub" and rel="self" come as rs:ln or in the Link header (Framework Notification 1.0.1, section 4)."""
    hub = document.linked("hub")
    return Offer(
        spec=document.url,
        name=document.linked("describedby"),
        lists=lists,
        hub=hub,
        topic=_topic(document) if hub else "",
    )


def _topic(document: Document) -> str:
    return document.linked("self") or document.url


def _entries(document: Document) -> Iterator[Entry]:
    return read_entries(document.stream, document.url)
