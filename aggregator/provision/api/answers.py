"""Makes the answers of the JSON interface from the catalogue: searches, records, providers. No HTTP."""

from collections.abc import Sequence
from typing import Any

import msgspec
from django.conf import settings
from django.urls import reverse

from aggregator.catalogue.books import Book, Member, describe_unchanged
from aggregator.catalogue.identity import as_source, permanent_address, site, source_address
from aggregator.catalogue.providers import Listing
from aggregator.catalogue.shelves import Shelf
from aggregator.indexing import searching
from aggregator.libraries.addresses import library_url
from aggregator.libraries.holdings import Copy
from aggregator.models import ApiKey, Manifestation
from aggregator.presentation.representations import book_writers, ending_of
from aggregator.provision import permitted_books
from aggregator.provision.api import shapes
from aggregator.query.parameters import cursor
from aggregator.results.value_labels import value_labels
from aggregator.search.base import FACETS, FacetValue, Query, Results
from harvesting.models import Harvest, SourceRecord

LINKS = 30  # links to libraries per hit, at most
DAYS = 90  # days for which the holder of an API key can see its usage
_RUN = ("code", "received", "created", "updated", "unchanged", "deleted", "rejected")


def answer(query: Query) -> dict[str, Any]:
    """Return the answer to a search as plain values, as `manage.py search --json` prints it."""
    plain: dict[str, Any] = msgspec.to_builtins(search(query))
    return plain


def search(query: Query) -> shapes.Found:
    """Return the answer to a search. Raises QueryError, IndexUnavailable.

    Facets come with the first page only, since a client that continues with a cursor already has them.
    """
    results = searching.search(permitted_books.restrict_to_permitted(query), facets=() if query.after else FACETS)
    scores = dict(results.hits)
    books = permitted_books.books(list(scores), LINKS)
    moments = dict(Manifestation.objects.filter(pk__in=list(books)).values_list("pk", "changed_at"))
    return shapes.Found(
        total=results.total,
        items=tuple(_hit(book, scores[number], moments.get(number)) for number, book in books.items()),
        facets=_facets(query, results),
        next=cursor(results.next),
        incomplete=results.partial,
    )


def _hit(book: Book, score: float, changed: Any) -> shapes.Hit:
    record = book.record
    return shapes.Hit(
        id=book.public_id,
        title=record.title,
        creators=tuple(agent.name for agent in record.creators),
        publishers=tuple(agent.name for agent in record.publishers),
        issued=record.issued,
        isbn=record.values("ISBN"),
        volume=record.volume,
        repositories=tuple(repository.number for repository in book.repositories),
        libraries=book.holders.libraries,
        links=tuple(shelf.link.url for shelf in book.shelves if shelf.link.url)[:LINKS],
        score=score,
        url=permanent_address(book),
        licences=book.licences,
        changed=changed,
    )


def _facets(query: Query, results: Results) -> dict[str, tuple[shapes.Count, ...]]:
    labels = value_labels(results.facets, query)
    return {name: _counts(values, labels.get(name, {})) for name, values in results.facets.items()}


def _counts(values: Sequence[FacetValue], labels: dict[str, str]) -> tuple[shapes.Count, ...]:
    return tuple(
        shapes.Count(value=value.value, label=labels.get(value.value) or value.value, count=value.count)
        for value in values
    )


def merged(book: Book) -> shapes.Merged:
    """Return a merged record with its members and holdings."""
    changed = Manifestation.objects.filter(pk=book.number).values_list("changed_at", flat=True).first()
    url = permanent_address(book)
    return shapes.Merged(
        id=book.public_id,
        url=url,
        changed=changed,
        licences=book.licences,
        record=book.record,
        members=tuple(map(_member, book.members)),
        library_count=book.holders.libraries,
        libraries=tuple(map(_library, book.shelves)),
        holdings=tuple(_copy(shelf, copy) for shelf in book.shelves for copy in shelf.copies),
        formats={writer.name: f"{url}.{ending_of(writer)}" for writer in book_writers()},
    )


def _member(member: Member) -> shapes.Member:
    number = member.public_id
    address = f"{settings.PUBLIC_URL}{reverse('api_record', args=[number])}?source=1"
    return shapes.Member(
        id=number,
        repository=member.repository.number,
        url=source_address(number),
        source=address,
    )


def _library(shelf: Shelf) -> shapes.Library:
    return shapes.Library(
        scheme=shelf.code.scheme,
        code=shelf.code.value,
        name=shelf.library.name,
        name_en=shelf.library.name_en,
        copies=shelf.count,
        link=shelf.link.url,
        link_kind=shelf.link.kind,
        repositories=tuple(repository.number for repository in shelf.repositories),
        url=library_url(shelf.library.pk),
        accessible=shelf.accessible,
    )


def _copy(shelf: Shelf, copy: Copy) -> shapes.Holding:
    return shapes.Holding(
        repository=copy.record.partition("-")[0],
        library=copy.item.holding_agent or shelf.library.name,
        call_number=copy.item.call_number,
        availability=copy.item.availability,
        issues_held=copy.item.holding_issues,
        issues_missing=copy.item.absent_issues,
        link=shelf.link_of(copy),
    )


def source(record: SourceRecord, licences: tuple[str, ...]) -> shapes.Source:
    """Return a provider's own record, which may be redistributed under these licences."""
    number = record.public_id
    return shapes.Source(
        id=number,
        url=source_address(number),
        repository=record.repository.number,
        identifier=record.identifier,
        datestamp=record.datestamp,
        prefix=record.metadata_prefix,
        licence=record.repository.licence,
        licences=licences,
        changed=record.changed_at,
        record=as_source(describe_unchanged(record).record, number, site()),
        merged=f"{settings.PUBLIC_URL}{reverse('api_record', args=[number])}",
    )


def provider(listing: Listing) -> shapes.Provider:
    """Return a provider, with the data of the public list."""
    repository = listing.repository
    return shapes.Provider(
        number=repository.number,
        name=repository.name,
        name_yomi=repository.name_yomi,
        name_en=repository.name_en,
        kind=repository.kind,
        state=repository.state,
        state_reason=repository.state_reason,
        home_page=repository.home_page,
        licence=repository.licence,
        gives_on=repository.give_on,
        protocols=tuple(dict.fromkeys(feed.protocol for feed in listing.feeds)),
        formats=tuple(listing.formats),
        records=listing.records,
        issues=listing.issues,
        last_harvest=_harvest(listing.last) if listing.last else None,
        url=f"{settings.PUBLIC_URL}{reverse('repository', args=[repository.number])}",
    )


def usage(key: ApiKey) -> shapes.Usage:
    """Return the budget of a key, and its requests of the last DAYS days."""
    days = key.days.values_list("day", "answered", "refused")[:DAYS]
    return shapes.Usage(
        name=key.name,
        budget=key.budget,
        created=key.created,
        days=tuple(shapes.Day(day=day, answered=answered, refused=refused) for day, answered, refused in days),
    )


def _harvest(run: Harvest) -> shapes.Harvest:
    figures = {name: getattr(run, name) for name in _RUN}
    return shapes.Harvest(id=run.pk, state=run.state, started=run.started_at, finished=run.finished_at, **figures)
