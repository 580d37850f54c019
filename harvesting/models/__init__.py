"""The tables of harvesting, one module per subject: columns, constraints and named queries."""

from harvesting.models.audit import AuditEntry
from harvesting.models.bulk import BulkAction, BulkChange
from harvesting.models.doi import (
    DoctoralThesis,
    DoiAgreement,
    DoiDelivery,
    DoiEvent,
    HandedOver,
    RequestedDoi,
    ThesisEvent,
)
from harvesting.models.enrichment import EnrichedRecord, EnrichmentRules
from harvesting.models.harvests import BrokenPage, DateWindow, Harvest, HarvestEvent
from harvesting.models.health import DailyCount, HealthStatus, SiteDay
from harvesting.models.issues import IgnoredIssue, IssueCount, IssuePatterns, Recheck, ResolvedIssue
from harvesting.models.joining import Application, Draft, SelfTest
from harvesting.models.notifications import (
    NotificationEvent,
    NotificationItem,
    NotificationMark,
    OutgoingMessage,
    Recipient,
)
from harvesting.models.people import ExternalLogin, Invitation, LoginThrottle, PasswordRequest
from harvesting.models.pushes import Push, PushToken
from harvesting.models.records import (
    LARGE_COLUMNS,
    PAYLOAD_COLUMNS,
    PUBLIC_ID,
    HeldDeletion,
    Membership,
    RecordAbout,
    RecordIssue,
    RecordVersion,
    SeenRecords,
    SourceRecord,
    SourceRecordQuerySet,
    Suppression,
)
from harvesting.models.registration import (
    REPOSITORY_NUMBER,
    Feed,
    IssuedNumber,
    Repository,
    RuleSwitch,
    Subscription,
    forget_groups,
    groups_of,
    protocol_choices,
)
from harvesting.models.reread import Reread

__all__ = [
    "LARGE_COLUMNS",
    "PAYLOAD_COLUMNS",
    "PUBLIC_ID",
    "REPOSITORY_NUMBER",
    "Application",
    "AuditEntry",
    "BrokenPage",
    "BulkAction",
    "BulkChange",
    "DailyCount",
    "DateWindow",
    "DoctoralThesis",
    "DoiAgreement",
    "DoiDelivery",
    "DoiEvent",
    "Draft",
    "EnrichedRecord",
    "EnrichmentRules",
    "ExternalLogin",
    "Feed",
    "HandedOver",
    "Harvest",
    "HarvestEvent",
    "HealthStatus",
    "HeldDeletion",
    "IgnoredIssue",
    "Invitation",
    "IssueCount",
    "IssuePatterns",
    "IssuedNumber",
    "LoginThrottle",
    "Membership",
    "NotificationEvent",
    "NotificationItem",
    "NotificationMark",
    "OutgoingMessage",
    "PasswordRequest",
    "Push",
    "PushToken",
    "Recheck",
    "Recipient",
    "RecordAbout",
    "RecordIssue",
    "RecordVersion",
    "Repository",
    "RequestedDoi",
    "Reread",
    "ResolvedIssue",
    "RuleSwitch",
    "SeenRecords",
    "SelfTest",
    "SiteDay",
    "SourceRecord",
    "SourceRecordQuerySet",
    "Subscription",
    "Suppression",
    "ThesisEvent",
    "forget_groups",
    "groups_of",
    "protocol_choices",
]
