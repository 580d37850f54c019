"""The tables of harvesting, by noun: registration, harvests, records, standing. Columns, constraints, named queries."""

from harvesting.models.audit import AuditEntry
from harvesting.models.faults import Ignoring, IssueStock, Recheck, ResolvedIssue
from harvesting.models.harvests import BrokenPage, Harvest, HarvestEvent, Window
from harvesting.models.joining import Application, Draft, Validation
from harvesting.models.notices import Letter, NoticeEvent, NoticeItem, NoticeMark, Recipient
from harvesting.models.people import ExternalLogin, Invitation, LoginBrake
from harvesting.models.records import PUBLIC_ID, HeldDeletion, Membership, RecordIssue, SourceRecord
from harvesting.models.registration import (
    REPOSITORY_NUMBER,
    Feed,
    IssuedNumber,
    Repository,
    RuleSwitch,
    Subscription,
)
from harvesting.models.reread import Reread
from harvesting.models.standing import DayFigures, Standing
from harvesting.models.versions import RecordVersion, Suppression

__all__ = [
    "PUBLIC_ID",
    "REPOSITORY_NUMBER",
    "Application",
    "AuditEntry",
    "BrokenPage",
    "DayFigures",
    "Draft",
    "ExternalLogin",
    "Feed",
    "Harvest",
    "HarvestEvent",
    "HeldDeletion",
    "Ignoring",
    "Invitation",
    "IssueStock",
    "IssuedNumber",
    "Letter",
    "LoginBrake",
    "Membership",
    "NoticeEvent",
    "NoticeItem",
    "NoticeMark",
    "Recheck",
    "Recipient",
    "RecordIssue",
    "RecordVersion",
    "Repository",
    "Reread",
    "ResolvedIssue",
    "RuleSwitch",
    "SourceRecord",
    "Standing",
    "Subscription",
    "Suppression",
    "Validation",
    "Window",
]
