"""Records similar to those of a book but kept apart from it, as the review queue has them. Read-only."""

from collections.abc import Iterator, Sequence

from django.db.models import Q, QuerySet

from aggregator.catalogue.books import Book, Description, describe
from aggregator.grouping.reasons import COMPARED
from aggregator.grouping.ruling_rows import rulings_in_force
from aggregator.grouping.rulings import NOT_SAME, Rulings
from aggregator.matching import VETO, Evidence
from aggregator.matching.reasons import Step
from aggregator.models import ReviewPair
from aggregator.review.queue import with_records
from harvesting.models import SourceRecord

MOST = 5  # records of other books
STAFF = (Evidence("staff", NOT_SAME, VETO),)


def similar_records(book: Book) -> list[tuple[Step, Description]]:
    """Return the records most similar to one of the book's, each with the comparison of the two, the book's first."""
    numbers = [description.number for description in book.descriptions[:COMPARED]] if book.number else []
    own, found, rulings = set(numbers), dict[int, tuple[Step, Description]](), rulings_in_force()
    for pair in similar_pairs(numbers)[: MOST * MOST]:
        for mine, other in _across(pair, own):
            found.setdefault(other.pk, (_step(pair, mine.public_id, other.public_id, rulings), describe(other)))
    return list(found.values())[:MOST]


def similar_pairs(numbers: Sequence[int]) -> QuerySet[ReviewPair]:
    """Return the pairs of one of these records with a record of another group, most similar first."""
    about = Q(first__in=numbers) | Q(second__in=numbers)
    public = Q(first__suppressed_at=None, second__suppressed_at=None)
    return with_records(ReviewPair.objects.filter(about, public, joined=False).order_by("-chance", "pk"))


def _across(pair: ReviewPair, own: set[int]) -> Iterator[tuple[SourceRecord, SourceRecord]]:
    for mine, other in ((pair.first, pair.second), (pair.second, pair.first)):
        if mine.pk in own and other.pk not in own and other.record:
            yield mine, other


def _step(pair: ReviewPair, mine: str, other: str, rulings: Rulings) -> Step:
    if other in rulings.apart.get(mine, ()):
        return Step(first=mine, second=other, score=VETO, evidence=STAFF)
    evidence = tuple(Evidence(**item) for item in pair.evidence)
    return Step(first=mine, second=other, score=pair.score, evidence=evidence)
