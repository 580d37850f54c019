"""The merged catalogue in Django's admin, one module for each kind of thing. Importing the package registers them."""

from django.contrib import admin
from django.utils.translation import gettext_lazy

from aggregator.admin.alarm import MatchAlarmAdmin, RematchAdmin
from aggregator.admin.error_report import ErrorReportAdmin
from aggregator.admin.index import IndexLedgerAdmin
from aggregator.admin.library import LibraryAdmin
from aggregator.admin.manifestation import ManifestationAdmin
from aggregator.admin.operations import BackupAdmin, ErasureAdmin
from aggregator.admin.ruling import MatchRulingAdmin

__all__ = [
    "BackupAdmin",
    "ErasureAdmin",
    "ErrorReportAdmin",
    "IndexLedgerAdmin",
    "LibraryAdmin",
    "ManifestationAdmin",
    "MatchAlarmAdmin",
    "MatchRulingAdmin",
    "RematchAdmin",
]

admin.site.site_header = admin.site.site_title = gettext_lazy("Library Aggregator")
admin.site.index_title = gettext_lazy("Administration")
