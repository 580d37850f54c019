"""Registration, harvests and error reports in Django's admin, one module for each noun. Importing it registers them."""

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
