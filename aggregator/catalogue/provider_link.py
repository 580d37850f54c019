"""Where the link to a provider leads and why, and which links are safe to print. Pure; knows no page, no database.

The order is the guideline's (DC-NDL guideline 2.1.2 (7)): OpenURL, the record's own page, the top page. What a
provider or a record says goes into a URL quoted, and never into the part that names the host.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from metadata.citations.names import PERSON, Name, names
from metadata.identifiers import hyphenate, isbn10
from metadata.links import (
    ISBN_PLACES,
    KEY_PLACES,
    NUMBER_PLACES,
    check_template,
    encode,
    fill_template,
    places_of,
    safe_href,
    split_url,
)
from metadata.record import BibliographicRecord, Item


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSource:
    """What a repository says about links. identifier: the record's own number there, "" if it is not known.

    encoding: how it reads what a link says, a key of `metadata.links.ENCODINGS`.
    """

    link_template: str = ""
    home_page: str = ""
    identifier: str = ""
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Link:
    """kind: "openurl", "detail", "top", or "" with an empty url when there is nothing to link to."""

    url: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a template, and what goes into it. empty: why nothing does, "" if something does.

    empty: "absent" (the record has nothing), "isbn_first", "number_first" (a better key is there), "characters"
    (the encoding lacks one of its characters).
    """

    name: str
    value: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """The link that a template gives. url: "" if none; then reason: "none" (there is no template), "template.…" (see
    `metadata.links.check_template`), "no_key" (no place that tells books apart is filled), "address" (a place before
    or behind the query is empty, or would lead out of its folder).
    """

    url: str = ""
    reason: str = ""
    places: tuple[Place, ...] = ()


def provider_link(item: Item, record: BibliographicRecord, repository: LinkSource) -> Link:
    """The best link to what a provider holds."""
    if url := try_template(record, repository).url:
        return Link(url, "openurl")
    if url := own_page(item, record, repository):
        return Link(url, "detail")
    url = safe_href(repository.home_page)
    return Link(url, "top") if url else Link()


def try_template(record: BibliographicRecord, repository: LinkSource) -> Trial:
    """The template with its places filled, and what went into each."""
    template = repository.link_template
    fault = check_template(template) if template else "none"
    if fault:
        return Trial(reason=fault)
    places = _fill(dict.fromkeys(places_of(template)), record, repository)
    if not any(each.value for each in places if each.name in KEY_PLACES):
        return Trial(reason="no_key", places=places)
    values = {each.name: encode(each.value, repository.encoding) or b"" for each in places}
    url = fill_template(template, values)
    return Trial(url, "" if url else "address", places)


def own_page(item: Item, record: BibliographicRecord, repository: LinkSource) -> str:
    """The provider's page about the copy or the record; "" if none is known."""
    return _own_page(item.see_also, repository) or _own_page(record.see_also, repository)


def _fill(wanted: Iterable[str], record: BibliographicRecord, repository: LinkSource) -> tuple[Place, ...]:
    found = [_place(name, record, repository) for name in wanted]
    filled = {each.name for each in found if each.value}
    return tuple(_give_way(each, filled) for each in found)


def _place(name: str, record: BibliographicRecord, repository: LinkSource) -> Place:
    value = repository.identifier if name == "identifier" else ""
    value = value or VALUES[name](record)
    if not value:
        return Place(name, empty="absent")
    return Place(name, empty="characters") if encode(value, repository.encoding) is None else Place(name, value)


def _give_way(place: Place, filled: set[str]) -> Place:
    """One key is enough: ISBN, else ISSN, else the title and what goes with it (guideline 2.1.2 (7) ①)."""
    if place.value and place.name in _ISSN_PLACES and not filled.isdisjoint(ISBN_PLACES):
        return Place(place.name, empty="isbn_first")
    if place.value and place.name in _WORD_PLACES and not filled.isdisjoint(NUMBER_PLACES):
        return Place(place.name, empty="number_first")
    return place


_ISSN_PLACES = ("issn", "issn_digits")
_WORD_PLACES = ("title", "creator", "family", "given", "corporate", "publisher", "place", "year")


def _first(*schemes: str) -> Callable[[BibliographicRecord], str]:
    return lambda record: next((each.value for each in record.identifiers if each.scheme in schemes), "")


def _isbn(record: BibliographicRecord) -> str:
    return next(iter(record.values("ISBN")), "")


def _isbn10_hyphens(record: BibliographicRecord) -> str:
    """As the 13 digits are divided, with the check digit of the 10."""
    ten = isbn10(_isbn(record))
    return f"{hyphenate(_isbn(record))[4:-1]}{ten[-1]}" if ten else ""


def _issn(record: BibliographicRecord) -> str:
    issn = next(iter(record.values("ISSN")), "")
    return f"{issn[:4]}-{issn[4:]}" if len(issn) == 8 else issn


def _main_name(record: BibliographicRecord) -> Name | None:
    return next(iter(names(record)), None)


def _family(record: BibliographicRecord) -> str:
    name = _main_name(record)
    return name.family if name else ""


def _given(record: BibliographicRecord) -> str:
    name = _main_name(record)
    return name.given if name else ""


def _corporate(record: BibliographicRecord) -> str:
    name = _main_name(record)
    return name.literal if name and name.kind != PERSON else ""


# What each place stands for; "" where the record has nothing.
VALUES: dict[str, Callable[[BibliographicRecord], str]] = {
    "isbn": _isbn,
    "isbn_hyphens": lambda record: hyphenate(_isbn(record)),
    "isbn10": lambda record: isbn10(_isbn(record)),
    "isbn10_hyphens": _isbn10_hyphens,
    "issn": _issn,
    "issn_digits": _first("ISSN"),
    "doi": _first("DOI"),
    "jpno": _first("JPNO"),
    "ncid": _first("NIIBibID", "NCID"),
    "identifier": lambda record: next((each.value for each in record.source_identifiers), ""),
    "title": lambda record: record.title,
    "creator": lambda record: record.creators[0].name if record.creators else "",
    "family": _family,
    "given": _given,
    "corporate": _corporate,
    "publisher": lambda record: record.publishers[0].name if record.publishers else "",
    "place": lambda record: record.publishers[0].location if record.publishers else "",
    "year": lambda record: record.year,
    "volume": lambda record: record.volume,
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
    if len(pages) < 2:
        return pages[0] if pages else ""
    home = split_url(repository.home_page)
    at_home = (page for page in pages if home and urlsplit(page).hostname == home.hostname)
    return next(at_home, pages[0])
