"""The tables of harvesting, by noun: registration, harvests, records. Columns, constraints, named queries."""

from harvesting.models.audit import AuditEntry
from harvesting.models.harvests import BrokenPage, Harvest, Window
from harvesting.models.joining import Application, Draft, Validation
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

__all__ = [
    "PUBLIC_ID",
    "REPOSITORY_NUMBER",
    "Application",
    "AuditEntry",
    "BrokenPage",
    "Draft",
    "Feed",
    "Harvest",
    "HeldDeletion",
    "IssuedNumber",
    "Membership",
    "RecordIssue",
    "Repository",
    "Reread",
    "RuleSwitch",
    "SourceRecord",
    "Subscription",
    "Validation",
    "Window",
]
