"""The review queue: pairs on which readers commented, then pairs that the matcher grouped without certainty, or did not
group although they are alike. Read-only.

Staff answer with a ruling (`aggregator.review.rulings`); the next aggregation then takes the pair from the queue.
"""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.utils.translation import get_language

from aggregator.matching import Evidence, sentence
from aggregator.models import ReviewPair
from aggregator.review.readers_words import after_number, reported_pairs
from harvesting.models import PAYLOAD_COLUMNS

SIDES = ("first", "second")
KINDS = {"joined": True, "apart": False}  # kind of question that the matcher raised -> `ReviewPair.joined`
READERS = "readers"  # the kind of the questions that readers raised
BY_READERS = "r"  # begins the cursor of a question that readers raised


@dataclass(frozen=True, slots=True)
class Question:
    """Two records about which staff are asked, by public id. cursor: the place in the queue."""

    first: str
    second: str
    cursor: str


def next_question(kind: str = "", repository: str = "", after: str = "") -> Question | None:
    """Return the next question, those of readers first; None at the end of the queue.

    kind: READERS, one of KINDS, or "" for all. repository: number of a provider of one of the records, "" for all.
    after: the cursor of the question before, "" for the first.
    """
    by_readers = after.startswith(BY_READERS)
    if kind not in KINDS and (by_readers or not after):
        for pair in after_number(reported_pairs(repository), int(after[1:] or 0)):
            return Question(pair.first, pair.second, f"{BY_READERS}{pair.number}")
    if kind == READERS:
        return None
    pairs = still_open(queue(joined=KINDS.get(kind), repository=repository))
    for row in after_pair(pairs, 0 if by_readers else int(after or 0))[:1]:
        return Question(row.first.public_id, row.second.public_id, str(row.pk))
    return None


def queue(*, joined: bool | None = None, repository: str = "") -> QuerySet[ReviewPair]:
    """Return the pairs that wait, first those where the matcher is most likely wrong.

    joined: only pairs in one group (True) or in two (False). repository: number of a provider of one of the records.
    """
    pairs = ReviewPair.objects.filter(asked=True).order_by("-chance", "pk")
    if joined is not None:
        pairs = pairs.filter(joined=joined)
    if repository:
        pairs = pairs.filter(Q(first__repository__number=repository) | Q(second__repository__number=repository))
    return with_records(pairs)


def still_open(pairs: QuerySet[ReviewPair]) -> QuerySet[ReviewPair]:
    """Leave out pairs with a record that waits for aggregation: the pair will be judged again first."""
    return pairs.exclude(first__aggregated_at=None).exclude(second__aggregated_at=None)


def after_pair(pairs: QuerySet[ReviewPair], pk: int) -> QuerySet[ReviewPair]:
    """Return the part of the queue after a pair; the whole queue if that pair no longer exists."""
    chance = ReviewPair.objects.filter(pk=pk).values_list("chance", flat=True).first()
    if chance is None:
        return pairs
    return pairs.filter(Q(chance__lt=chance) | Q(chance=chance, pk__gt=pk))


def with_records(pairs: QuerySet[ReviewPair]) -> QuerySet[ReviewPair]:
    """Select the two records, their providers and the numbers of their groups in the same query."""
    related = ("repository", "member")
    return pairs.select_related(*(f"{side}__{name}" for side in SIDES for name in related)).defer(
        *(f"{side}__{name}" for side in SIDES for name in PAYLOAD_COLUMNS)
    )


def waiting() -> dict[bool, int]:
    """Return the numbers of pairs that wait: joined (True) and apart (False)."""
    counted = ReviewPair.objects.filter(asked=True).order_by().values_list("joined").annotate(count=Count("pk"))
    return {True: 0, False: 0} | dict(counted)


def reasons(pair: ReviewPair) -> list[str]:
    """Return the evidence as sentences with their weights, in the language of the page."""
    return [sentence(Evidence(**evidence), get_language() or "") for evidence in pair.evidence]
