"""The identity of what is redistributed: the subject of a record, its links and its sources. No database access.

Everything that gives records to other programs takes them from here, so that all of it says the same about one record.

A book is a thing of its own: its subject is its permanent address, and the addresses that its providers use are links
(rdfs:seeAlso). They are not owl:sameAs, by which the book and the descriptions it was merged from would be one thing
again: see docs/explanation/decisions/0019-a-book-has-its-own-subject.md. A provider's record keeps its own subject.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import get_script_prefix, reverse
from msgspec import structs

from aggregator.catalogue.books import Book
from metadata.formats.common.codes import distinct_types
from metadata.formats.common.uris import is_uri
from metadata.links import safe_href
from metadata.record import BibliographicRecord, Identifier, SourceLink

COPY_NAME = re.compile(r"M([1-9][0-9]{0,17})-L([1-9][0-9]{0,17})-([1-9][0-9]{0,8})")  # a copy that a library has
# An absolute URI, by its characters. Letters outside ASCII are allowed, because they are common in addresses.
_SUBJECT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\s<>\"{}|\\^`]+")

_AS_SOURCE = "?source=1"  # after the address of a book: the record of the provider

# The pattern of a domain name in oai-identifier.xsd.
_DOMAIN = re.compile(r"[a-zA-Z][a-zA-Z0-9\-]*(\.[a-zA-Z][a-zA-Z0-9\-]*)+")
_FALLBACK = "aggregator.localhost"  # for a site that has only an IP address or a host name without a dot


def domain() -> str:
    """Return the domain name in identifiers: OAI_NAMESPACE, else the host of PUBLIC_URL."""
    return _domain(settings.OAI_NAMESPACE, settings.PUBLIC_URL)


@lru_cache(maxsize=8)  # every record of a list has it
def _domain(namespace: str, public_url: str) -> str:
    name = namespace or urlsplit(public_url).hostname or ""
    return name if _DOMAIN.fullmatch(name) else _FALLBACK


class Site(NamedTuple):
    """What addresses and identifiers of this site have in common. start: of the permanent address of a book."""

    start: str
    domain: str


def site() -> Site:
    """Return the site of this request. For many records it is found once: a record has up to four such addresses."""
    return Site(page_address(""), domain())


def page_address(public_id: str) -> str:
    """Return the permanent address of a book, or of the book that a record belongs to."""
    return f"{settings.PUBLIC_URL}{_start(get_script_prefix())}{public_id}"


def source_address(public_id: str) -> str:
    """Return the permanent address of one provider's own record."""
    return f"{page_address(public_id)}{_AS_SOURCE}"


def permanent_address(book: Book) -> str:
    """Return the permanent address of a book; while it waits for matching, that of its record's page."""
    return page_address(book.public_id)


def described(book: Book) -> BibliographicRecord:
    """Return the record of a book as the description of that book."""
    return as_book(book.record, book.public_id, (member.public_id for member in book.members), site())


def as_book(record: BibliographicRecord, public_id: str, members: Iterable[str], here: Site) -> BibliographicRecord:
    """Return a merged record as the description of the book with this id. members: the ids of its source records, the
    oldest first.

    Its own address is also the last of its links: programs look there for a page, and some formats have no other place.
    """
    address = f"{here.start}{public_id}"
    given = (*record.see_also, record.uri) if _can_be_subject(record.uri) else record.see_also
    links = dict.fromkeys(given)
    links.pop(address, None)
    sources = tuple(
        [
            SourceLink(uri=f"{here.start}{one}{_AS_SOURCE}", repository_number=number_in(one))
            for one in first_of_providers(members)
        ]
    )
    return structs.replace(
        record,
        uri=address,
        see_also=(*links, address),
        repository_number=sources[0].repository_number if sources else "",
        sources=sources,
        material_types=distinct_types(record.material_types),
        control_number=Identifier(scheme=here.domain, value=public_id),
    )


def as_copy(record: BibliographicRecord, public_id: str, members: Iterable[str], here: Site) -> BibliographicRecord:
    """Return a merged record with one item as the description of this copy (`provision.copies`).

    It has one link, that of the library, or else its own address (NDL guideline 2.1.2 (7)).
    """
    return structs.replace(as_book(record, public_id, members, here), see_also=record.items[0].see_also)


def as_source(record: BibliographicRecord, public_id: str, here: Site) -> BibliographicRecord:
    """Return the record of a provider with a subject and a link: its own, else its address on this site."""
    pages = (record.uri, *record.see_also, *[page for item in record.items for page in item.see_also])
    address = f"{here.start}{public_id}{_AS_SOURCE}"
    links = () if any(safe_href(page) and is_uri(page) for page in pages) else (address,)
    return structs.replace(
        record,
        uri=next(filter(_can_be_subject, (record.uri, *record.see_also)), "") or address,
        see_also=(*record.see_also, *links),
        repository_number=record.repository_number or number_in(public_id),
        material_types=distinct_types(record.material_types),
        control_number=Identifier(scheme=here.domain, value=public_id),
    )


def _can_be_subject(uri: str) -> bool:
    return _SUBJECT.fullmatch(uri) is not None and is_uri(uri)


def first_of_providers(members: Iterable[str]) -> tuple[str, ...]:
    """Return the first record of every provider. Further ones are not named: a union catalogue may have thousands of
    one book, and a further copy shall change nothing that is redistributed.
    """
    first: dict[str, str] = {}
    for public_id in members:
        first.setdefault(number_in(public_id), public_id)
    return tuple(first.values())


def number_in(public_id: str) -> str:
    """Return the repository number of the provider of a record."""
    return public_id.partition("-")[0]


@lru_cache(maxsize=8)
def _start(_script_prefix: str) -> str:
    """What the paths begin with. Cached: a page of a list has hundreds of addresses."""
    return f"{reverse('home')}books/"
