"""The answers of the JSON interface, from the catalogue: searches, records, providers. No HTTP."""

from collections.abc import Sequence
from typing import Any

import msgspec
from django.conf import settings
from django.urls import reverse

from aggregator.catalogue.books import Book, Description, Holding, describe
from aggregator.catalogue.providers import Listing
from aggregator.models import ApiKey, Manifestation
from aggregator.presentation.representations import FORMATS, permanent_address
from aggregator.provision import permitted_books
from aggregator.provision.api import shapes
from aggregator.query.parameters import cursor
from aggregator.results.value_labels import value_labels
from aggregator.search import get_index
from aggregator.search.base import FACETS, FacetValue, Query, Results
from harvesting.models import Harvest, SourceRecord
from metadata.formats import CITATIONS

DAYS = 90  # of the use of a key
_RUN = ("code", "received", "created", "updated", "unchanged", "deleted", "rejected")


def answer(query: Query) -> dict[str, Any]:
    """The answer to a search as plain values: what `manage.py search --json` prints."""
    plain: dict[str, Any] = msgspec.to_builtins(search(query))
    return plain


def search(query: Query) -> shapes.Found:
    """The answer to a search. Raises QueryError, IndexUnavailable.

    Facets come with the first page: who goes on with a cursor has them.
    """
    found = get_index().search(permitted_books.searchable(query), facets=() if query.after else FACETS)
    scores = dict(found.hits)
    books = permitted_books.books(list(scores))
    moments = dict(Manifestation.objects.filter(pk__in=list(books)).values_list("pk", "changed_at"))
    return shapes.Found(
        total=found.total,
        items=tuple(_hit(book, scores[number], moments.get(number)) for number, book in books.items()),
        facets=_facets(query, found),
        next=cursor(found.next),
    )


def _hit(book: Book, score: float, changed: Any) -> shapes.Hit:
    record = book.record
    return shapes.Hit(
        id=book.public_id,
        title=record.title,
        creators=tuple(each.name for each in record.creators),
        publishers=tuple(each.name for each in record.publishers),
        issued=record.issued,
        isbn=record.values("ISBN"),
        volume=record.volume,
        repositories=tuple(each.repository.number for each in book.providers),
        links=tuple(each.link.url for each in book.providers if each.link.url),
        score=score,
        url=permanent_address(book),
        changed=changed,
    )


def _facets(query: Query, found: Results) -> dict[str, tuple[shapes.Count, ...]]:
    labels = value_labels(found.facets, query)
    return {name: _counts(values, labels.get(name, {})) for name, values in found.facets.items()}


def _counts(values: Sequence[FacetValue], labels: dict[str, str]) -> tuple[shapes.Count, ...]:
    return tuple(
        shapes.Count(value=each.value, label=labels.get(each.value, each.value), count=each.count) for each in values
    )


def merged(book: Book) -> shapes.Merged:
    """A merged record with what is behind it."""
    changed = Manifestation.objects.filter(pk=book.number).values_list("changed_at", flat=True).first()
    url = permanent_address(book)
    return shapes.Merged(
        id=book.public_id,
        url=url,
        changed=changed,
        record=book.record,
        members=tuple(_member(each) for each in book.descriptions),
        holdings=tuple(map(_holding, book.holdings)),
        formats={name: f"{url}.xml?format={name}" for name in FORMATS}
        | {name: f"{url}.{each.ending}" for name, each in CITATIONS.items()},
    )


def _member(description: Description) -> shapes.Member:
    number = description.public_id
    address = f"{settings.PUBLIC_URL}{reverse('api_record', args=[number])}?source=1"
    return shapes.Member(
        id=number,
        repository=description.repository.number,
        url=f"{settings.PUBLIC_URL}{reverse('book', args=[number])}?source=1",
        source=address,
    )


def _holding(holding: Holding) -> shapes.Holding:
    return shapes.Holding(
        repository=holding.repository.number,
        library=holding.item.holding_agent,
        call_number=holding.item.call_number,
        availability=holding.item.availability,
        link=holding.link.url,
    )


def source(record: SourceRecord) -> shapes.Source:
    """One provider's own record."""
    number = record.public_id
    return shapes.Source(
        id=number,
        url=f"{settings.PUBLIC_URL}{reverse('book', args=[number])}?source=1",
        repository=record.repository.number,
        identifier=record.identifier,
        datestamp=record.datestamp,
        prefix=record.metadata_prefix,
        licence=record.repository.licence,
        changed=record.changed_at,
        record=describe(record).record,
        merged=f"{settings.PUBLIC_URL}{reverse('api_record', args=[number])}",
    )


def provider(listing: Listing) -> shapes.Provider:
    """A provider as the public list has it."""
    each = listing.repository
    return shapes.Provider(
        number=each.number,
        name=each.name,
        name_yomi=each.name_yomi,
        name_en=each.name_en,
        kind=each.kind,
        state=each.state,
        state_reason=each.state_reason,
        home_page=each.home_page,
        licence=each.licence,
        gives_on=each.give_on,
        protocols=tuple(dict.fromkeys(feed.protocol for feed in listing.feeds)),
        formats=tuple(listing.formats),
        records=listing.records,
        issues=listing.issues,
        last_harvest=_harvest(listing.last) if listing.last else None,
        url=f"{settings.PUBLIC_URL}{reverse('repository', args=[each.number])}",
    )


def usage(key: ApiKey) -> shapes.Usage:
    """What a key may do, and its requests of the last days."""
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
