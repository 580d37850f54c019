"""The review queue: pairs on which readers commented, then the questions of the matcher: whether a group is one book,
and whether two groups that are alike are the same book. Each is shown by a pair of records. Read-only.

The matcher has more questions than staff can answer. Only some are asked (see `budget`): those that decide where most
records belong. When some are answered, the next ones move up.

Staff answer with a ruling (`aggregator.review.rulings`); the next aggregation then takes the pair from the queue.
"""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Sum
from django.utils.translation import get_language

from aggregator.matching import Evidence, sentence
from aggregator.models import ReviewPair
from aggregator.review.readers_words import after_number, reported_pairs
from harvesting.models import PAYLOAD_COLUMNS, HealthStatus

SIDES = ("first", "second")
KINDS = {"joined": True, "apart": False}  # kind of question that the matcher raised -> `ReviewPair.joined`
MOST = 60  # questions of the matcher for every ten thousand records of the catalogue
AT_LEAST = 20  # questions of a small catalogue
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
    """Return the pairs that wait, first those that concern most records.

    joined: only pairs in one group (True) or in two (False). repository: number of a provider of one of the records.
    """
    pairs = questions()
    if joined is not None:
        pairs = pairs.filter(joined=joined)
    if repository:
        pairs = pairs.filter(Q(first__repository__number=repository) | Q(second__repository__number=repository))
    return with_records(pairs)


def questions() -> QuerySet[ReviewPair]:
    """Return the questions of the matcher that staff are asked, in their order: the first of them, up to `budget`."""
    pairs = ReviewPair.objects.filter(asked=True).order_by("-worth", "pk")
    most = budget()
    for pk, worth in pairs.values_list("pk", "worth")[most - 1 : most]:
        return pairs.filter(Q(worth__gt=worth) | Q(worth=worth, pk__lte=pk))
    return pairs


def budget() -> int:
    """Return how many questions of the matcher staff are asked, given the size of the catalogue as last counted."""
    records: int = HealthStatus.objects.aggregate(records=Sum("records", default=0))["records"]
    return max(AT_LEAST, records * MOST // 10_000)


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


def waiting() -> dict[bool, int]:
    """Return the numbers of questions that wait: about one group (True) and about two groups (False)."""
    counted = questions().order_by().values_list("joined").annotate(count=Count("pk"))
    return {True: 0, False: 0} | dict(counted)


def reasons(pair: ReviewPair) -> list[str]:
    """Return the evidence as sentences with their weights, in the language of the page."""
    return [sentence(Evidence(**evidence), get_language() or "") for evidence in pair.evidence]
