"""Where the link to a provider leads, and which links are safe to print. Pure; knows no page and no database.

The order is the guideline's (DC-NDL guideline 2.1.2 (7)): OpenURL, the record's own page, the top page. What a
provider or a record says goes into a URL quoted, and never into the part that names the host.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from metadata.identifiers import isbn10
from metadata.links import check_template, fill_template, places_of, safe_href, split_url
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


def _openurl(record: BibliographicRecord, repository: LinkSource) -> str:
    """The template with its places filled, "" if it does not apply to this record."""
    template = repository.link_template
    if not template or check_template(template):
        return ""
    values = _values(record, repository)
    if any(name in template for name in ("{isbn}", "{isbn10}", "{issn}")) and _has_number(template, values):
        # The title is a key only where there is no number (guideline 2.1.2 (7) ①).
        values = {**values, "title": "", "creator": ""}
    if not any(values[name] for name in places_of(template)):
        return ""
    return fill_template(template, values)


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


# Links that name the work and not a provider's page about it: they stand in every record of it.
_IDENTIFIER_URI = re.compile(
    r"https?://(?:iss\.ndl\.go\.jp/(?:isbn|issnl?|jpno)/|id\.ndl\.go\.jp/|(?:dx\.|www\.)?doi\.org/|lccn\.loc\.gov/"
    r"|(?:www\.)?worldcat\.org/oclc/|id\.loc\.gov/|viaf\.org/)",
    re.IGNORECASE,
)


def _own_page(links: Iterable[str], repository: LinkSource) -> str:
    """The provider's page about the record: one on the host of its home page first, else the first that can be."""
    pages = [page for page in map(safe_href, links) if page and not _IDENTIFIER_URI.match(page)]
    home = split_url(repository.home_page)
    at_home = (page for page in pages if home and urlsplit(page).hostname == home.hostname)
    return next(at_home, pages[0] if pages else "")
