"""Lists of records that readers keep in their browsers: the books of the ids. No HTTP.

The server stores no list: the ids come with the request.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.books import Book, Gone
from aggregator.models import BOOK_ID, Member
from aggregator.numbers.following import follow
from harvesting.models import SourceRecord


@dataclass(frozen=True, slots=True)
class SavedList:
    """The books that the ids of a list stand for now, in the order of the list and without repetitions.

    gone: the ids without a book. former: ids that are not those of their books any more, with the present ones.
    """

    books: list[Book]
    gone: list[str]
    former: dict[str, str]


def saved_list(public_ids: Sequence[str]) -> SavedList:
    """Return the list that these ids make."""
    rows = Member.objects.filter(source_record__public_id__in=public_ids)
    numbers = dict(rows.values_list("source_record__public_id", "manifestation"))
    leads = follow([int(name[1:]) for name in public_ids if re.fullmatch(BOOK_ID, name)])
    numbers |= {f"M{number}": current for number, current in leads.items()}
    books = catalogue.books(list(dict.fromkeys(numbers[name] for name in public_ids if name in numbers)))
    others = [name for name in public_ids if numbers.get(name) not in books]
    known = set(SourceRecord.objects.filter(public_id__in=others).values_list("public_id", flat=True))
    found: dict[str, Book] = {}
    gone: list[str] = []
    former: dict[str, str] = {}
    for public_id in public_ids:
        book = books.get(numbers.get(public_id, 0)) or (_find_book_or_none(public_id) if public_id in known else None)
        if book:
            found.setdefault(book.public_id, book)
            if book.public_id != public_id:
                former[public_id] = book.public_id
        else:
            gone.append(public_id)
    return SavedList(list(found.values()), gone, former)


def _find_book_or_none(public_id: str) -> Book | None:
    """Return the book of a record that is in no group itself: just harvested, renamed, or deleted."""
    try:
        return catalogue.find_book(public_id)
    except (Gone, SourceRecord.DoesNotExist):
        return None
