"""Decides which listed resources are metadata, and where the metadata of a content is. Pure functions.

ResourceSync lists any resource: contents (PDF, images, web pages) and metadata, linked by rel="describedby" and
rel="describes" (ResourceSync 1.1, section 14.5). A record is made from metadata; its identifier is the URI that the
list names for it, so that a later deletion of that URI applies to the record.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from harvesting.transports.resourcesync.documents import NO_ATTRIBUTES, Entry, Link
from metadata.formats import BY_NAME, FORMATS
from metadata.vocabularies.namespaces import DCTERMS

CONFORMS_TO = frozenset({"profile", "conformsto", "dcterms:conformsto", f"{DCTERMS}conformsto"})
# Formats that cannot be read → part of the profile URIs that name them.
OTHER_FORMATS = {"mets": "/mets", "datacite": "datacite", "lido": "lido"}
CONTENT_SUFFIX = re.compile(
    r"\.(pdf|jpe?g|png|gif|tiff?|jp2|svg|webp|mp[34]|wav|flac|mov|avi|zip|gz|tar|7z|epub|docx?|xlsx?|pptx?|csv|tsv|txt"
    r"|json|css|js)\Z",
    re.IGNORECASE,
)
PAGE_SUFFIX = re.compile(r"\.x?html?\Z", re.IGNORECASE)
PAGES = frozenset({"text/html", "application/xhtml+xml"})
XML_CONTENTS = frozenset({"application/xhtml+xml", "image/svg+xml"})
LOWEST_PRIORITY = 999_999  # without a pri attribute (section 7)


class Style(StrEnum):
    """How a source relates contents and metadata; determined once from its Resource List."""

    UNKNOWN = ""
    LISTED = "listed"  # metadata have entries of their own, as in section 14.5
    LINKED = "linked"  # only contents are listed, and link to their metadata


class ResourceKind(StrEnum):
    METADATA = "metadata"
    PAGE = "page"  # a web page, which may link to its metadata
    CONTENT = "content"
    UNKNOWN = "unknown"  # recognised when it has been fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What to fetch for an entry.

    attributes: with the hash and length of the resource. url: "" to skip the entry for the reason in skip_reason
    ("content", "format").
    """

    url: str = ""
    kind: ResourceKind = ResourceKind.UNKNOWN
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    skip_reason: str = ""


def style_of(entries: Iterable[Entry]) -> Style:
    """Return the style of a list; UNKNOWN without links to or from metadata. Only hashes of URLs are held in memory."""
    described: Counter[int] = Counter()
    listed: set[int] = set()
    for entry in entries:
        if entry.linked("describes"):
            return Style.LISTED
        if entry.linked("describedby"):
            described.update(hash(link.href) for link in entry.linked("describedby"))
        elif is_xml(entry.type) or not entry.type:
            listed.add(hash(entry.loc))
    if not described:
        return Style.UNKNOWN
    return Style.LISTED if described.keys() & listed else Style.LINKED


def target_of(entry: Entry, style: Style, prefix: str) -> Target:
    """Return where the metadata of an entry is. prefix: of the wanted format."""
    links = entry.linked("describedby")
    kind = kind_of(entry)
    if kind is ResourceKind.METADATA or not links:
        return _own_target(entry, kind, prefix)
    if style is Style.LISTED:
        return Target(skip_reason="content")
    link = best_link(links, prefix)
    if link is None:
        return Target(skip_reason="format")
    return Target(url=link.href, kind=ResourceKind.METADATA, attributes=link.attributes)


def _own_target(entry: Entry, kind: ResourceKind, prefix: str) -> Target:
    if kind is ResourceKind.CONTENT:
        return Target(skip_reason="content")
    if not may_be_format(format_of(entry), prefix):
        return Target(skip_reason="format")
    return Target(url=entry.loc, kind=kind, attributes=entry.attributes)


def is_deleted_content(entry: Entry, style: Style) -> bool:
    """Whether a deleted entry never was a record: a content whose metadata has an entry of its own."""
    return style is not Style.LINKED and kind_of(entry) is ResourceKind.CONTENT


def kind_of(entry: Entry) -> ResourceKind:
    """Return the kind of a resource by its links and media type, else by the suffix of its URL."""
    if entry.linked("describes"):
        return ResourceKind.METADATA
    if entry.type:
        return (
            ResourceKind.METADATA
            if is_xml(entry.type)
            else ResourceKind.PAGE
            if entry.type in PAGES
            else ResourceKind.CONTENT
        )
    path = entry.loc.partition("?")[0].partition("#")[0].removesuffix(".gz")
    if path.lower().endswith((".xml", ".rdf")):
        return ResourceKind.METADATA
    if PAGE_SUFFIX.search(path):
        return ResourceKind.PAGE
    return ResourceKind.CONTENT if CONTENT_SUFFIX.search(path) else ResourceKind.UNKNOWN


def is_xml(media_type: str) -> bool:
    return (media_type in {"application/xml", "text/xml"} or media_type.endswith("+xml")) and (
        media_type not in XML_CONTENTS
    )


def best_link(links: Iterable[Link], prefix: str) -> Link | None:
    """Return the best link to the wanted format: first links that name it, then links without a format, by priority."""
    ranked = [
        (format_of_link(link) != format_family(prefix), not _is_xml_link(link), _priority(link), number, link)
        for number, link in enumerate(links)
        if link.href and may_be_format(format_of_link(link), prefix)
    ]
    return min(ranked)[-1] if ranked else None


def may_be_format(format_name: str, prefix: str) -> bool:
    """Whether a format may be the wanted one; "" (unknown) may be."""
    return not format_name or not prefix or format_name == format_family(prefix)


def format_family(prefix: str) -> str:
    """Return the format that links to a format name: of all versions of a format, and of DC-NDL (Simple), the same."""
    known = BY_NAME.get(prefix)
    return (known and (format_of_profile(known.namespace) or known.prefix)) or prefix


def format_of(entry: Entry) -> str:
    """Return the metadataPrefix of the format that a profile or conformsTo link of the entry names; "" if none does."""
    hrefs = (link.href for link in entry.links if link.rel.lower() in CONFORMS_TO)
    return next(filter(None, (format_of_profile(href) for href in hrefs)), "") or _format_of_attributes(
        entry.attributes
    )


def format_of_link(link: Link) -> str:
    return _format_of_attributes(link.attributes)


def format_of_profile(profile: str) -> str:
    profile = profile.lower()
    known = ((part, known.prefix) for known in FORMATS.values() for part in known.profiles)
    others = ((part, name) for name, part in OTHER_FORMATS.items())
    return next((prefix for part, prefix in (*known, *others) if part.lower() in profile), "")


def format_uris(entry: Entry) -> tuple[str, ...]:
    """Return the URIs of all formats that the entry names."""
    own_uris = [link.href for link in entry.links if link.rel.lower() in CONFORMS_TO]
    link_uris = [link.attributes.get("profile") or link.attributes.get("conformsTo", "") for link in entry.links]
    return tuple(filter(None, [*own_uris, *link_uris]))


def _format_of_attributes(attributes: Mapping[str, str]) -> str:
    profile_text = " ".join(attributes.get(name, "") for name in ("profile", "conformsTo"))
    parameters = attributes.get("type", "").partition(";")[2]
    return format_of_profile(f"{profile_text} {parameters}")


def _is_xml_link(link: Link) -> bool:
    return is_xml(link.attributes.get("type", "application/xml").partition(";")[0].strip().lower())


def _priority(link: Link) -> int:
    text = link.attributes.get("pri", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else LOWEST_PRIORITY
