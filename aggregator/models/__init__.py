"""The tables of the merged catalogue, one module per noun. Columns, constraints, named queries."""

from aggregator.models.alerts import AlertMail, SearchAlert
from aggregator.models.api_keys import ApiKey, ApiKeyDay
from aggregator.models.availability import AvailabilityAdapter
from aggregator.models.browse import Heading, HeadingLink, HeadingRun, SubjectRelation
from aggregator.models.error_reports import ErrorReport
from aggregator.models.indexing import IndexChange, IndexedMeanwhile, IndexLedger
from aggregator.models.libraries import Holding, Library, LibraryCode, LibraryName, ProviderLinks
from aggregator.models.library_upkeep import LibraryAnswer, LibraryMerge
from aggregator.models.links import CheckedLink, LinkHost, LinkPattern, LinkRound
from aggregator.models.live import LiveDay, LiveState
from aggregator.models.loans import LibraryInvitation, LibraryMember, Loan, LoanEvent, LoanLink, LoanMessage, LoanTerms
from aggregator.models.matching import (
    BOOK_ID,
    Core,
    FormerMember,
    Kind,
    Manifestation,
    MatchAlarm,
    MatchKey,
    MatchRuling,
    Member,
    NumberCounter,
    Rematch,
    ReviewPair,
    WorkKey,
)
from aggregator.models.operations import Backup, Erasure
from aggregator.models.provided import (
    ListCounting,
    ListSize,
    Provided,
    ProvidedCopy,
    ProvidedTerms,
    ProvidedType,
    TakenList,
)
from aggregator.models.resources import (
    ChangeList,
    HubSubscription,
    Resource,
    ResourceBlock,
    ResourceChange,
    ResourceClock,
    ResourcePackage,
    ResourceSet,
)
from aggregator.models.statistics import ContentFigures, UseCount

__all__ = [
    "BOOK_ID",
    "AlertMail",
    "ApiKey",
    "ApiKeyDay",
    "AvailabilityAdapter",
    "Backup",
    "ChangeList",
    "CheckedLink",
    "ContentFigures",
    "Core",
    "Erasure",
    "ErrorReport",
    "FormerMember",
    "Heading",
    "HeadingLink",
    "HeadingRun",
    "Holding",
    "HubSubscription",
    "IndexChange",
    "IndexLedger",
    "IndexedMeanwhile",
    "Kind",
    "Library",
    "LibraryAnswer",
    "LibraryCode",
    "LibraryInvitation",
    "LibraryMember",
    "LibraryMerge",
    "LibraryName",
    "LinkHost",
    "LinkPattern",
    "LinkRound",
    "ListCounting",
    "ListSize",
    "LiveDay",
    "LiveState",
    "Loan",
    "LoanEvent",
    "LoanLink",
    "LoanMessage",
    "LoanTerms",
    "Manifestation",
    "MatchAlarm",
    "MatchKey",
    "MatchRuling",
    "Member",
    "NumberCounter",
    "Provided",
    "ProvidedCopy",
    "ProvidedTerms",
    "ProvidedType",
    "ProviderLinks",
    "Rematch",
    "Resource",
    "ResourceBlock",
    "ResourceChange",
    "ResourceClock",
    "ResourcePackage",
    "ResourceSet",
    "ReviewPair",
    "SearchAlert",
    "SubjectRelation",
    "TakenList",
    "UseCount",
    "WorkKey",
]
