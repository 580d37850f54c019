"""From evidence to a decision. Pure; knows no record, only what was found."""

import msgspec

from aggregator.matching.comparison.weights import MODEL, VETO, Evidence

CERTAIN = MODEL.certain  # from here on nobody need look
JOIN = MODEL.join  # from here on a pair holds a group together
REVIEW = MODEL.review  # from here on a person might see more than the weights do


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a record and a candidate describe the same book, and why. candidate: public id.

    joined: the pair holds a group together; nobody need look at it only when `outcome` says "join".
    """

    candidate: str
    evidence: tuple[Evidence, ...]
    score: float
    joined: bool


def decide(candidate: str, evidence: tuple[Evidence, ...]) -> Decision:
    """Joined if nothing vetoes and the weights reach JOIN."""
    total = score(evidence)
    return Decision(candidate=candidate, evidence=evidence, score=total, joined=total >= JOIN)


def score(evidence: tuple[Evidence, ...]) -> float:
    """The sum of the weights; VETO when anything vetoes."""
    total = 0.0
    for each in evidence:
        if each.weight <= VETO:
            return VETO
        total += each.weight
    return round(total, 3)


def outcome(score: float) -> str:
    """What a score means for a pair: "join" (no doubt), "review" (a person should look) or "apart"."""
    return "join" if score >= CERTAIN else "review" if score >= REVIEW else "apart"
