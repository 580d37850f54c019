"""The review queue: pairs that the matcher grouped without certainty, or did not group although they are alike.
Read-only.

Staff answer with a ruling (`aggregator.review.rulings`); the next aggregation then takes the pair from the queue.
"""

from django.db.models import Count, Q, QuerySet
from django.utils.translation import get_language

from aggregator.matching import Evidence, sentence
from aggregator.models import ReviewPair

SIDES = ("first", "second")


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
    unread = ("payload", "rejected_payload", "member__features", "member__keys", "member__isbns")
    return pairs.select_related(*(f"{side}__{name}" for side in SIDES for name in related)).defer(
        *(f"{side}__{name}" for side in SIDES for name in unread)
    )


def waiting() -> dict[bool, int]:
    """Return the numbers of pairs that wait: joined (True) and apart (False)."""
    counted = ReviewPair.objects.filter(asked=True).order_by().values_list("joined").annotate(count=Count("pk"))
    return {True: 0, False: 0} | dict(counted)


def reasons(pair: ReviewPair) -> list[str]:
    """Return the evidence as sentences with their weights, in the language of the page."""
    return [sentence(Evidence(**evidence), get_language() or "") for evidence in pair.evidence]
