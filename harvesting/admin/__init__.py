"""The admin pages of harvesting, one module per table or group of tables. Importing this package registers them."""

from harvesting.admin.base import AuditedAdmin, BoundedPaginator, ReadOnly
from harvesting.admin.feed import FeedAdmin
from harvesting.admin.harvest import HarvestAdmin
from harvesting.admin.people import GroupAdmin, PersonAdmin
from harvesting.admin.record import RecordIssueAdmin, SourceRecordAdmin
from harvesting.admin.repository import RepositoryAdmin

__all__ = [
    "AuditedAdmin",
    "BoundedPaginator",
    "FeedAdmin",
    "GroupAdmin",
    "HarvestAdmin",
    "PersonAdmin",
    "ReadOnly",
    "RecordIssueAdmin",
    "RepositoryAdmin",
    "SourceRecordAdmin",
]
