"""Which of the listed resources are metadata, and where the metadata of a content is. Pure.

ResourceSync lists anything: contents (PDF, images, pages for people) and metadata, linked by rel="describedby" and
rel="describes" (section 14.5). A record here is the metadata; its identifier is the listed URI that stands for it,
so that a later deletion of that URI meets it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from harvesting.transports.resourcesync.documents import NO_ATTRIBUTES, Entry, Link
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, OAI_DC

CONFORMS_TO = frozenset({"profile", "conformsto", "dcterms:conformsto", f"{DCTERMS}conformsto"})
# What a profile says about the format. The first that the URI starts with or contains counts.
PROFILES = (
    (DCNDL, "dcndl"),
    ("dcndl", "dcndl"),
    (OAI_DC, "oai_dc"),
    (DC, "oai_dc"),
    ("jpcoar", "jpcoar"),
    ("junii2", "junii2"),
    ("marc21/slim", "marcxml"),
    ("/mods/", "mods"),
    ("/mets", "mets"),
    ("datacite", "datacite"),
    ("lido", "lido"),
)
# Spellings of one format among metadataPrefixes.
FAMILIES = {
    "dcndl_simple": "dcndl",
    "dcndl_v3": "dcndl",
    "jpcoar_1.0": "jpcoar",
    "jpcoar_2.0": "jpcoar",
    "dc": "oai_dc",
}
CONTENT_SUFFIX = re.compile(
    r"\.(pdf|jpe?g|png|gif|tiff?|jp2|svg|webp|mp[34]|wav|flac|mov|avi|zip|gz|tar|7z|epub|docx?|xlsx?|pptx?|csv|tsv|txt"
    r"|json|css|js)\Z",
    re.IGNORECASE,
)
PAGE_SUFFIX = re.compile(r"\.x?html?\Z", re.IGNORECASE)
PAGES = frozenset({"text/html", "application/xhtml+xml"})
NO_METADATA = frozenset({"application/xhtml+xml", "image/svg+xml"})
LOWEST_PRIORITY = 999_999  # section 7: what no pri says


class Style(StrEnum):
    """How a source relates contents and metadata, told once by its Resource List."""

    UNKNOWN = ""
    LISTED = "listed"  # metadata have entries of their own, as section 14.5 says
    LINKED = "linked"  # only contents are listed, and link to their metadata


class Kind(StrEnum):
    METADATA = "metadata"
    PAGE = "page"  # for people; may link to its metadata
    CONTENT = "content"
    UNKNOWN = "unknown"  # seen when fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What to fetch for an entry. attributes: those that hash and length of it stand in. url "": skip, because of why
    ("content", "format", "page")."""

    url: str = ""
    kind: Kind = Kind.UNKNOWN
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    why: str = ""


def style_of(entries: Iterable[Entry]) -> Style:
    """The style that a list shows; UNKNOWN without any such link. Keeps only what contents link to."""
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
    """Where the metadata of an entry is. prefix: the format wanted."""
    links = entry.linked("describedby")
    kind = kind_of(entry)
    if kind is Kind.METADATA or not links:
        return _itself(entry, kind, prefix)
    if style is Style.LISTED:
        return Target(why="content")
    link = best(links, prefix)
    if link is None:
        return Target(why="format")
    return Target(url=link.href, kind=Kind.METADATA, attributes=link.attributes)


def _itself(entry: Entry, kind: Kind, prefix: str) -> Target:
    if kind is Kind.CONTENT:
        return Target(why="content")
    if not suits(format_of(entry), prefix):
        return Target(why="format")
    return Target(url=entry.loc, kind=kind, attributes=entry.attributes)


def is_deleted_content(entry: Entry, style: Style) -> bool:
    """Whether a deleted entry was never a record: a content whose metadata have an entry of their own."""
    return style is not Style.LINKED and kind_of(entry) is Kind.CONTENT


def kind_of(entry: Entry) -> Kind:
    """By what the list says, else by the name."""
    if entry.linked("describes"):
        return Kind.METADATA
    if entry.type:
        return Kind.METADATA if is_xml(entry.type) else Kind.PAGE if entry.type in PAGES else Kind.CONTENT
    path = entry.loc.partition("?")[0].partition("#")[0].removesuffix(".gz")
    if path.lower().endswith((".xml", ".rdf")):
        return Kind.METADATA
    if PAGE_SUFFIX.search(path):
        return Kind.PAGE
    return Kind.CONTENT if CONTENT_SUFFIX.search(path) else Kind.UNKNOWN


def is_xml(media_type: str) -> bool:
    return (media_type in {"application/xml", "text/xml"} or media_type.endswith("+xml")) and (
        media_type not in NO_METADATA
    )


def best(links: Iterable[Link], prefix: str) -> Link | None:
    """The link to the wanted format: one that says so, else one that says nothing; then by priority."""
    ranked = [
        (format_of_link(link) != family(prefix), not _is_xml_link(link), _priority(link), number, link)
        for number, link in enumerate(links)
        if link.href and suits(format_of_link(link), prefix)
    ]
    return min(ranked)[-1] if ranked else None


def suits(found: str, prefix: str) -> bool:
    """Whether a format may be the one that is wanted; what no link tells may be."""
    return not found or not prefix or found == family(prefix)


def family(prefix: str) -> str:
    return FAMILIES.get(prefix, prefix)


def format_of(entry: Entry) -> str:
    """The format that a profile or conformsTo link of the entry names, as a metadataPrefix; "" if none does."""
    named = (link.href for link in entry.links if link.rel.lower() in CONFORMS_TO)
    return next(filter(None, (format_of_profile(href) for href in named)), "") or _of_attributes(entry.attributes)


def format_of_link(link: Link) -> str:
    return _of_attributes(link.attributes)


def format_of_profile(profile: str) -> str:
    profile = profile.lower()
    return next((prefix for part, prefix in PROFILES if part.lower() in profile), "")


def profiles(entry: Entry) -> tuple[str, ...]:
    """All that the entry says about formats, as URIs."""
    own = [link.href for link in entry.links if link.rel.lower() in CONFORMS_TO]
    linked = [link.attributes.get("profile") or link.attributes.get("conformsTo", "") for link in entry.links]
    return tuple(filter(None, [*own, *linked]))


def _of_attributes(attributes: Mapping[str, str]) -> str:
    said = " ".join(attributes.get(name, "") for name in ("profile", "conformsTo"))
    parameters = attributes.get("type", "").partition(";")[2]
    return format_of_profile(f"{said} {parameters}")


def _is_xml_link(link: Link) -> bool:
    return is_xml(link.attributes.get("type", "application/xml").partition(";")[0].strip().lower())


def _priority(link: Link) -> int:
    text = link.attributes.get("pri", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else LOWEST_PRIORITY
