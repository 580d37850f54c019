"""Finds the lists of a source from any address of it (ResourceSync 1.1, sections 6.3, 8 and 9).

The address may be that of the site, of a web page, of the Source Description, of a Capability List or of any list.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import IO
from urllib.parse import unquote, urljoin, urlsplit

from harvesting.http.fetch import Fetched
from harvesting.transports.resourcesync.documents import Entry, read_entries
from harvesting.transports.resourcesync.links import HEAD_BYTES, header_links, html_links, robots_sitemaps
from harvesting.transports.resourcesync.requests import (
    DOCUMENT_BYTES,
    LIST_MISSING,
    Document,
    SourceClient,
    body_stream,
)
from harvesting.types import TransportError

WELL_KNOWN, ROBOTS = "/.well-known/resourcesync", "/robots.txt"
LISTS = ("resourcelist", "resourcedump", "changelist", "changedump")
ARCHIVES = tuple(f"{name}-archive" for name in LISTS)
MAX_SETS = 500
# Errors after which the source is looked for elsewhere; other errors (broken, forbidden) are raised.
NOT_FOUND = frozenset({"http.404", "http.410", "rs.not_resourcesync", "rs.other_host", "http.405", "http.406"})
CHANNELS = ("change-notification", "framework-notification")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One set of resources with the lists that its Capability List offers.

    spec: the URL of the Capability List, or of the list if a list was registered. lists: capability -> URLs, in order.
    hub, topic: for notifications of changes (WebSub).
    """

    spec: str
    name: str = ""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    hub: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovered:
    """The result of discovery. url: of the first document. described: URL of a description of the source, or ""."""

    url: str
    described: str = ""
    offers: tuple[Offer, ...] = ()


def discover(client: SourceClient, url: str) -> Discovered:
    """Return all sets that the source offers. TransportError "rs.not_found" (facts: url, tried), "rs.no_list"."""
    first = _find_first_document(client, url)
    if first.capability == "description":
        offers = tuple(_described_offers(client, first))
    elif first.capability == "capabilitylist":
        offers = (_offer_of_capability_list(client, first),)
    else:
        offers = tuple(_offer_of_list(client, document) for document in _sibling_documents(client, first, url))
    offers = tuple(offer for offer in offers if offer.lists)
    if not offers:
        raise TransportError(f"{url} offers no list", "rs.no_list", permanent=True, url=first.url)
    return Discovered(url=first.url, described=first.linked("describedby"), offers=offers)


def choose_offers(offers: tuple[Offer, ...], set_spec: str, prefix: str = "") -> tuple[Offer, ...]:
    """Return the sets that setSpec names: by URL, by name, or by a part of the URL's path.

    Without a setSpec all sets; if a source has a set for each format, those whose path contains the prefix.
    TransportError "rs.unknown_set" if setSpec names no set.
    """
    if not set_spec:
        return tuple(offer for offer in offers if prefix in _loose_names(offer)) or offers
    for names in (_exact_names, _loose_names):
        matching = tuple(offer for offer in offers if set_spec.strip() in names(offer))
        if matching:
            return matching
    available = ", ".join(offer.spec for offer in offers[:20])
    raise TransportError(
        f"no set {set_spec}", "rs.unknown_set", permanent=True, set=set_spec[:200], available=available[:1000]
    )


def _exact_names(offer: Offer) -> set[str]:
    return {offer.spec, offer.name, *(url for urls in offer.lists.values() for url in urls)}


def _loose_names(offer: Offer) -> set[str]:
    path = urlsplit(offer.spec).path
    return {unquote(path), unquote(path.rpartition("/")[2]), *path.strip("/").split("/")}


