"""RSS 1.0 and 2.0, provider side: writes feeds with the dc, dcterms and dcndl modules. Pure; no HTTP.

rss, rss2: the newest records, one page of them; rss-full, rss2-full: all records. RSS has no deletions: deleted
records are simply not listed.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from email.utils import format_datetime
from http import HTTPStatus
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from sampleprovider.pages import page_path, read_record
from sampleprovider.protocols.resourcesync import w3c_datetime
from sampleprovider.replies import Reply
from sampleprovider.source import SampleRecord, SampleSource

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
MODULES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
    ' xmlns:dcndl="http://ndl.go.jp/dcndl/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
MEDIA = "application/rss+xml; charset=UTF-8"


def feed(source: SampleSource, name: str, base: str, headers: Mapping[str, str]) -> Reply | None:
    """Return the feed with this name, status 304 if the client has it already, None if there is no such feed."""
    plain = name.removesuffix("-full")
    if plain not in _FEEDS:
        return None
    records = newest(source, None if name.endswith("-full") else source.page_size)
    body = _FEEDS[plain](source, records, base, f"{base}/{quote(source.name)}/{name}").encode()
    changed = format_datetime(_datetime(records[0]), usegmt=True) if records else ""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    validators = (("ETag", tag), *([("Last-Modified", changed)] if changed else []))
    if _is_known(headers, tag, changed):
        return Reply(b"", status=HTTPStatus.NOT_MODIFIED, content_type=MEDIA, headers=validators)
    return Reply(body, content_type=MEDIA, headers=validators)


def newest(source: SampleSource, count: int | None) -> list[SampleRecord]:
    """The records that are not deleted, newest first; at most `count`."""
    listing = source.holdings.listing(source.prefixes[0], "")
    return [record for record in reversed(listing) if not record.deleted][:count]


def rss1(source: SampleSource, records: Sequence[SampleRecord], base: str, url: str) -> str:
    """RSS 1.0 (RDF Site Summary)."""
    links = [base + page_path(source, record) for record in records]
    order = "".join(f"<rdf:li rdf:resource={quoteattr(link)}/>" for link in links)
    items = "".join(
        f"<item rdf:about={quoteattr(link)}>\n{_content(record, link)}"
        f"<dc:date>{w3c_datetime(record.datestamp)}</dc:date>\n</item>\n"
        for link, record in zip(links, records, strict=True)
    )
    return (
        f'{HEAD}<rdf:RDF xmlns="http://purl.org/rss/1.0/"'
        f' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" {MODULES}>\n'
        f"<channel rdf:about={quoteattr(url)}>\n{_channel(source, base)}"
        f"<items><rdf:Seq>{order}</rdf:Seq></items>\n</channel>\n{items}</rdf:RDF>\n"
    )


def rss2(source: SampleSource, records: Sequence[SampleRecord], base: str, url: str) -> str:
    """RSS 2.0."""
    items = "".join(
        f"<item>\n{_content(record, base + page_path(source, record))}"
        f"<pubDate>{format_datetime(_datetime(record), usegmt=True)}</pubDate>\n</item>\n"
        for record in records
    )
    return (
        f'{HEAD}<rss version="2.0" {MODULES} xmlns:atom="http://www.w3.org/2005/Atom">\n<channel>\n'
        f'{_channel(source, base)}<atom:link rel="self" href={quoteattr(url)}/>\n{items}</channel>\n</rss>\n'
    )


def _channel(source: SampleSource, base: str) -> str:
    link = f"{base}/{quote(source.name)}/"
    title, text = source.title or source.name, source.description or source.title or source.name
    return f"<title>{escape(title)}</title>\n<link>{escape(link)}</link>\n<description>{escape(text)}</description>\n"


def _content(record: SampleRecord, link: str) -> str:
    shown = read_record(record)
    title = shown.display_title or shown.title or record.identifier
    rows = [("title", title), ("link", link), ("description", title)]
    rows += [("dc:creator", agent.name) for agent in shown.creators]
    rows += [("dc:publisher", agent.name) for agent in shown.publishers]
    rows += [("dcterms:issued", shown.issued), ("dc:language", next(iter(shown.languages), ""))]
    text = "".join(f"<{name}>{escape(value)}</{name}>\n" for name, value in rows if value)
    isbns = [identifier.printed or identifier.value for identifier in shown.identifiers if identifier.scheme == "ISBN"]
    return text + "".join(f'<dc:identifier xsi:type="dcndl:ISBN">{escape(isbn)}</dc:identifier>\n' for isbn in isbns)


def _datetime(record: SampleRecord) -> datetime:
    return datetime.fromisoformat(w3c_datetime(record.datestamp))


def _is_known(headers: Mapping[str, str], tag: str, changed: str) -> bool:
    """Whether the client has this feed already. An ETag takes precedence over a date (RFC 9110, section 13.1)."""
    if "if-none-match" in headers:
        return tag in headers["if-none-match"]
    return bool(changed) and headers.get("if-modified-since") == changed


_FEEDS: dict[str, Callable[[SampleSource, Sequence[SampleRecord], str, str], str]] = {"rss": rss1, "rss2": rss2}
