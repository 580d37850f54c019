"""Turns a listed entry into a record: finds its metadata, fetches and verifies it. Fetches resources, never lists.

A failure of one resource does not end the list: it becomes a record with an issue that gives the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

from lxml import etree

from harvesting.http.archives import is_gzip, read_gzip
from harvesting.http.fetch import Fetched
from harvesting.transports.resourcesync.documents import Entry, Link, datestamp_of
from harvesting.transports.resourcesync.fixity import check_data
from harvesting.transports.resourcesync.linking import (
    ResourceKind,
    Style,
    Target,
    best_link,
    is_deleted_content,
    is_xml,
    target_of,
)
from harvesting.transports.resourcesync.links import header_links, html_links
from harvesting.transports.resourcesync.lists import Item
from harvesting.transports.resourcesync.requests import RESOURCE_BYTES, SourceClient
from harvesting.types import HarvestedRecord, TransportError
from metadata.about import about_of_licences
from metadata.issue import Issue
from metadata.vocabularies.namespaces import shorten
from metadata.xml.parsing import XmlError, parse, serialise

# Errors of the source as a whole: the run waits, and no other resource is requested in the meantime.
SOURCE_UNAVAILABLE = frozenset({"http.503", "http.429", "http.bot_wall"})
GONE_CODE = "http.410"  # the server states that the resource was deleted, which is newer information than any list


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """The result of reading an entry: a record, or the reason why it was skipped ("content", "format", "page").

    failure: why the resource could not be fetched; the record then has an issue, or is deleted if the source states
    that the resource is gone. url: where the metadata was looked for. listed_hash: the hash in the list, if what was
    received does not match it; else "".
    """

    record: HarvestedRecord | None = None
    skipped: str = ""
    failure: TransportError | None = None
    url: str = ""
    listed_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resource:
    """A resource as received. page: the response, for its links; None if it comes from a package."""

    data: bytes
    sent_length: str = ""
    page: Fetched | None = None


def read_item(client: SourceClient, item: Item, style: Style, prefix: str, *, fetch_pages: bool = True) -> ReadResult:
    """Read an entry. fetch_pages: also fetch web pages, for the links in them.

    TransportError only if the source as a whole is busy or refuses us (see `SOURCE_UNAVAILABLE`).
    """
    entry = item.entry
    if entry.deleted:
        if is_deleted_content(entry, style):
            return ReadResult(skipped="content")
        return ReadResult(record=_deleted_record(entry))
    target = target_of(entry, style, prefix)
    if not target.url:
        return ReadResult(skipped=target.skip_reason)
    if target.kind is ResourceKind.PAGE and not fetch_pages:
        return ReadResult(skipped="page")
    try:
        resource = _read_resource(client, item, target)
        return _to_result(client, entry, target, resource, prefix)
    except TransportError as error:
        if error.code in SOURCE_UNAVAILABLE:
            raise
        record = _deleted_record(entry) if error.code == GONE_CODE else failed_record(entry, error)
        return ReadResult(record=record, failure=error, url=target.url)


def _deleted_record(entry: Entry) -> HarvestedRecord:
    return HarvestedRecord(identifier=entry.loc, datestamp=datestamp_of(entry), deleted=True)


def failed_record(entry: Entry, error: TransportError) -> HarvestedRecord:
    """Return a record for a resource that could not be fetched; an earlier version of the record remains."""
    code = "rs.E003" if error.code == "archive.missing" else "rs.E002"
    field = str(error.facts.get("member") or error.facts.get("url") or entry.loc)
    return HarvestedRecord(
        identifier=entry.loc,
        datestamp=datestamp_of(entry),
        set_specs=_sets(entry),
        issues=(Issue(code=code, field=field[:300], value=error.code),),
    )


def _read_resource(client: SourceClient, item: Item, target: Target) -> _Resource:
    path = target.attributes.get("path", "") or ("" if target.url != item.entry.loc else _path(item.entry))
    if item.read and path:
        return _Resource(data=item.read(path))
    return _fetch_verified(client, target.url, target.attributes)


def _path(entry: Entry) -> str:
    return entry.attributes.get("path", "")


def _fetch_verified(client: SourceClient, url: str, attributes: Mapping[str, str]) -> _Resource:
    """Fetch a resource, a second time if its hash is wrong: it may have been damaged or changed during transfer."""
    resource = _fetch(client, url)
    if _unmatched_hash(check_data(resource.data, attributes), attributes):
        return _fetch(client, url)
    return resource


def _unmatched_hash(issues: tuple[Issue, ...], attributes: Mapping[str, str]) -> str:
    """The listed hash if the issues say that the data does not match it, else ""."""
    return attributes.get("hash", "") if any(issue.code == "rs.E001" for issue in issues) else ""


def _fetch(client: SourceClient, url: str) -> _Resource:
    client.check_own(url)
    fetched = client.get(url, RESOURCE_BYTES)
    return _Resource(data=fetched.body, sent_length=fetched.headers.get("content-length", ""), page=fetched)


def _to_result(client: SourceClient, entry: Entry, target: Target, resource: _Resource, prefix: str) -> ReadResult:
    issues = check_data(resource.data, target.attributes, resource.sent_length)
    data = read_gzip(BytesIO(resource.data), RESOURCE_BYTES) if is_gzip(resource.data) else resource.data
    root = _parse_or_none(data)
    if (root is None or _is_html(root)) and target.kind is not ResourceKind.METADATA:
        return _linked_from_page(client, entry, resource, prefix)
    return ReadResult(
        record=_record_with_payload(entry, data, root, issues),
        url=target.url,
        listed_hash=_unmatched_hash(issues, target.attributes),
    )


def _linked_from_page(client: SourceClient, entry: Entry, resource: _Resource, prefix: str) -> ReadResult:
    """Read the metadata to which a web page or a content links; only this one step is followed."""
    link = best_link(_metadata_links(resource.page), prefix) if resource.page else None
    if link is None:
        return ReadResult(skipped="page" if b"<html" in resource.data[:2000].lower() else "content")
    metadata = _fetch_verified(client, link.href, link.attributes)
    issues = check_data(metadata.data, link.attributes, metadata.sent_length)
    return ReadResult(
        record=_record_with_payload(entry, metadata.data, _parse_or_none(metadata.data), issues),
        url=link.href,
        listed_hash=_unmatched_hash(issues, link.attributes),
    )


def _metadata_links(page: Fetched) -> list[Link]:
    """Return the links to XML with rel="describedby" (RFC 6892, Signposting), else with rel="alternate"."""
    base = page.final_url
    links = [*header_links(page.headers.get("link", ""), base), *html_links(page.body, base)]
    xml_links = [link for link in links if is_xml(link.attributes.get("type", "").partition(";")[0].strip().lower())]
    feeds = {"application/rss+xml", "application/atom+xml"}
    return [link for link in xml_links if link.rel == "describedby"] or [
        link for link in xml_links if link.rel == "alternate" and link.attributes.get("type", "").lower() not in feeds
    ]


def _record_with_payload(
    entry: Entry, data: bytes, root: etree._Element | None, issues: tuple[Issue, ...]
) -> HarvestedRecord:
    """Return a record with the bytes as received, so that the hash in the list fits; other encodings become UTF-8."""
    encoding = (root.getroottree().docinfo.encoding or "UTF-8") if root is not None else "UTF-8"
    if root is not None and encoding.upper() not in {"UTF-8", "UTF8", "ASCII", "US-ASCII"}:
        data = serialise(root)
    return HarvestedRecord(
        identifier=entry.loc,
        datestamp=datestamp_of(entry),
        set_specs=_sets(entry),
        payload=data,
        root=root,
        about=about_of_licences(link.href for link in entry.linked("license")),
        issues=issues,
    )


def _sets(entry: Entry) -> tuple[str, ...]:
    """The collections of a resource (ResourceSync 1.1, section 14.7)."""
    return tuple(dict.fromkeys(link.href for link in entry.linked("collection") if link.href))


def _parse_or_none(data: bytes) -> etree._Element | None:
    try:
        return parse(data)
    except XmlError:
        return None


def _is_html(root: etree._Element) -> bool:
    return shorten(str(root.tag)).rpartition("}")[2].lower() == "html"