def _find_first_document(client: SourceClient, url: str) -> Document:
    """Return the first ResourceSync document: at the address itself, else found as described in section 6.3.

    TransportError "rs.elsewhere" if it is neither in the folder of the address nor linked from the page there.
    """
    page = _fetch_address(client, url)
    if isinstance(page, Document):
        return page
    tried_urls, linked = [url], _linked_urls(page)
    for candidate in _candidate_urls(client, url, page, linked):
        if candidate in tried_urls:
            continue
        tried_urls.append(candidate)
        try:
            document = client.document(candidate)
        except TransportError as error:
            if error.code not in NOT_FOUND:
                raise
            continue
        if candidate in linked or candidate.startswith(url.rstrip("/") + "/"):
            return document
        if url.endswith(WELL_KNOWN) and candidate.startswith(url.removesuffix(WELL_KNOWN) + "/"):
            # robots.txt may stand in for the Source Description (section 6.3.4), but need not name every set.
            client.note("rs.no_description", incomplete=True, url=url, found=candidate)
            return document
        # A document for the whole host may list other sources too, among which the records of this one would be lost.
        raise TransportError(
            f"no ResourceSync at {url}", "rs.elsewhere", permanent=True, url=url, found=candidate[:1000]
        )
    raise TransportError(
        f"no ResourceSync at {url}", "rs.not_found", permanent=True, url=url, tried=", ".join(tried_urls)[:1000]
    )


def _linked_urls(page: Fetched | None) -> tuple[str, ...]:
    """Return the ResourceSync documents to which a web page links."""
    if page is None:
        return ()
    links = [*header_links(page.headers.get("link", ""), page.final_url), *html_links(_start(page), page.final_url)]
    return tuple(link.href for link in links if link.rel == "resourcesync")


def _candidate_urls(client: SourceClient, url: str, page: Fetched | None, linked: tuple[str, ...]) -> Iterator[str]:
    """Yield candidates for the first document; later ones are requested only if the earlier ones are not found."""
    root = page.final_url if page is not None else url
    yield from linked
    yield urljoin(root, WELL_KNOWN)
    yield root.partition("?")[0].rstrip("/") + WELL_KNOWN  # for a host with several sources in folders
    yield from _robots_documents(client, urljoin(root, ROBOTS))


def _fetch_address(client: SourceClient, url: str) -> Document | Fetched | None:
    """Return the ResourceSync document or the web page at the address; None if there is nothing."""
    try:
        page = client.get(url, DOCUMENT_BYTES, spool=True)
    except TransportError as error:
        if error.code not in NOT_FOUND:
            raise
        return None
    client.add_domain(page.final_url)
    try:
        return client.read(page)
    except TransportError as error:
        if error.code == "rs.not_resourcesync":
            return page
        if error.code == "xml.malformed":
            return client.document(url)
        raise


def _start(page: Fetched) -> bytes:
    stream: IO[bytes] = body_stream(page)
    start = stream.read(HEAD_BYTES)
    stream.seek(0)
    return start


def _robots_documents(client: SourceClient, url: str) -> Iterator[str]:
    """Yield the Sitemaps in robots.txt, those with ResourceSync elements first."""
    try:
        robots = client.get(url, 1024 * 1024)
    except TransportError as error:
        if error.code not in NOT_FOUND:
            raise
        return
    plain_sitemaps = []
    for candidate in robots_sitemaps(robots.body, robots.final_url):
        try:
            is_resourcesync = bool(client.document(candidate).head.capability)
        except TransportError as error:
            if error.permanent:
                continue
            raise
        if is_resourcesync:
            yield candidate
        else:
            plain_sitemaps.append(candidate)
    yield from plain_sitemaps


def _sibling_documents(client: SourceClient, first: Document, url: str) -> tuple[Document, ...]:
    """Return the documents to read with the first one: robots.txt may name a Resource List per set (section 6.3.4)."""
    if urlsplit(url).path.strip("/"):
        return (first,)
    documents = [client.document(document) for document in _robots_documents(client, urljoin(first.url, ROBOTS))]
    if first.url not in {document.url for document in documents}:
        return (first,)
    return tuple(document for document in documents if bool(document.head.capability) == bool(first.head.capability))


