"""The tables of the merged catalogue, by noun. Columns, constraints, named queries."""

from aggregator.models.indexing import IndexedMeanwhile, IndexLedger
from aggregator.models.keys import ApiKey, ApiKeyDay
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
from aggregator.models.operations import Backup, Erasure
from aggregator.models.provided import Provided, ProvidedTerms, ProvidedType
from aggregator.models.reports import BookReport
from aggregator.models.resources import (
    ChangeList,
    HubSubscription,
    Resource,
    ResourceChange,
    ResourceClock,
    ResourcePackage,
    ResourceSet,
)

__all__ = [
    "ApiKey",
    "ApiKeyDay",
    "Backup",
    "BookReport",
    "ChangeList",
    "Erasure",
    "HubSubscription",
    "IndexLedger",
    "IndexedMeanwhile",
    "Manifestation",
    "MatchAlarm",
    "MatchDecision",
    "MatchKey",
    "Member",
    "Provided",
    "ProvidedTerms",
    "ProvidedType",
    "Rematch",
    "Resource",
    "ResourceChange",
    "ResourceClock",
    "ResourcePackage",
    "ResourceSet",
    "ReviewPair",
    "WorkKey",
]
