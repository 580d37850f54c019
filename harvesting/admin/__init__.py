"""Registration, harvests and error reports in Django's admin, one module for each noun. Importing it registers them."""

from harvesting.admin.base import ReadOnly
from harvesting.admin.feed import FeedAdmin
from harvesting.admin.harvest import HarvestAdmin
from harvesting.admin.record import RecordIssueAdmin, SourceRecordAdmin
from harvesting.admin.repository import RepositoryAdmin

__all__ = [
    "FeedAdmin",
    "HarvestAdmin",
    "ReadOnly",
    "RecordIssueAdmin",
    "RepositoryAdmin",
    "SourceRecordAdmin",
]
