"""Tables of enrichment rules: the versions of each provider's rules, and what they changed in its records."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.records import SourceRecord
from harvesting.models.registration import Repository


class EnrichmentRules(models.Model):
    """One version of the rules of a provider. Only `in_use` ever changes: going back uses an earlier version again.

    version: from 1; 0 is the empty set, which is stored with the first version. rules: see
    `metadata.enrichment.documents`.
    """

    repository = models.ForeignKey(  # needs no index: the one of enrichment_version_once is used
        Repository, models.CASCADE, related_name="enrichment", db_index=False, verbose_name=_("repository")
    )
    version = models.PositiveIntegerField(_("version"))
    rules = models.JSONField(default=dict)
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    made_by = models.CharField(_("made by"), max_length=150, blank=True)  # user name, stays when the account is deleted
    made_at = models.DateTimeField(_("made at"), default=timezone.now)
    in_use = models.BooleanField(_("in use"), default=False)

    class Meta:
        verbose_name = _("enrichment rules")
        verbose_name_plural = _("enrichment rules")
        ordering = ["repository", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["repository", "version"], name="enrichment_version_once"),
            # policy_of(): the rules in use of a provider, of which there are one at most
            models.UniqueConstraint(fields=["repository"], condition=Q(in_use=True), name="enrichment_in_use_once"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_id} v{self.version}"


class EnrichedRecord(models.Model):
    """By which version of the rules a record was made, and what it is without them.

    Records of providers that have never had rules have no row. names: of the rules that changed it. original: the
    record without the rules, compressed; b"" if they changed nothing, or if it could not be registered without them.
    """

    record = models.OneToOneField(SourceRecord, models.CASCADE, primary_key=True, related_name="enriched")
    version = models.PositiveIntegerField()
    names = models.JSONField(default=list)
    original = models.BinaryField(default=bytes)
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.record_id} v{self.version}"
