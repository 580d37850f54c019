"""Converts an item of an RSS or Atom feed to a harvested record. No network access.

NDL guideline 3.2.3: a record is identified by its link, and a later item with the same link replaces it. Feeds report
no deletions.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from lxml import etree

from harvesting.transports.documents.entries import content_identifier
from harvesting.types import HarvestedRecord
from metadata.about import about_of_licences
from metadata.issue import Issue
from metadata.vocabularies.namespaces import ATOM, DC, DCTERMS, RDF, RSS
from metadata.xml.parsing import cut_out, text

ITEM, RSS1_ITEM, ENTRY = "item", f"{{{RSS}}}item", f"{{{ATOM}}}entry"
TAGS = (ITEM, RSS1_ITEM, ENTRY)
_ABOUT = f"{{{RDF}}}about"
_LINK_TAGS = ("link", f"{{{RSS}}}link", f"{{{ATOM}}}link")
_LICENCE_TAGS = (
    "{http://backend.userland.com/creativeCommonsRssModule}license",
    "{http://web.resource.org/cc/}license",
    "{http://creativecommons.org/ns#}license",
)
_GUID_TAGS = ("guid", f"{{{ATOM}}}id")
# Elements with the date of an item, the best first. A dc:date without a time is the date of the book, not of the item.
_DATE_TAGS = (
    f"{{{DCTERMS}}}modified",
    f"{{{ATOM}}}updated",
    "pubDate",
    f"{{{ATOM}}}published",
    f"{{{DC}}}date",
)


def read_item(element: etree._Element, base: str) -> HarvestedRecord:
    """Convert an item. base: the URL to which relative links refer.

    An item without a link gets a record error and is rejected; its bytes are stored.
    """
    issues: list[Issue] = []
    link_text, link_element = _sent_link(element)
    link = absolute_link(link_text, base)
    if link and link_element is not None and link != (link_element.get("href") or link_element.text or ""):
        issues.append(Issue(code="rss.N002", field="link", value=link_text, result=link))
        _set_link(link_element, link)
    datestamp = _datestamp(element, issues)
    payload = cut_out(element)
    if not link:
        issues.append(Issue(code="rss.E001", field="item/link", value=link_text or _title(element)))
    return HarvestedRecord(
        identifier=link or content_identifier(payload),
        datestamp=datestamp,
        payload=payload,
        about=about_of_licences(_licences(element)),
        issues=tuple(issues),
    )


def absolute_link(link_text: str, base: str) -> str:
    """Return the link as an absolute http(s) URL; "" if it is not one."""
    try:
        link = urljoin(base, link_text.strip()) if link_text.strip() else ""
        parts = urlsplit(link)
        return link if parts.scheme in {"http", "https"} and parts.hostname else ""
    except ValueError:
        return ""


def utc_datestamp(value: str) -> str:
    """Convert a date and time in RFC 822 or ISO 8601 to an OAI-PMH datestamp in UTC; "" if it is neither."""
    value = value.strip()
    try:
        moment = datetime.fromisoformat(value) if value[:4].isdigit() else parsedate_to_datetime(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, IndexError, TypeError):
        return ""


def _sent_link(element: etree._Element) -> tuple[str, etree._Element | None]:
    """Return the link as sent, and the element it was read from if that is a link element, else None.

    The link is that of a link element, else rdf:about, else a guid that is a permalink; "" if there is none.
    """
    for child in element:
        if child.tag in _LINK_TAGS:
            value = child.get("href") or text(child)
            if value.strip() and child.get("rel", "alternate") == "alternate":
                return value, child
    about = element.get(_ABOUT, "").strip()
    if about:
        return about, None
    for child in element:
        if child.tag in _GUID_TAGS and child.get("isPermaLink", "true").strip().lower() != "false":
            value = text(child)
            if value.startswith(("http://", "https://")):
                return value, None
    return "", None


def _licences(element: etree._Element) -> Iterator[str]:
    """Yield the licences of an item: by Creative Commons for RSS 1.0 and 2.0, by RFC 4946 for Atom."""
    for child in element:
        if child.tag in _LICENCE_TAGS:
            yield child.get(f"{{{RDF}}}resource") or text(child)
        elif child.tag == f"{{{ATOM}}}link" and child.get("rel") == "license":
            yield child.get("href", "")


def _set_link(link_element: etree._Element, link: str) -> None:
    if link_element.get("href") is not None:
        link_element.set("href", link)
    else:
        link_element.text = link


def _datestamp(element: etree._Element, issues: list[Issue]) -> str:
    dates = {child.tag: text(child) for child in reversed(element) if child.tag in _DATE_TAGS}
    for tag in _DATE_TAGS:
        value = dates.get(tag, "")
        if not value or (tag.startswith(f"{{{DC}}}") and "T" not in value):
            continue
        moment = utc_datestamp(value)
        if moment:
            return moment
        issues.append(Issue(code="rss.W008", field=tag[tag.rfind("}") + 1 :], value=value[:200]))
    return ""


def _title(element: etree._Element) -> str:
    return next((text(child) for child in element if str(child.tag).endswith("title") and text(child)), "")[:200]
