"""The best link from a record to its provider, and which links are safe to print. No database access.

The order of preference is that of NDL guideline 2.1.2 (7): OpenURL, the record's own page, the home page. Values of
providers and records enter a URL only quoted, and never in the part that names the host.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from metadata.citations.names import PERSON, Name, names
from metadata.identifiers import hyphenate, isbn10
from metadata.links import (
    ISBN_PLACEHOLDERS,
    KEY_PLACEHOLDERS,
    NUMBER_PLACEHOLDERS,
    check_template,
    encode,
    fill_template,
    placeholders_of,
    safe_href,
    split_url,
)
from metadata.record import BibliographicRecord, Item


class LinkSource(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a repository defines about links to it. identifier: the record's number at the provider, "" if not known.

    encoding: of the values in a link, a key of `metadata.links.ENCODINGS`.
    """

    link_template: str = ""
    home_page: str = ""
    identifier: str = ""
    encoding: str = "utf-8"


class Link(msgspec.Struct, frozen=True, gc=False):
    """A link to a provider. kind: "openurl", "detail" (the record's page), "top" (the home page), or "" for no link."""

    url: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder of a template and the value that fills it. empty: why there is no value, "" if there is a value.

    empty is "absent" (the record has no such value), "isbn_first" or "number_first" (a better key is present), or
    "characters" (the encoding of the provider lacks one of the characters).
    """

    name: str
    value: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True)
class FilledTemplate:
    """The link made from a template. url: "" if no link could be made; then reason is one of: "none" (there is no
    template), "template.…" (see `metadata.links.check_template`), "no_key" (no placeholder that identifies the book is
    filled), "address" (a placeholder outside the query is empty, or would lead out of its folder).
    """

    url: str = ""
    reason: str = ""
    placeholders: tuple[Placeholder, ...] = ()


def provider_link(item: Item, record: BibliographicRecord, repository: LinkSource) -> Link:
    """Return the best link to what a provider holds."""
    if url := fill_link_template(record, repository).url:
        return Link(url, "openurl")
    if url := own_page(item, record, repository):
        return Link(url, "detail")
    url = safe_href(repository.home_page)
    return Link(url, "top") if url else Link()


def fill_link_template(record: BibliographicRecord, repository: LinkSource) -> FilledTemplate:
    """Fill the placeholders of the template; the result says what went into each."""
    template = repository.link_template
    problem = check_template(template) if template else "none"
    if problem:
        return FilledTemplate(reason=problem)
    placeholders = _fill(dict.fromkeys(placeholders_of(template)), record, repository)
    if not any(placeholder.value for placeholder in placeholders if placeholder.name in KEY_PLACEHOLDERS):
        return FilledTemplate(reason="no_key", placeholders=placeholders)
    values = {placeholder.name: encode(placeholder.value, repository.encoding) or b"" for placeholder in placeholders}
    url = fill_template(template, values)
    return FilledTemplate(url, "" if url else "address", placeholders)


def own_page(item: Item, record: BibliographicRecord, repository: LinkSource) -> str:
    """Return the provider's page about the copy or the record; "" if none is known."""
    return _own_page(item.see_also, repository) or _own_page(record.see_also, repository)


def _fill(wanted: Iterable[str], record: BibliographicRecord, repository: LinkSource) -> tuple[Placeholder, ...]:
    placeholders = [_placeholder(name, record, repository) for name in wanted]
    filled = {placeholder.name for placeholder in placeholders if placeholder.value}
    return tuple(_drop_lesser_key(placeholder, filled) for placeholder in placeholders)


def _placeholder(name: str, record: BibliographicRecord, repository: LinkSource) -> Placeholder:
    value = repository.identifier if name == "identifier" else ""
    value = value or VALUES[name](record)
    if not value:
        return Placeholder(name, empty="absent")
    return (
        Placeholder(name, empty="characters")
        if encode(value, repository.encoding) is None
        else Placeholder(name, value)
    )


def _drop_lesser_key(placeholder: Placeholder, filled: set[str]) -> Placeholder:
    """Leave a placeholder empty if a better key is filled. One key is enough: ISBN, else ISSN, else title, creator
    and so on (NDL guideline 2.1.2 (7) ①).
    """
    if placeholder.value and placeholder.name in _ISSN_PLACEHOLDERS and not filled.isdisjoint(ISBN_PLACEHOLDERS):
        return Placeholder(placeholder.name, empty="isbn_first")
    if placeholder.value and placeholder.name in _WORD_PLACEHOLDERS and not filled.isdisjoint(NUMBER_PLACEHOLDERS):
        return Placeholder(placeholder.name, empty="number_first")
    return placeholder


_ISSN_PLACEHOLDERS = ("issn", "issn_digits")
_WORD_PLACEHOLDERS = ("title", "creator", "family", "given", "corporate", "publisher", "place", "year")


def _first(*schemes: str) -> Callable[[BibliographicRecord], str]:
    return lambda record: next(
        (identifier.value for identifier in record.identifiers if identifier.scheme in schemes), ""
    )


def _isbn(record: BibliographicRecord) -> str:
    return next(iter(record.values("ISBN")), "")


def _isbn10_hyphens(record: BibliographicRecord) -> str:
    """The ISBN-10 with the hyphens of the ISBN-13 and its own check digit."""
    ten = isbn10(_isbn(record))
    return f"{hyphenate(_isbn(record))[4:-1]}{ten[-1]}" if ten else ""


def _issn_digits(record: BibliographicRecord) -> str:
    """The ISSN; where a record has only the ISSN-L, which all media of the serial share, that one."""
    return next(iter((*record.values("ISSN"), *record.values("ISSNL"))), "")


def _issn(record: BibliographicRecord) -> str:
    issn = _issn_digits(record)
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


# Placeholder -> its value in a record; "" if the record has none.
VALUES: dict[str, Callable[[BibliographicRecord], str]] = {
    "isbn": _isbn,
    "isbn_hyphens": lambda record: hyphenate(_isbn(record)),
    "isbn10": lambda record: isbn10(_isbn(record)),
    "isbn10_hyphens": _isbn10_hyphens,
    "issn": _issn,
    "issn_digits": _issn_digits,
    "doi": _first("DOI"),
    "jpno": _first("JPNO"),
    "ncid": _first("NIIBibID", "NCID"),
    "identifier": lambda record: next((identifier.value for identifier in record.source_identifiers), ""),
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

# Links that identify the work instead of leading to a provider's page: every record of the work has the same.
_IDENTIFIER_URI = re.compile(
    r"https?://(?:iss\.ndl\.go\.jp/(?:isbn|issnl?|jpno)/|id\.ndl\.go\.jp/|(?:dx\.|www\.)?doi\.org/|lccn\.loc\.gov/"
    r"|(?:www\.)?worldcat\.org/oclc/|id\.loc\.gov/|viaf\.org/)",
    re.IGNORECASE,
)


def _own_page(links: Iterable[str], repository: LinkSource) -> str:
    """Return the provider's page about the record: one on the host of its home page, else the first usable one."""
    pages = [page for page in map(safe_href, links) if page and not _IDENTIFIER_URI.match(page)]
    if len(pages) < 2:
        return pages[0] if pages else ""
    home = split_url(repository.home_page)
    on_own_host = (page for page in pages if home and urlsplit(page).hostname == home.hostname)
    return next(on_own_host, pages[0])
