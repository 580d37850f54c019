"""Operations, read only: backups, and the erasure of providers."""

from django.contrib import admin

from aggregator.models import Backup, Erasure
from harvesting.admin import ReadOnly


@admin.register(Backup)
class BackupAdmin(ReadOnly, admin.ModelAdmin[Backup]):
    show_full_result_count = False
    list_display = ["file", "began", "made", "bytes", "seconds", "verified", "copied"]


@admin.register(Erasure)
class ErasureAdmin(ReadOnly, admin.ModelAdmin[Erasure]):
    show_full_result_count = False
    list_display = ["repository", "phase", "records", "asked_by", "began", "finished"]
    exclude = ["names", "libraries"]
