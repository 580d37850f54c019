"""Rules for a provider that are offered to staff because of their answers. An offer changes nothing: it leads to a
preview, which a person confirms.

There are two. After enough equal answers about one pattern, the same answer for the other questions of that pattern in
which the provider has a record (`aggregator.bulk.matches`). And where only the dates of two records of one book differ:
that the provider's dates are those of printings.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from aggregator.grouping.inspection.reasons import PairExplanation
from aggregator.grouping.rulings.meaning import NOT_SAME, SAME
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.matching.signs import Side, signs
from aggregator.models import MatchRuling, ReviewPair
from aggregator.review.queue import KIND_OF
from harvesting.models import Repository

ENOUGH = 5  # equal answers about records of one provider; benchmarks/RESULTS.md says how often the rest agrees
MOST_ANSWERS = 1000  # about one pattern that are read, the latest first


@dataclass(frozen=True, slots=True)
class Answer:
    """A ruling on a single question. providers: the numbers of those of the two records."""

    verdict: str
    providers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Offer:
    """The same verdict for the waiting questions of a pattern that concern a provider. answers, waiting: how many."""

    provider: Repository
    verdict: str
    answers: int
    waiting: int


def asked_about(first: str, second: str) -> ReviewPair | None:
    """Return the question about two records that staff are asked; None if there is none. first, second: public ids."""
    names = (first, second)
    return ReviewPair.objects.filter(asked=True, first__public_id__in=names, second__public_id__in=names).first()


def answered_by(row: ReviewPair) -> str:
    """Return what `MatchRuling.pattern` is in a ruling that answers a question."""
    return answered(KIND_OF[row.joined], row.pattern) if row.pattern else ""


def answered(kind: str, pattern: str) -> str:
    """Return what `MatchRuling.pattern` is in rulings that answer questions of this kind and pattern."""
    return f"{kind}:{pattern}"


def answers(kind: str, pattern: str) -> list[Answer]:
    """Return the rulings in force that persons made on single questions of a kind and pattern, the latest first."""
    made = MatchRuling.objects.filter(undone=None, pattern=answered(kind, pattern), by_pattern=False)
    rows = made.filter(verdict__in=(SAME, NOT_SAME)).order_by("-pk").values_list("verdict", "first", "second")
    return [
        Answer(verdict, frozenset(name.partition("-")[0] for name in names)) for verdict, *names in rows[:MOST_ANSWERS]
    ]


def offers(given: Collection[Answer], waiting: Mapping[Repository, int]) -> list[Offer]:
    """Return the offers for a pattern. given: its answers. waiting: provider -> its questions with this pattern.

    If staff gave at least ENOUGH answers about records of a provider, all of them equal, that answer is offered for the
    rest.
    """
    found = []
    for provider, questions in waiting.items():
        verdicts = [answer.verdict for answer in given if provider.number in answer.providers]
        if questions and len(verdicts) >= ENOUGH and len(set(verdicts)) == 1:
            found.append(Offer(provider, verdicts[0], len(verdicts), questions))
    return found


def provider_of_printings(found: PairExplanation) -> Repository | None:
    """Return the provider whose dates may be those of printings; None if nothing suggests it, or if staff ruled so.

    It is suggested if nothing but the dates speaks against two records being the same book; the provider is that of
    the record with the later date.
    """
    step = found.step
    against = [sign.evidence.rule for sign in signs(step.evidence) if sign.side is Side.DIFFERENT] if step else []
    if against != ["year"]:
        return None
    years = [features.year for features in found.features]
    later = found.first if years[0] > years[1] else found.second
    earlier = found.second if later is found.first else found.first
    if later.repository.pk == earlier.repository.pk or later.repository.number in rulings_in_force().printings:
        return None
    return later.repository
