"""The hits of a page of results as readers see them: those of one work stand together. Reads only; no HTTP.

Nothing is lost and nothing comes twice: what the page fetched is put in another order, by the best of each work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.editions import Edition, Work, works_of
from aggregator.presentation.fields import material_types


@dataclass(frozen=True)
class Companion:
    """A hit that stands below a better one of its work. place: among all hits, from 1."""

    book: catalogue.Book
    place: int

    @cached_property
    def edition(self) -> Edition:
        return Edition.of(self.book.number, self.book.public_id, self.book.record)


@dataclass(frozen=True)
class Hit:
    """A book on a page of results. place: among all hits, from 1. editions: how many others there are of its work.

    companions: those of them that are hits of the same page.
    """

    book: catalogue.Book
    place: int = 0
    editions: int = 0
    companions: tuple[Companion, ...] = ()

    @property
    def reading(self) -> str:
        """Of the title, "" if it is not known."""
        titles = self.book.record.titles
        return titles[0].transcription if titles else ""

    @property
    def in_work(self) -> int:
        """How many editions and volumes its work has, this one counted."""
        return self.editions + 1

    @cached_property
    def types(self) -> list[str]:
        return material_types(self.book.record)


def hits(numbers: Sequence[int], first: int, together: bool) -> list[Hit]:
    """The books of these manifestations in this order; four queries and one for the providers.

    first: place of the first among all hits. together: the others of a work stand below the best one.
    """
    works = works_of(numbers)
    places = {number: place for place, number in enumerate(numbers, first)}
    books = catalogue.books(numbers)
    groups: dict[tuple[bool, int], list[int]] = {}
    for number in books:
        key = (True, works[number].number) if together and number in works else (False, number)
        groups.setdefault(key, []).append(number)
    return [
        Hit(
            books[best],
            places[best],
            _others(works.get(best)),
            tuple(Companion(books[each], places[each]) for each in rest),
        )
        for best, *rest in groups.values()
    ]


def _others(work: Work | None) -> int:
    return work.count - 1 if work else 0
