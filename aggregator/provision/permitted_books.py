"""Searches by other services: books as far as they may be redistributed. Independent of any protocol.

Data of a provider that forbids redistribution is neither found nor shown. A book that other providers have as well is
merged from their records only. Descriptions whose licence forbids it are not merged with others, and are given without
the enrichment rules of their providers, see `licences`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Member, only_from
from aggregator.catalogue.identity import described, permanent_address
from aggregator.catalogue.shelves import SHOWN
from aggregator.libraries.items import NONE_LISTED, Listed, stored_items, with_items
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.licences import (
    Licences,
    abouts,
    licences_of,
    may_be_given,
    mergeable,
    without_forbidden_changes,
)
from aggregator.provision.pending import of_merged
from aggregator.search.base import Query
from aggregator.search.tree import IMPOSSIBLE, Choice, Either, Node, combine
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record
from metadata.about import NOTHING, About


def restrict_to_permitted(query: Query) -> Query:
    """Restrict a search to books that may be redistributed, so that its total is right as well."""
    terms = all_terms().values()
    if all(provider.give_on for provider in terms):
        return query
    permitted: list[Node] = [Choice("repository", provider.number) for provider in terms if provider.give_on]
    return structs.replace(query, tree=combine([query.tree, combine(permitted, Either) if permitted else IMPOSSIBLE]))


def books(numbers: Sequence[int], most: int = SHOWN) -> dict[int, Book]:
    """Return the books of these manifestations by number, in this order, as far as they may be redistributed.

    most: how many libraries of a book are read.
    """
    by_number = catalogue.books(numbers, most)
    kept = _kept(by_number.values())
    unchanged = _unchanged(kept)
    mixed = [number for number, book in by_number.items() if _is_mixed(book, kept[number], unchanged)]
    content_by_item = contents([of_merged(number) for number in mixed], all_terms()) if mixed else {}
    for number in mixed:
        content = content_by_item.get(of_merged(number))
        if content is None:
            del by_number[number]
        else:
            by_number[number] = only_from(by_number[number], tuple(kept[number]), content.record())
    return {number: _licensed(book, kept[number]) for number, book in by_number.items()}


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


def licences_of_source(source: SourceRecord) -> Licences | None:
    """Return the licences under which a provider's own record may be redistributed; None if it may not be."""
    about = abouts([source.pk]).get(source.pk, NOTHING)
    return licences_of(about, source.repository.licence) if _may_be_given(source.repository, about) else None


def _may_be_given(repository: Repository, about: About) -> bool:
    return repository.give_on and may_be_given(about)


def as_permitted(book: Book) -> Book | None:
    """Return a book as it may be redistributed; None if all its providers forbid it."""
    found = _kept([book])
    kept, unchanged = found[book.number], _unchanged(found)
    if not _is_mixed(book, kept, unchanged):
        return _licensed(book, kept)
    if book.number:
        return books([book.number]).get(book.number)
    packed = [unchanged.get(member.number, b"") for member in kept]  # it waits for matching: one record, or none
    return _licensed(replace(book, record=unpack_record(packed[0])), kept) if any(packed) else None


def _is_mixed(book: Book, kept: Collection[Member], unchanged: Mapping[int, bytes]) -> bool:
    """Whether the record of a book contains what may not be redistributed in it. unchanged: see `_unchanged`."""
    return tuple(kept) != book.members or any(member.number in unchanged for member in kept)


def _unchanged(kept: Mapping[int, Mapping[Member, Licences]]) -> dict[int, bytes]:
    """Return the records that may only be redistributed as their providers sent them, in this form, by key."""
    return without_forbidden_changes((member.number, stated) for own in kept.values() for member, stated in own.items())


def _licensed(book: Book, kept: Mapping[Member, Licences]) -> Book:
    return replace(book, licences=tuple(sorted({licence for stated in kept.values() for licence in stated})))


def _kept(found: Iterable[Book]) -> dict[int, dict[Member, Licences]]:
    """Return number of a book -> the members that may be merged for redistribution, with their licences. One query."""
    found = tuple(found)
    said = abouts([member.number for book in found for member in book.members])
    kept: dict[int, dict[Member, Licences]] = {}
    for book in found:
        permitted = {
            member.number: member
            for member in book.members
            if _may_be_given(member.repository, said.get(member.number, NOTHING))
        }
        licensed = [
            (number, licences_of(said.get(number, NOTHING), member.repository.licence))
            for number, member in permitted.items()
        ]
        kept[book.number] = {permitted[number]: licences for number, licences in mergeable(licensed).items()}
    return kept
