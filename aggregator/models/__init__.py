"""The tables of the merged catalogue, by noun. Columns, constraints, named queries."""

from aggregator.models.matching import (
    Manifestation,
    MatchAlarm,
    MatchDecision,
    MatchKey,
    Member,
    Rematch,
    ReviewPair,
    WorkKey,
)
from aggregator.models.provided import Provided, ProvidedTerms, ProvidedType
from aggregator.models.reports import BookReport

__all__ = [
    "BookReport",
    "Manifestation",
    "MatchAlarm",
    "MatchDecision",
    "MatchKey",
    "Member",
    "Provided",
    "ProvidedTerms",
    "ProvidedType",
    "Rematch",
    "ReviewPair",
    "WorkKey",
]
