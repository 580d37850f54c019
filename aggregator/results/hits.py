"""The hits of a results page as readers see them, the hits of one work together. Read-only; no HTTP.

Every hit of the page appears exactly once. Only the order changes: the hits of a work follow its best hit, and if
several of its volumes are hits, the work itself heads them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from aggregator.catalogue import books as catalogue
from aggregator.catalogue.editions import Edition, Work, works_of
from aggregator.presentation.field_labels import accessible_label
from aggregator.presentation.fields import material_types
from aggregator.results.volumes import Edition as VolumeEdition
from aggregator.results.volumes import editions as volume_editions
from aggregator.results.volumes import others, work_title
from metadata.accessible import accessible_formats, in_order


@dataclass(frozen=True)
class Companion:
    """A hit that is listed below a better one of the same work. place: among all hits, from 1."""

    book: catalogue.Book
    place: int

    @cached_property
    def edition(self) -> Edition:
        return Edition.of(self.book.number, self.book.public_id, self.book.record)


@dataclass(frozen=True)
class Hit:
    """A book on a results page. place: among all hits, from 1. editions: number of other books of its work.

    companions: those of the other books that are hits of the same page. volumes: if several volumes of the work are
    hits, its volumes by edition; then the book is the first volume of the first of these editions, and the companions
    are the other hits.
    """

    book: catalogue.Book
    place: int = 0
    editions: int = 0
    companions: tuple[Companion, ...] = ()
    volumes: tuple[VolumeEdition, ...] = ()

    @property
    def title(self) -> str:
        """The title of the work if it heads its volumes, else that of the book."""
        return work_title(self.volumes[0]) if self.volumes else self.book.record.title

    @property
    def in_work(self) -> int:
        """The number of editions and volumes of its work, including this one."""
        return self.editions + 1

    @property
    def shown(self) -> int:
        """The number of its editions and volumes on this page."""
        return len(self.companions) + (sum(len(edition.volumes) for edition in self.volumes) or 1)

    @cached_property
    def types(self) -> list[str]:
        return material_types(self.book.record)

    @property
    def accessible(self) -> list[str]:
        """The accessible formats that are not among the first two types, which the page prints."""
        of_copies = [form for shelf in self.book.shelves for form in shelf.accessible]
        labels = map(accessible_label, in_order((*accessible_formats(self.book.record), *of_copies)))
        return [label for label in labels if label not in self.types[:2]]


def hits(numbers: Sequence[int], first: int, together: bool) -> list[Hit]:
    """Return the books of these manifestations in this order. Four queries, and one for the providers.

    first: place of the first among all hits. together: list the other hits of a work below its best one.
    """
    works = works_of(numbers)
    places = {number: place for place, number in enumerate(numbers, first)}
    groups: dict[tuple[bool, int], list[tuple[catalogue.Book, int]]] = {}
    for number, book in catalogue.books(numbers).items():
        key = (True, works[number].number) if together and number in works else (False, number)
        groups.setdefault(key, []).append((book, places[number]))
    return [_hit(group, works.get(group[0][0].number)) for group in groups.values()]


def _hit(group: Sequence[tuple[catalogue.Book, int]], work: Work | None) -> Hit:
    """Return the hits of one work, given with their places, the best first."""
    (best, place), *rest = group
    found = volume_editions(group) if rest else ()
    if found:
        best, rest = found[0].volumes[0].book, others(group, found)
    return Hit(best, place, work.count - 1 if work else 0, tuple(Companion(*other) for other in rest), found)
