"""Searches of other services: books as they may be given on. Knows the switch of the providers; no protocol.

What a provider does not want to be given on is neither found nor shown: a book that others describe as well is merged
of theirs alone.
"""

from collections.abc import Sequence
from dataclasses import replace

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.pending import of_merged
from aggregator.search.base import Query
from aggregator.search.tree import Choice, Either, Node, Years, together
from harvesting.models import Repository
from harvesting.records.compression import unpack_record

NOBODY = Years(2, 1)  # a condition that nothing fulfils


def searchable(query: Query) -> Query:
    """The search, as far as its hits may be given on: its total is that of what can be taken."""
    terms = all_terms().values()
    if all(each.give_on for each in terms):
        return query
    givers: list[Node] = [Choice("repository", each.number) for each in terms if each.give_on]
    return replace(query, tree=together([query.tree, together(givers, Either) if givers else NOBODY]))


def books(numbers: Sequence[int]) -> dict[int, Book]:
    """The books of these manifestations by number, in this order, as they may be given on; others are left out."""
    found = catalogue.books(numbers)
    held = [number for number, book in found.items() if not _all_give(book)]
    given = contents([of_merged(number) for number in held], all_terms()) if held else {}
    for number in held:
        content = given.get(of_merged(number))
        if content is None:
            del found[number]
        else:
            found[number] = _of_givers(found[number], content.packed)
    return found


def gives(repository: Repository) -> bool:
    """Whether this provider's records may be given on."""
    return repository.give_on


def as_given(book: Book) -> Book | None:
    """One book as it may be given on; None where nobody who describes it wants that."""
    if _all_give(book):
        return book
    return books([book.number]).get(book.number) if book.number else None


def _all_give(book: Book) -> bool:
    return all(gives(each.repository) for each in book.descriptions)


def _of_givers(book: Book, packed: bytes) -> Book:
    """The book as those describe it who give it on. packed: their merged record."""
    descriptions = tuple(each for each in book.descriptions if gives(each.repository))
    return Book(unpack_record(packed), descriptions, book.number)
