"""Records that are similar to those of a book but not grouped with them, from the pairs to review. Read-only."""

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from aggregator.catalogue.books import Book, Description, describe
from aggregator.grouping.rulings.meaning import NOT_SAME, Rulings
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.matching import VETO, Evidence
from aggregator.matching.reasons import Step
from aggregator.models import ReviewPair
from aggregator.review.queue import with_records
from harvesting.models import SourceRecord

MOST = 5  # records of other books
STAFF = (Evidence("staff", NOT_SAME, VETO),)


def similar_records(book: Book) -> list[tuple[Step, Description]]:
    """Return the records of other books that are most similar to a record of this one, at most MOST. Each comes with
    the comparison of the two, in which this book's record is the first.
    """
    found, rulings = dict[int, tuple[Step, Description]](), rulings_in_force()
    for pair in similar_pairs(book.number)[: MOST * MOST] if book.number else ():
        for mine, other in _across(pair, book.number):
            found.setdefault(other.pk, (_step(pair, mine.public_id, other.public_id, rulings), describe(other)))
    return list(found.values())[:MOST]


def similar_pairs(number: int) -> QuerySet[ReviewPair]:
    """Return the pairs of a description of this book with one of another book, most similar first."""
    about = Q(first_core__manifestation=number) | Q(second_core__manifestation=number)
    public = Q(first__suppressed_at=None, second__suppressed_at=None)
    return with_records(ReviewPair.objects.filter(about, public, joined=False).order_by("-chance", "pk"))


def _across(pair: ReviewPair, number: int) -> Iterator[tuple[SourceRecord, SourceRecord]]:
    for mine, other in ((pair.first, pair.second), (pair.second, pair.first)):
        if mine.member.manifestation_id == number and other.record:
            yield mine, other


def _step(pair: ReviewPair, mine: str, other: str, rulings: Rulings) -> Step:
    if other in rulings.apart.get(mine, ()):
        return Step(first=mine, second=other, score=VETO, evidence=STAFF)
    evidence = tuple(Evidence(**item) for item in pair.evidence)
    return Step(first=mine, second=other, score=pair.score, evidence=evidence)
