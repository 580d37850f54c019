"""Many books as they may be redistributed: all that a search finds, up to a limit, or those of a reader's list."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from aggregator.catalogue.books import Book
from aggregator.catalogue.identity import described
from aggregator.indexing.searching import search_whole
from aggregator.provision import permitted_books
from aggregator.search.base import RANKED, Query
from metadata.record import BibliographicRecord

MOST = RANKED  # beyond it, hits are not ordered by relevance
STEP = 100  # books read at a time


def records_of(books: Sequence[Book]) -> list[BibliographicRecord]:
    """Return the records of these books as they may be redistributed, in this order."""
    merged = permitted_books.books([book.number for book in books if book.number])
    waiting = (permitted_books.as_permitted(book) for book in books if not book.number)  # for matching
    records = {book.public_id: described(book) for book in waiting if book}
    records |= {book.public_id: book.record for book in permitted_books.with_holdings(merged).values()}
    return [records[book.public_id] for book in books if book.public_id in records]


def records_found(query: Query) -> Iterator[BibliographicRecord]:
    """Return the records of the books that a search finds, in its order, at most MOST. They are read step by step.

    The first step is read at once: it raises QueryError and IndexUnavailable. A later one may raise IndexUnavailable.
    """
    permitted = permitted_books.restrict_to_permitted(replace(query, page=1, page_size=STEP, after=""))
    first = search_whole(permitted, facets=())
    return islice(_read(permitted, first.hits, first.next), MOST)


def _read(query: Query, hits: tuple[tuple[int, float], ...], following: str) -> Iterator[BibliographicRecord]:
    while True:
        found = permitted_books.with_holdings(permitted_books.books([number for number, _score in hits]))
        yield from (book.record for book in found.values())
        if not following:
            return
        results = search_whole(replace(query, after=following), facets=())
        hits, following = results.hits, results.next
