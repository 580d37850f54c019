"""One item of a feed as a harvested record: its link as the key, its date, its bytes standalone. Asks nobody.

NDL guideline 3.2.3: a record is known by its link; the same link overwrites. There are no deletions.
"""

import hashlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from lxml import etree

from harvesting.types import HarvestedRecord
from metadata.issue import Issue
from metadata.vocabularies.namespaces import ATOM, DC, DCTERMS, RDF, RSS
from metadata.xml.parsing import cut_out, text

ITEM, RSS1_ITEM, ENTRY = "item", f"{{{RSS}}}item", f"{{{ATOM}}}entry"
TAGS = (ITEM, RSS1_ITEM, ENTRY)
_ABOUT = f"{{{RDF}}}about"
_LINKS = ("link", f"{{{RSS}}}link", f"{{{ATOM}}}link")
_GUIDS = ("guid", f"{{{ATOM}}}id")
# Where an item says when it was written, the best first. dc:date is that of the book unless it has a time.
_STAMPS = (
    f"{{{DCTERMS}}}modified",
    f"{{{ATOM}}}updated",
    "pubDate",
    f"{{{ATOM}}}published",
    f"{{{DC}}}date",
)


def read_item(element: etree._Element, base: str) -> HarvestedRecord:
    """base: the URL that relative links start from. An item without a link is one that is rejected, with its bytes."""
    issues: list[Issue] = []
    sent, place = _sent_link(element)
    link = complete(sent, base)
    if link and place is not None and link != (place.get("href") or place.text or ""):
        issues.append(Issue(code="rss.N002", field="link", value=sent, result=link))
        _write_link(place, link)
    datestamp = _datestamp(element, issues)
    payload = cut_out(element)
    if not link:
        issues.append(Issue(code="rss.E001", field="item/link", value=sent or _title(element)))
    return HarvestedRecord(
        identifier=link or nameless(payload), datestamp=datestamp, payload=payload, issues=tuple(issues)
    )


def complete(sent: str, base: str) -> str:
    """The link as an absolute http(s) URL; "" where it is none."""
    try:
        link = urljoin(base, sent.strip()) if sent.strip() else ""
        parts = urlsplit(link)
        return link if parts.scheme in {"http", "https"} and parts.hostname else ""
    except ValueError:
        return ""


def nameless(payload: bytes) -> str:
    """A key for what has none, so that its bytes are kept for the error report."""
    return f"urn:sha256:{hashlib.sha256(payload).hexdigest()}"


def read_moment(value: str) -> str:
    """A date with a time, in RFC 822 or ISO 8601, as UTC in the form of OAI-PMH; "" if it is none."""
    value = value.strip()
    try:
        moment = datetime.fromisoformat(value) if value[:4].isdigit() else parsedate_to_datetime(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, IndexError, TypeError):
        return ""


def _sent_link(element: etree._Element) -> tuple[str, etree._Element | None]:
    """What leads to the page, and the element that says so: link, else rdf:about, else a guid that is a permalink."""
    for child in element:
        if child.tag in _LINKS:
            value = child.get("href") or text(child)
            if value.strip() and child.get("rel", "alternate") == "alternate":
                return value, child
    about = element.get(_ABOUT, "").strip()
    if about:
        return about, None
    for child in element:
        if child.tag in _GUIDS and child.get("isPermaLink", "true").strip().lower() != "false":
            value = text(child)
            if value.startswith(("http://", "https://")):
                return value, None
    return "", None


def _write_link(place: etree._Element, link: str) -> None:
    if place.get("href") is not None:
        place.set("href", link)
    else:
        place.text = link


def _datestamp(element: etree._Element, issues: list[Issue]) -> str:
    found = {child.tag: text(child) for child in reversed(element) if child.tag in _STAMPS}
    for tag in _STAMPS:
        value = found.get(tag, "")
        if not value or (tag.startswith(f"{{{DC}}}") and "T" not in value):
            continue
        moment = read_moment(value)
        if moment:
            return moment
        issues.append(Issue(code="rss.W008", field=tag[tag.rfind("}") + 1 :], value=value[:200]))
    return ""


def _title(element: etree._Element) -> str:
    return next((text(child) for child in element if str(child.tag).endswith("title") and text(child)), "")[:200]
