"""Where readers go instead of a dead link: to the next kind of link in the order of NDL guideline 2.1.2 (7).

The library's own link template comes first, then those of the providers, then pages about the book, then home pages.
Nothing is stored: a link that works again is used again at once. Where no link is dead, nothing is read either.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from aggregator.libraries.holdings import LONGEST_LINK, Copy, unpack_copies
from aggregator.libraries.provider_link import Link, LinkSource, fill_link_template, own_page
from aggregator.links.dead import DeadLinks, dead_links
from aggregator.models import Holding, Library
from core.database.batches import chunks, select_in
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_encoded, unpack_record
from metadata.links import safe_href
from metadata.record import BibliographicRecord, Item

NO_LINK = Link()
MOST_RECORDS = 5  # of a library that are looked at for other links

type Holder = tuple[int, int]  # a book and a library, by their primary keys


@dataclass(frozen=True, slots=True)
class Reported:
    """A record that reports a holding. item: as the record describes the copy. source: how to link to its provider."""

    item: Item
    record: BibliographicRecord
    source: LinkSource


@dataclass(frozen=True, slots=True)
class Place:
    """What a library defines about links to it."""

    link_template: str = ""
    page: str = ""


def links_instead(links: Iterable[tuple[int, int, str]]) -> dict[Holder, Link]:
    """Return the links that replace dead ones; of books and libraries whose link works nothing.

    links: book, library, link. If no other link works either, the replacement is that there is none.
    """
    dead = dead_links()
    if not dead:
        return {}
    holders = [(book, library) for book, library, url in links if url and dead.has(url)]
    return living(holders, dead)


def living(holders: Collection[Holder], dead: DeadLinks) -> dict[Holder, Link]:
    """Return the first link of each of these holdings that is not dead. Four queries."""
    if not holders:
        return {}
    reports, places = _reports(holders), _places({library for _book, library in holders})
    return {
        holder: next(
            (link for link in possible(places.get(holder[1], Place()), reports[holder]) if _works(link, dead)),
            NO_LINK,
        )
        for holder in holders
    }


def links_of(book: int, library: int) -> frozenset[str]:
    """Return all links of a holding that records and templates give at present."""
    rows = Holding.objects.filter(manifestation=book, library=library).values_list("link", "packed")
    used = [(link, unpack_copies(unpack_encoded(packed))) for link, packed in rows]
    own = {url for link, copies in used for url in (link, *(copy.link for copy in copies))}
    holder = (book, library)
    reports, places = _reports([holder]), _places([library])
    return frozenset(own | {link.url for link in possible(places.get(library, Place()), reports[holder])}) - {""}


def _works(link: Link, dead: DeadLinks) -> bool:
    return bool(link.url) and len(link.url) <= LONGEST_LINK and not dead.has(link.url)


def possible(place: Place, reports: Iterable[Reported]) -> Iterator[Link]:
    """Yield all links of a holding, the best first."""
    reports = tuple(reports)
    own = LinkSource(link_template=place.link_template)
    filled = [
        *((report.record, own) for report in reports if own.link_template),
        *((report.record, report.source) for report in reports if report.source.link_template),
    ]
    yield from (Link(fill_link_template(record, source).url, "openurl") for record, source in filled)
    yield from (Link(own_page(report.item, report.record, report.source), "detail") for report in reports)
    yield from (Link(safe_href(page), "top") for page in (place.page, *(report.source.home_page for report in reports)))


def _reports(holders: Collection[Holder]) -> dict[Holder, list[Reported]]:
    """The records that report these holdings."""
    copies = _copies(holders)
    names = {copy.record for own in copies.values() for copy in own}
    columns = ("public_id", "record", "repository_id", "deleted", "suppressed_at")
    rows = [row for row in select_in(SourceRecord, columns, "public_id", names) if row[1] and not row[3] and not row[4]]
    records = {name: (unpack_record(bytes(packed)), owner) for name, packed, owner, *_rest in rows}
    sources = _sources({owner for _record, owner in records.values()})
    return {
        holder: [
            Reported(copy.item, record, sources[owner])
            for copy in copies.get(holder, ())
            if copy.record in records
            for record, owner in [records[copy.record]]
            if owner in sources
        ]
        for holder in holders
    }


def _copies(holders: Collection[Holder]) -> dict[Holder, list[Copy]]:
    """One copy for each of the first records that report a holding."""
    found: dict[Holder, list[Copy]] = {}
    wanted = set(holders)
    for chunk in chunks(sorted(wanted)):
        books, libraries = {book for book, _library in chunk}, {library for _book, library in chunk}
        rows = Holding.objects.filter(manifestation__in=books, library__in=libraries)
        for book, library, packed in rows.values_list("manifestation_id", "library_id", "packed"):
            if (book, library) in wanted:
                first: dict[str, Copy] = {}
                for copy in unpack_copies(unpack_encoded(packed)):
                    first.setdefault(copy.record, copy)
                found[book, library] = list(first.values())[:MOST_RECORDS]
    return found


def _places(libraries: Collection[int]) -> dict[int, Place]:
    rows = select_in(Library, ("id", "link_template", "page"), "id", libraries)
    return {pk: Place(template, page) for pk, template, page in rows}


def _sources(repositories: Collection[int]) -> dict[int, LinkSource]:
    columns = ("id", "link_template", "home_page", "link_encoding")
    rows = select_in(Repository, columns, "id", repositories)
    return {
        pk: LinkSource(link_template=template, home_page=page, encoding=encoding)
        for pk, template, page, encoding in rows
    }
