"""Where the link to a provider leads, and which links are safe to print. Pure; knows no page and no database.

The order is the guideline's (DC-NDL guideline 2.1.2 (7)): OpenURL, the record's own page, the top page. What a
provider or a record says goes into a URL quoted, and never into the part that names the host.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, urlsplit

from metadata.identifiers import isbn10
from metadata.record import BibliographicRecord, Item


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSource:
    """What a repository says about links. identifier: the record's own number there, "" if it is not known."""

    link_template: str = ""
    home_page: str = ""
    identifier: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """kind: "openurl", "detail", "top", or "" with an empty url when there is nothing to link to."""

    url: str = ""
    kind: str = ""


def provider_link(item: Item, record: BibliographicRecord, repository: LinkSource) -> Link:
    """The best link to what a provider holds."""
    url = _openurl(record, repository)
    if url:
        return Link(url, "openurl")
    url = _own_page(item.see_also, repository) or _own_page(record.see_also, repository)
    if url:
        return Link(url, "detail")
    url = safe_href(repository.home_page)
    return Link(url, "top") if url else Link()


def check_template(template: str) -> str:
    """What is wrong with a link template, as a code ("template.host", …); "" if nothing, or if there is none."""
    if not template:
        return ""
    return next((code for code, is_wrong in _TEMPLATE_CHECKS if is_wrong(template)), "")


def safe_href(url: str) -> str:
    """The URL, trimmed, if a page may link to it: http or https, a host, no user name, no control characters."""
    trimmed = url.strip(_C0_AND_SPACE)
    return trimmed if not _FORBIDDEN.search(trimmed) and _split(trimmed) else ""


PLACES = ("isbn", "isbn10", "issn", "title", "creator", "identifier")

_C0_AND_SPACE = "".join(map(chr, range(0x21)))
# Browsers drop tabs and line ends and read a backslash as a slash: "https:\\good.example\@evil.example".
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
_PLACE = re.compile(r"\{([^{}]*)\}")
_LONGEST_VALUE = 200  # characters of a title; longer ones only make a URL that servers refuse


def _split(url: str) -> SplitResult | None:
    """The parts of an absolute http(s) URL without user information, None for anything else."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port  # raises for a port that is no number
    except ValueError:
        return None
    good = parts.scheme in ("http", "https") and host and "@" not in parts.netloc and " " not in parts.netloc
    return parts if good else None


# In this order: each check relies on those before it.
_TEMPLATE_CHECKS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("template.character", lambda template: " " in template or bool(_FORBIDDEN.search(template))),
    ("template.braces", lambda template: not {"{", "}"}.isdisjoint(_PLACE.sub("", template))),
    ("template.place", lambda template: not set(_PLACE.findall(template)) <= set(PLACES)),
    ("template.address", lambda template: _split(template) is None),
    ("template.host", lambda template: bool(_PLACE.search(urlsplit(template).netloc))),
    ("template.no_place", lambda template: not _PLACE.search(template)),
)


def _openurl(record: BibliographicRecord, repository: LinkSource) -> str:
    """The template with its places filled, "" if it does not apply to this record."""
    template = repository.link_template
    if not template or check_template(template):
        return ""
    values = _values(record, repository)
    if any(name in template for name in ("{isbn}", "{isbn10}", "{issn}")) and _has_number(template, values):
        # The title is a key only where there is no number (guideline 2.1.2 (7) ①).
        values = {**values, "title": "", "creator": ""}
    if not any(values[name] for name in _PLACE.findall(template)):
        return ""
    return _filled(template, values)


def _has_number(template: str, values: Mapping[str, str]) -> bool:
    return any(f"{{{name}}}" in template and values[name] for name in ("isbn", "isbn10", "issn"))


def _values(record: BibliographicRecord, repository: LinkSource) -> dict[str, str]:
    """What may stand in each place, "" where the record has nothing."""
    isbn = next(iter(record.values("ISBN")), "")
    issn = next(iter(record.values("ISSN")), "")
    own = repository.identifier or next((each.value for each in record.source_identifiers), "")
    return {
        "isbn": isbn,
        "isbn10": isbn10(isbn),
        "issn": f"{issn[:4]}-{issn[4:]}" if len(issn) == 8 else issn,
        "title": record.title,
        "creator": record.creators[0].name if record.creators else "",
        "identifier": own,
    }


def _filled(template: str, values: Mapping[str, str]) -> str:
    """The template's parameters without those that have no value; "" if a place outside the query has none."""
    address, question, rest = template.partition("?")
    query, hash_, fragment = rest.partition("#")
    if not all(values[name] for name in _PLACE.findall(address + fragment)):
        return ""
    kept = [each for each in query.split("&") if all(values[name] for name in _PLACE.findall(each))]
    url = _put(address, values) + question + _put("&".join(kept), values) + hash_ + _put(fragment, values)
    return url if _leads_to_same_place(url, template) else ""


def _put(text: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: quote(values[place[1]][:_LONGEST_VALUE], safe="", errors="replace"), text)


def _leads_to_same_place(url: str, template: str) -> bool:
    """Same scheme and host as the template, and no value that climbs out of its folder."""
    parts, wanted = _split(url), _split(template)
    if parts is None or wanted is None or (parts.scheme, parts.netloc) != (wanted.scheme, wanted.netloc):
        return False
    return _dots(parts.path) == _dots(wanted.path)


def _dots(path: str) -> int:
    """How many segments browsers take for "this folder" and "the folder above"; %2e counts as a dot."""
    return sum(unquote(segment) in (".", "..") for segment in path.split("/"))


# Links that name the work and not a provider's page about it: they stand in every record of it.
_IDENTIFIER_URI = re.compile(
    r"https?://(?:iss\.ndl\.go\.jp/(?:isbn|issnl?|jpno)/|id\.ndl\.go\.jp/|(?:dx\.|www\.)?doi\.org/|lccn\.loc\.gov/"
    r"|(?:www\.)?worldcat\.org/oclc/|id\.loc\.gov/|viaf\.org/)", re.IGNORECASE)


def _own_page(links: Iterable[str], repository: LinkSource) -> str:
    """The provider's page about the record: one on the host of its home page first, else the first that can be."""
    pages = [page for page in map(safe_href, links) if page and not _IDENTIFIER_URI.match(page)]
    home = _split(repository.home_page)
    at_home = (page for page in pages if home and urlsplit(page).hostname == home.hostname)
    return next(at_home, pages[0] if pages else "")
