"""Decides from the evidence about a pair whether its records are grouped. Does not read the records."""

import msgspec

from aggregator.matching.comparison.weights import MODEL, VETO, Evidence

CERTAIN = MODEL.certain  # a pair with this score or more needs no review by a person
JOIN = MODEL.join  # a pair with this score or more connects its records into one group
REVIEW = MODEL.review  # a pair with this score or more is shown to a person, who may notice more than the weights do


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a record and a candidate describe the same book, and why. candidate: public id.

    joined: the pair connects its records into one group; it is certain only where `classify_score` returns "join".
    """

    candidate: str
    evidence: tuple[Evidence, ...]
    score: float
    joined: bool


def decide(candidate: str, evidence: tuple[Evidence, ...]) -> Decision:
    """Decide whether the pair is joined: nothing vetoes and the weights reach JOIN."""
    total = score(evidence)
    return Decision(candidate=candidate, evidence=evidence, score=total, joined=total >= JOIN)


def score(evidence: tuple[Evidence, ...]) -> float:
    """The sum of the weights; VETO when anything vetoes."""
    total = 0.0
    for item in evidence:
        if item.weight <= VETO:
            return VETO
        total += item.weight
    return round(total, 3)


def probability(score: float) -> float:
    """How probable it is that two records with this score describe the same book: 0 to 1. See `Model.chance`."""
    return MODEL.chance(score) if score > VETO else 0.0


def stated_probability(score: float) -> float:
    """`probability` as people are told it: in steps, no finer than it was measured. See `Model.stated_chance`."""
    return MODEL.stated_chance(score) if score > VETO else 0.0


def classify_score(score: float) -> str:
    """What a score means for a pair: "join" (no doubt), "review" (a person should look) or "apart"."""
    return "join" if score >= CERTAIN else "review" if score >= REVIEW else "apart"
