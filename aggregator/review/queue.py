"""What staff are asked about: pairs that the matcher joined with less than certainty, or left apart though alike.

Reads only; what staff answer is a ruling (`decisions`), and with the next aggregation the pair is asked no more.
"""

from django.db.models import Count, Q, QuerySet
from django.utils.translation import get_language

from aggregator.matching import Evidence, sentence
from aggregator.models import ReviewPair

SIDES = ("first", "second")


def queue(*, joined: bool | None = None, repository: str = "") -> QuerySet[ReviewPair]:
    """The pairs that wait, first those where the matcher is most likely wrong.

    joined: only those that stand in one group (True) or apart (False). repository: number of one whose record it is.
    """
    pairs = ReviewPair.objects.filter(asked=True).order_by("-chance", "pk")
    if joined is not None:
        pairs = pairs.filter(joined=joined)
    if repository:
        pairs = pairs.filter(Q(first__repository__number=repository) | Q(second__repository__number=repository))
    return with_records(pairs)


def still_open(pairs: QuerySet[ReviewPair]) -> QuerySet[ReviewPair]:
    """Without those that the next aggregation judges anew: what staff have just answered is not asked again."""
    return pairs.exclude(first__aggregated_at=None).exclude(second__aggregated_at=None)


def behind(pairs: QuerySet[ReviewPair], pk: int) -> QuerySet[ReviewPair]:
    """What stands behind a pair in the queue; the whole queue where that pair is no more."""
    chance = ReviewPair.objects.filter(pk=pk).values_list("chance", flat=True).first()
    if chance is None:
        return pairs
    return pairs.filter(Q(chance__lt=chance) | Q(chance=chance, pk__gt=pk))


def with_records(pairs: QuerySet[ReviewPair]) -> QuerySet[ReviewPair]:
    """With the two records, their providers and the numbers of the groups that they stand in, in one query."""
    beside = ("repository", "member")
    unread = ("payload", "rejected_payload", "member__features", "member__keys", "member__isbns")
    return pairs.select_related(*(f"{side}__{each}" for side in SIDES for each in beside)).defer(
        *(f"{side}__{each}" for side in SIDES for each in unread)
    )


def waiting() -> dict[bool, int]:
    """How many pairs wait: joined (True) and apart (False)."""
    counted = ReviewPair.objects.filter(asked=True).order_by().values_list("joined").annotate(count=Count("pk"))
    return {True: 0, False: 0} | dict(counted)


def reasons(pair: ReviewPair) -> list[str]:
    """The evidence as sentences with their weights, in the language of the page."""
    return [sentence(Evidence(**each), get_language() or "") for each in pair.evidence]
