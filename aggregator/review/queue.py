"""The review queue: pairs on which readers commented, then the questions of the matcher: whether a group is one book,
and whether two groups that are alike are the same book. Each is shown by a pair of records. Read-only.

Staff see the questions of the matcher by their patterns (`aggregator.review.patterns`) and answer them one at a time.

Staff answer with a ruling (`aggregator.review.rulings`); the next aggregation then takes the pair from the queue.
Readers see the pairs of a book as similar records (`similar_records`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from aggregator.catalogue.books import Book, Description, describe
from aggregator.grouping.rulings.meaning import NOT_SAME, Rulings
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.matching import VETO, Evidence
from aggregator.matching.reasons import Step
from aggregator.models import ReviewPair
from aggregator.review.readers_words import after_number, reported_pairs
from harvesting.models import PAYLOAD_COLUMNS, Repository, SourceRecord

SIDES = ("first", "second")
KINDS = {"joined": True, "apart": False}  # kind of question that the matcher raised -> `ReviewPair.joined`
KIND_OF = {joined: kind for kind, joined in KINDS.items()}
MOST_SIMILAR = 5  # records of other books that are shown beside a book
_STAFF = (Evidence("staff", NOT_SAME, VETO),)
READERS = "readers"  # the kind of the questions that readers raised
BY_READERS = "r"  # begins the cursor of a question that readers raised


@dataclass(frozen=True, slots=True)
class Question:
    """Two records about which staff are asked, by public id. cursor: the place in the queue."""

    first: str
    second: str
    cursor: str


def next_question(kind: str = "", repository: str = "", pattern: str = "", after: str = "") -> Question | None:
    """Return the next question, those of readers first; None at the end of the queue.

    kind: READERS, one of KINDS, or "" for all. repository: number of a provider of one of the records, "" for all.
    pattern: of questions of the matcher, "" for all. after: the cursor of the question before, "" for the first.
    """
    by_readers = after.startswith(BY_READERS)
    if not pattern and kind not in KINDS and (by_readers or not after):
        for pair in after_number(reported_pairs(repository), int(after[1:] or 0)):
            return Question(pair.first, pair.second, f"{BY_READERS}{pair.number}")
    if kind == READERS:
        return None
    pairs = still_open(queue(joined=KINDS.get(kind), repository=repository, pattern=pattern))
    for row in after_pair(pairs, 0 if by_readers else int(after or 0))[:1]:
        return Question(row.first.public_id, row.second.public_id, str(row.pk))
    return None


def queue(*, joined: bool | None = None, repository: str = "", pattern: str = "") -> QuerySet[ReviewPair]:
    """Return the pairs that wait, first those that concern most records.

    joined: only pairs in one group (True) or in two (False). repository: number of a provider of one of the records.
    pattern: see `matching.patterns`.
    """
    return with_records(asked(joined=joined, repository=repository, pattern=pattern).order_by("-worth", "pk"))


def asked(*, joined: bool | None = None, repository: str = "", pattern: str = "") -> QuerySet[ReviewPair]:
    """Return the questions of the matcher that wait, in no order; filtered as in `queue`."""
    pairs = ReviewPair.objects.filter(asked=True)
    if joined is not None:
        pairs = pairs.filter(joined=joined)
    if repository:
        key = Repository.objects.filter(number=repository).values_list("pk", flat=True).first()
        pairs = pairs.filter(Q(first__repository=key) | Q(second__repository=key))
    return pairs.filter(pattern=pattern) if pattern else pairs


def still_open(pairs: QuerySet[ReviewPair]) -> QuerySet[ReviewPair]:
    """Leave out pairs with a record that waits for aggregation, which will judge the pair again."""
    return pairs.exclude(first__aggregated_at=None).exclude(second__aggregated_at=None)


def after_pair(pairs: QuerySet[ReviewPair], pk: int) -> QuerySet[ReviewPair]:
    """Return the part of the queue after a pair; the whole queue if that pair no longer exists."""
    worth = ReviewPair.objects.filter(pk=pk).values_list("worth", flat=True).first()
    if worth is None:
        return pairs
    return pairs.filter(Q(worth__lt=worth) | Q(worth=worth, pk__gt=pk))


def with_records(pairs: QuerySet[ReviewPair]) -> QuerySet[ReviewPair]:
    """Select the two records, their providers and the numbers of their groups in the same query."""
    related = ("repository", "member")
    return pairs.select_related(*(f"{side}__{name}" for side in SIDES for name in related)).defer(
        *(f"{side}__{name}" for side in SIDES for name in PAYLOAD_COLUMNS)
    )


def similar_records(book: Book) -> list[tuple[Step, Description]]:
    """Return the records of other books that are most similar to a record of this one but not grouped with it, at most
    MOST_SIMILAR. Each comes with the comparison of the two, in which this book's record is the first.
    """
    found, rulings = dict[int, tuple[Step, Description]](), rulings_in_force()
    for pair in similar_pairs(book.number)[: MOST_SIMILAR * MOST_SIMILAR] if book.number else ():
        for mine, other in _across(pair, book.number):
            found.setdefault(other.pk, (_step(pair, mine.public_id, other.public_id, rulings), describe(other)))
    return list(found.values())[:MOST_SIMILAR]


def similar_pairs(number: int) -> QuerySet[ReviewPair]:
    """Return the pairs of a description of this book with one of another book, most similar first."""
    about = Q(first_core__manifestation=number) | Q(second_core__manifestation=number)
    public = Q(first__suppressed_at=None, second__suppressed_at=None)
    return with_records(ReviewPair.objects.filter(about, public, joined=False).order_by("-chance", "-score", "pk"))


def _across(pair: ReviewPair, number: int) -> Iterator[tuple[SourceRecord, SourceRecord]]:
    for mine, other in ((pair.first, pair.second), (pair.second, pair.first)):
        if mine.member.manifestation_id == number and other.record:
            yield mine, other


def _step(pair: ReviewPair, mine: str, other: str, rulings: Rulings) -> Step:
    if other in rulings.apart.get(mine, ()):
        return Step(first=mine, second=other, score=VETO, evidence=_STAFF)
    evidence = tuple(Evidence(**item) for item in pair.evidence)
    return Step(first=mine, second=other, score=pair.score, evidence=evidence)
