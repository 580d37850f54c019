"""From evidence to a decision. Pure; knows no record, only what was found."""

import msgspec

from aggregator.matching.compare import VETO, Evidence

# Title and year and either person or publisher reach it (2.0 + 1.5 + 0.8), title and person alone do not
# (2.0 + 1.0); an ISBN with a title that is merely like it does not (3.0 + 0.3), with the same title it does.
JOIN = 3.5
REVIEW = 1.0  # from here on a person might see more than the weights do


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a record and a candidate describe the same book, and why. candidate: public id."""

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
    total = sum(each.weight for each in evidence)
    return VETO if any(each.vetoes for each in evidence) else round(total, 3)


def outcome(score: float) -> str:
    """What a score means for a pair: "join", "review" or "apart"."""
    return "join" if score >= JOIN else "review" if score >= REVIEW else "apart"