def _described_offers(client: SourceClient, description: Document) -> Iterator[Offer]:
    """Yield the sets of a Source Description, also if it is an index of several documents."""
    lists: dict[str, Entry] = {}
    for entry in list(_entries(description)):
        if description.head.is_index and entry.loc:
            lists.update(
                {
                    listed_entry.loc: listed_entry
                    for listed_entry in _entries(client.document(entry.loc))
                    if listed_entry.loc
                }
            )
        elif entry.loc:
            lists[entry.loc] = entry
    if len(lists) > MAX_SETS:
        first_left_out = list(lists)[MAX_SETS]
        client.note(LIST_MISSING, incomplete=True, url=first_left_out, reason="rs.too_many_sets")
    for url, entry in list(lists.items())[:MAX_SETS]:
        try:
            offer = _offer_of_capability_list(client, client.document(url))
        except TransportError as error:
            if not error.permanent or len(lists) == 1:
                raise
            client.note(LIST_MISSING, incomplete=True, url=url, reason=error.code)
            continue
        name = next((link.href for link in entry.linked("describedby")), "")
        hub = description.linked("hub")
        offer = replace(offer, spec=url, name=offer.name or name)
        yield offer if offer.hub or not hub else replace(offer, hub=hub, topic=_topic(description))


def _offer_of_capability_list(client: SourceClient, document: Document) -> Offer:
    """Return the set that a Capability List describes.

    It may have several lists of one kind, contrary to section 9: WEKO3 has one for every index.
    """
    lists: dict[str, list[str]] = {}
    for entry in _entries(document):
        capability = entry.attributes.get("capability", "").strip()
        if entry.loc and capability in (*LISTS, *ARCHIVES):
            lists.setdefault(capability, []).append(entry.loc)
    own_lists = {name: _own_urls(client, urls) for name, urls in lists.items()}
    offer = _with_links(document, {name: urls for name, urls in own_lists.items() if urls})
    return offer if offer.hub else _with_notification_channel(document, offer)


def _with_notification_channel(document: Document, offer: Offer) -> Offer:
    """Add the notification channel: an entry with a link to its hub (Framework Notification 1.0.1, section 5)."""
    channels = (channel for channel in _entries(document) if channel.attributes.get("capability", "") in CHANNELS)
    for channel in channels:
        hub = next((link.href for link in channel.linked("hub")), "")
        if hub and channel.loc:
            return replace(offer, hub=hub, topic=channel.loc)
    return offer


def _own_urls(client: SourceClient, urls: Iterable[str]) -> tuple[str, ...]:
    """Return the lists of one kind that are on the source's hosts, without duplicates.

    The others are missing if there are any of its own, else the whole kind is not offered.
    """
    own = tuple(dict.fromkeys(filter(client.is_own, urls)))
    for url in urls:
        if not client.is_own(url) and own:
            client.note(LIST_MISSING, incomplete=True, url=url, reason="rs.other_host")
        elif not client.is_own(url):
            client.note("rs.other_host", incomplete=True, url=url)
    return own


def _offer_of_list(client: SourceClient, document: Document) -> Offer:
    """Return the set of a list that was registered itself, with the other lists of its Capability List."""
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
        client.note("rs.plain_sitemap", url=document.url)
    offer_of_document = _with_links(document, {capability: (document.url,)})
    up = document.linked("up")
    if not up or not client.is_own(up):
        return offer_of_document
    try:
        parent = client.document(up)
    except TransportError as error:
        if error.code not in NOT_FOUND:
            raise
        return offer_of_document
    if parent.capability != "capabilitylist":
        return offer_of_document
    offer = _offer_of_capability_list(client, parent)
    return replace(
        offer_of_document,
        lists={**offer.lists, **offer_of_document.lists},
        hub=offer_of_document.hub or offer.hub,
        topic=offer_of_document.topic,
    )


def _with_links(document: Document, lists: Mapping[str, tuple[str, ...]]) -> Offer:
    """Return the offer of a ResourceSync set: these lists, and the hub and topic that the document names.

    Hub (rel="hub") and topic (rel="self") are given as rs:ln or in the Link header (Framework Notification 1.0.1,
    section 4).
    """
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
