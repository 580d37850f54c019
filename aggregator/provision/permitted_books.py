"""Searches by other services: books as far as they may be redistributed. Independent of any protocol.

Data of a provider that forbids redistribution is neither found nor shown. A book that other providers have as well is
merged from their records only. Descriptions whose licence forbids it are not merged with others, see `licences`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Member, only_from
from aggregator.catalogue.identity import described, permanent_address
from aggregator.catalogue.shelves import SHOWN
from aggregator.libraries.items import NONE_LISTED, Listed, stored_items, with_items
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.licences import abouts, licences_of, may_be_given, mergeable
from aggregator.provision.pending import of_merged
from aggregator.search.base import Query
from aggregator.search.tree import IMPOSSIBLE, Choice, Either, Node, combine
from harvesting.models import Repository
from metadata.about import NOTHING


def restrict_to_permitted(query: Query) -> Query:
    """Restrict a search to books that may be redistributed, so that its total is right as well."""
    terms = all_terms().values()
    if all(provider.give_on for provider in terms):
        return query
    permitted: list[Node] = [Choice("repository", provider.number) for provider in terms if provider.give_on]
    return replace(query, tree=combine([query.tree, combine(permitted, Either) if permitted else IMPOSSIBLE]))


def books(numbers: Sequence[int], most: int = SHOWN) -> dict[int, Book]:
    """Return the books of these manifestations by number, in this order, as far as they may be redistributed.

    most: how many libraries of a book are read.
    """
    by_number = catalogue.books(numbers, most)
    kept = _kept(by_number.values())
    mixed = [number for number, book in by_number.items() if kept[number] != book.members]
    content_by_item = contents([of_merged(number) for number in mixed], all_terms()) if mixed else {}
    for number in mixed:
        content = content_by_item.get(of_merged(number))
        if content is None:
            del by_number[number]
        else:
            by_number[number] = only_from(by_number[number], kept[number], content.record())
    return by_number


def with_holdings(found: Mapping[int, Book]) -> dict[int, Book]:
    """Return these books, as `books` returns them, with their records as they are redistributed: with the copies of
    their libraries, and with the identity of the book.
    """
    listed = stored_items([number for number in found if number])
    return {number: _complete(book, listed.get(number, NONE_LISTED)) for number, book in found.items()}


def _complete(book: Book, listed: Listed) -> Book:
    return replace(
        book, record=described(replace(book, record=with_items(book.record, listed, permanent_address(book))))
    )


def is_redistributable(repository: Repository) -> bool:
    """Return whether this provider's records may be redistributed."""
    return repository.give_on


def as_permitted(book: Book) -> Book | None:
    """Return a book as it may be redistributed; None if all its providers forbid it."""
    if _kept([book])[book.number] == book.members:
        return book
    return books([book.number]).get(book.number) if book.number else None


def _kept(found: Iterable[Book]) -> dict[int, tuple[Member, ...]]:
    """Return the members from which each book is merged for others, by the number of the book. One query."""
    found = tuple(found)
    said = abouts([member.number for book in found for member in book.members])
    kept: dict[int, tuple[Member, ...]] = {}
    for book in found:
        permitted = {
            member.number: member
            for member in book.members
            if is_redistributable(member.repository) and may_be_given(said.get(member.number, NOTHING))
        }
        licensed = [
            (number, licences_of(said.get(number, NOTHING), member.repository.licence))
            for number, member in permitted.items()
        ]
        kept[book.number] = tuple(permitted[number] for number in mergeable(licensed))
    return kept
