"""From one listed entry to one record: find its metadata, get it, verify it. Fetches resources, never lists.

What fails for one resource is a record in quarantine with the reason, never the end of the list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

from lxml import etree

from harvesting.http.archives import is_gzip, read_gzip
from harvesting.http.fetch import Fetched
from harvesting.transports.resourcesync.documents import Entry, Link, datestamp_of
from harvesting.transports.resourcesync.fixity import check
from harvesting.transports.resourcesync.linking import Kind, Style, Target, best, is_deleted_content, is_xml, target_of
from harvesting.transports.resourcesync.links import header_links, html_links
from harvesting.transports.resourcesync.lists import Item
from harvesting.transports.resourcesync.requests import RESOURCE_BYTES, Asking
from harvesting.types import HarvestedRecord, TransportError
from metadata.issue import Issue
from metadata.vocabularies.namespaces import shorten
from metadata.xml.parsing import XmlError, parse, serialise

# The source as a whole asks for patience: the run waits, and no other resource is asked for meanwhile.
BUSY = frozenset({"http.503", "http.429", "http.bot_wall"})
GONE = "http.410"  # the server's word that there was such a resource and is none any more: younger than any list


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What became of an entry: a record, or why there is none ("content", "format", "page").

    failure: why the resource could not be had; the record is then in quarantine, or deleted where the source says that
    it is gone. url: where it was looked for.
    """

    record: HarvestedRecord | None = None
    skipped: str = ""
    failure: TransportError | None = None
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bytes:
    """A resource as it came. page: the response, for its links, where it was fetched."""

    data: bytes
    sent_length: str = ""
    page: Fetched | None = None


def read_item(asking: Asking, item: Item, style: Style, prefix: str, *, ask_pages: bool = True) -> Read:
    """ask_pages: fetch pages for people too, for the links in them.

    TransportError only where the source as a whole is busy or refuses us (see `BUSY`).
    """
    entry = item.entry
    if entry.deleted:
        if is_deleted_content(entry, style):
            return Read(skipped="content")
        return Read(record=_deleted(entry))
    target = target_of(entry, style, prefix)
    if not target.url:
        return Read(skipped=target.why)
    if target.kind is Kind.PAGE and not ask_pages:
        return Read(skipped="page")
    try:
        got = _get(asking, item, target)
        return _record(asking, entry, target, got, prefix)
    except TransportError as error:
        if error.code in BUSY:
            raise
        record = _deleted(entry) if error.code == GONE else failed(entry, error)
        return Read(record=record, failure=error, url=target.url)


def _deleted(entry: Entry) -> HarvestedRecord:
    return HarvestedRecord(identifier=entry.loc, datestamp=datestamp_of(entry), deleted=True)


def failed(entry: Entry, error: TransportError) -> HarvestedRecord:
    """The record of a resource that could not be had; an earlier version stays."""
    code = "rs.E003" if error.code == "archive.missing" else "rs.E002"
    field = str(error.facts.get("member") or error.facts.get("url") or entry.loc)
    return HarvestedRecord(
        identifier=entry.loc,
        datestamp=datestamp_of(entry),
        set_specs=_sets(entry),
        issues=(Issue(code=code, field=field[:300], value=error.code),),
    )


def _get(asking: Asking, item: Item, target: Target) -> _Bytes:
    path = target.attributes.get("path", "") or ("" if target.url != item.entry.loc else _path(item.entry))
    if item.read and path:
        return _Bytes(data=item.read(path))
    return _verified(asking, target.url, target.attributes)


def _path(entry: Entry) -> str:
    return entry.attributes.get("path", "")


def _verified(asking: Asking, url: str, attributes: Mapping[str, str]) -> _Bytes:
    """What was damaged on the way, or changed just then, is right at the second try."""
    got = _fetch(asking, url)
    if any(issue.code == "rs.E001" for issue in check(got.data, attributes)):
        return _fetch(asking, url)
    return got


def _fetch(asking: Asking, url: str) -> _Bytes:
    if not asking.is_own(url):
        raise TransportError(f"{url} is on another host", "rs.other_host", permanent=True, url=url)
    fetched = asking.get(url, RESOURCE_BYTES)
    return _Bytes(data=fetched.body, sent_length=fetched.headers.get("content-length", ""), page=fetched)


def _record(asking: Asking, entry: Entry, target: Target, got: _Bytes, prefix: str) -> Read:
    issues = check(got.data, target.attributes, got.sent_length)
    data = read_gzip(BytesIO(got.data), RESOURCE_BYTES) if is_gzip(got.data) else got.data
    root = _root(data)
    if (root is None or _is_page(root)) and target.kind is not Kind.METADATA:
        return _behind_page(asking, entry, got, prefix)
    return Read(record=_with_payload(entry, data, root, issues), url=target.url)


def _behind_page(asking: Asking, entry: Entry, got: _Bytes, prefix: str) -> Read:
    """A page for people, or a content: its own links may lead to the metadata, one step away."""
    link = best(_described(got.page), prefix) if got.page else None
    if link is None:
        return Read(skipped="page" if b"<html" in got.data[:2000].lower() else "content")
    found = _verified(asking, link.href, link.attributes)
    issues = check(found.data, link.attributes, found.sent_length)
    return Read(record=_with_payload(entry, found.data, _root(found.data), issues), url=link.href)


def _described(page: Fetched) -> list[Link]:
    """Links to XML: rel="describedby" (RFC 6892, signposting), or an alternate that says it is XML."""
    base = page.final_url
    links = [*header_links(page.headers.get("link", ""), base), *html_links(page.body, base)]
    xml = [link for link in links if is_xml(link.attributes.get("type", "").partition(";")[0].strip().lower())]
    feeds = {"application/rss+xml", "application/atom+xml"}
    return [link for link in xml if link.rel == "describedby"] or [
        link for link in xml if link.rel == "alternate" and link.attributes.get("type", "").lower() not in feeds
    ]


def _with_payload(entry: Entry, data: bytes, root: etree._Element | None, issues: tuple[Issue, ...]) -> HarvestedRecord:
    """The bytes as they came, so that their hash stays that of the list; in UTF-8 where they were not."""
    encoding = (root.getroottree().docinfo.encoding or "UTF-8") if root is not None else "UTF-8"
    if root is not None and encoding.upper() not in {"UTF-8", "UTF8", "ASCII", "US-ASCII"}:
        data = serialise(root)
    return HarvestedRecord(
        identifier=entry.loc,
        datestamp=datestamp_of(entry),
        set_specs=_sets(entry),
        payload=data,
        root=root,
        issues=issues,
    )


def _sets(entry: Entry) -> tuple[str, ...]:
    """Collection membership (section 14.7)."""
    return tuple(dict.fromkeys(link.href for link in entry.linked("collection") if link.href))


def _root(data: bytes) -> etree._Element | None:
    try:
        return parse(data)
    except XmlError:
        return None


def _is_page(root: etree._Element) -> bool:
    return shorten(str(root.tag)).rpartition("}")[2].lower() == "html"
