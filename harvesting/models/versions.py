"""Tables of the history of a record that staff see: its earlier versions, and its suppression."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.records import SourceRecord


class RecordVersion(models.Model):
    """An earlier payload of a record. Written when another payload replaces it; only the newest few are kept."""

    record = models.ForeignKey(SourceRecord, models.CASCADE, related_name="versions")
    payload = models.BinaryField(default=bytes)  # compressed, see harvesting.records.compression
    payload_hash = models.BinaryField(default=bytes)
    metadata_prefix = models.CharField("metadataPrefix", max_length=100)
    datestamp = models.CharField(max_length=40, blank=True)
    brought_by = models.PositiveBigIntegerField(null=True)  # id of the run that brought it
    came_at = models.DateTimeField()
    replaced_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.record_id} {self.came_at:%Y-%m-%d}"


class Suppression(models.Model):
    """Why a record is withheld from the catalogue and from redistribution, and who decided it.

    Whether it is withheld is decided by the record's `suppressed_at`, not by this row.
    """

    record = models.OneToOneField(SourceRecord, models.CASCADE, primary_key=True, related_name="suppression")
    reason = models.CharField(_("reason"), max_length=500)
    decided_by = models.CharField(_("decided by"), max_length=150)
    decided_at = models.DateTimeField(_("decided at"), default=timezone.now)

    def __str__(self) -> str:
        return str(self.record)
