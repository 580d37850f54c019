"""Asks catalogues by their OpenSearch 1.1 description. Sends nothing itself.

https://github.com/dewitt/opensearch: the description document, URL templates, RSS and Atom answers.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from lxml import etree

from harvesting.live.documents import child_text, local, parsed
from harvesting.live.options import Options, read_options
from harvesting.live.templates import check as check_template
from harvesting.live.templates import request_by_template
from harvesting.live.types import (
    MAX_HITS,
    Described,
    Fetch,
    Found,
    LiveError,
    LiveProtocol,
    LiveSource,
    Page,
    Question,
    RawHit,
    Request,
    total_of,
)
from harvesting.transports.documents.feed_items import TAGS, absolute_link, read_item
from harvesting.types import Observation
from metadata.links import ENCODINGS, safe_href, split_url

RSS, ATOM, HTML = "application/rss+xml", "application/atom+xml", "text/html"
FEEDS = (RSS, ATOM, "text/xml", "application/xml")  # the better one first: RSS has room for DC-NDL
DESCRIPTION_TYPE = "application/opensearchdescription+xml"
_TAG = re.compile(rb"<link\s[^<>]{1,2000}>", re.IGNORECASE)
_HREF = re.compile(rb"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_HTML = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_MOST = 50  # addresses of a description that are looked at
_FEED_ROOTS = ("rss", "RDF", "feed")


def request_for(source: LiveSource, question: Question, start: int, limit: int) -> Request:
    """Return the request for a question, from the template for records."""
    options = read_options(source.options)
    return request_by_template(options.template, options, question, start, limit)


def find(source: LiveSource, body: bytes, content_type: str) -> Found:
    """Return the items of a feed; relative links refer to the address of the source. Raises LiveError: no feed."""
    root = parsed(body)
    if local(root) not in _FEED_ROOTS:
        raise LiveError("live.not_feed", f"<{local(root)}>")
    items = list(root.iter(*TAGS))
    stated = next((element.text or "" for element in root.iter("{*}totalResults")), "")
    total, observations = total_of(stated, len(items))
    hits = tuple(_hit(item, source.address) for item in items[:MAX_HITS])
    return Found(hits=hits, total=total, observations=(*_too_many(items), *observations))


def _hit(item: etree._Element, base: str) -> RawHit:
    read = read_item(item, base)
    link = safe_href(absolute_link(read.identifier, base))
    return RawHit(link=link, payload=read.payload, issues=read.issues)


def _too_many(items: list[etree._Element]) -> Iterator[Observation]:
    if len(items) > MAX_HITS:
        yield Observation(code="live.too_many", facts={"count": len(items)})


@dataclass(frozen=True, slots=True)
class _Address:
    template: str
    index_offset: int
    page_offset: int


def describe(fetch: Fetch, address: str, words: str) -> Described:
    """Return the options that follow from the description at an address, or at the one that a page there links to.

    Raises LiveError "live.not_description" or "live.no_template".
    """
    page = fetch(address, {})
    if _HTML.search(page.body[:1000]):
        page = fetch(_linked_description(page), {})
    root = parsed(page.body)
    if local(root) != "OpenSearchDescription":
        raise LiveError("live.not_description", f"<{local(root)}>")
    return Described(_options(root, page.url))


def _linked_description(page: Page) -> str:
    """The address of the description that a web page links to, as browsers look for it."""
    for tag in _TAG.findall(page.body[: 256 * 1024]):
        href = _HREF.search(tag)
        if DESCRIPTION_TYPE.encode() in tag.lower() and href:
            link = (href[1] or href[2] or b"").decode("utf-8", "replace").replace("&amp;", "&")
            address: str = urljoin(page.url, link.strip())
            return address
    raise LiveError("live.not_description", HTML)


def _options(root: etree._Element, url: str) -> Options:
    addresses = dict(_addresses(root, url))
    templates = {media_type: addresses[media_type].template for media_type in FEEDS if media_type in addresses}
    if not templates:
        raise LiveError("live.no_template")
    chosen = addresses[next(iter(templates))]
    return Options(
        name=child_text(root, "LongName")[:200] or child_text(root, "ShortName")[:200],
        known_item=_example(root),
        template=chosen.template,
        templates=templates,
        encoding=_encoding(root),
        index_offset=chosen.index_offset,
        page_offset=chosen.page_offset,
        search_page=addresses[HTML].template if HTML in addresses else "",
    )


def _addresses(root: etree._Element, base: str) -> Iterator[tuple[str, _Address]]:
    """Yield media type and address of what is searched with GET and can be filled in; of several the first."""
    seen: set[str] = set()
    for number, element in enumerate(root.iterchildren("{*}Url")):
        rel, method = element.get("rel", "results").split(), element.get("method", "get")
        media_type = element.get("type", "").partition(";")[0].strip().lower()
        template = _absolute(element.get("template", "").strip(), base)
        if number >= _MOST or media_type in seen or "results" not in rel or method.lower() != "get":
            continue
        if not check_template(template):
            seen.add(media_type)
            offsets = (_offset(element.get(name, "1")) for name in ("indexOffset", "pageOffset"))
            yield media_type, _Address(template, *offsets)


def _absolute(template: str, base: str) -> str:
    """Return the template as an absolute one. Joining would not keep the braces of one that is absolute already."""
    return template if split_url(template) else urljoin(base, template)


def _offset(text: str) -> int:
    return int(text) if text.strip() in ("0", "1") else 1


def _encoding(root: etree._Element) -> str:
    """The first encoding that we can write and that the source reads."""
    stated = [(element.text or "").strip().lower() for element in root.iterchildren("{*}InputEncoding")]
    return "utf-8" if "utf-8" in stated else next((name for name in stated if name in ENCODINGS), "utf-8")


def _example(root: etree._Element) -> str:
    """The example search of the description, which the source promises to have hits for."""
    for query in root.iterchildren("{*}Query"):
        if query.get("role") == "example":
            return query.get("searchTerms", "").strip()[:200]
    return ""


def check_address(address: str) -> str:
    """See `LiveProtocol`."""
    return "" if split_url(address) else "address"


def check(options: Options) -> str:
    """See `LiveProtocol`."""
    if not options.template:
        return "template.no_words"
    templates = filter(None, (options.template, *options.templates.values(), options.search_page))
    return next((code for template in templates if (code := check_template(template))), "")


PROTOCOL = LiveProtocol(request_for=request_for, find=find, describe=describe, check_address=check_address, check=check)
