"""Tables of what becomes of findings: ignored, mended, counted, checked again. Columns only; no decisions."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.harvests import Harvest
from harvesting.models.records import RecordIssue, SourceRecord
from harvesting.models.registration import Repository


class IgnoredIssue(models.Model):
    """That somebody lets a fault be: all findings of a rule at one provider, or a single one. Taken back, it stays
    as history.

    record, field, value: of a single finding; record null: the rule. What is ignored one by one is marked at its
    RecordIssue, and lives as long as the provider sends the same.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="ignorings", verbose_name=_("repository"))
    code = models.CharField(_("rule"), max_length=40)
    record = models.ForeignKey(SourceRecord, models.CASCADE, null=True, blank=True, related_name="ignorings")
    field = models.CharField(_("place in the record"), max_length=100, blank=True)
    value = models.TextField(_("value"), blank=True)
    reason = models.CharField(_("reason"), max_length=500)
    decided_by = models.CharField(_("decided by"), max_length=150)  # a name, which outlives the account
    decided_at = models.DateTimeField(_("decided at"), default=timezone.now)
    undone_by = models.CharField(_("taken back by"), max_length=150, blank=True)
    undone_at = models.DateTimeField(_("taken back at"), null=True, blank=True)

    class Meta:
        db_table = "harvesting_ignoring"
        verbose_name = _("ignored fault")
        verbose_name_plural = _("ignored faults")
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "code"],
                condition=Q(undone_at=None, record=None),
                name="rule_ignored_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.record or self.repository}"


class ResolvedIssue(models.Model):
    """A finding that is no more: what it was, when and how it went. Kept for as long as deleted records are."""

    class How(models.TextChoices):
        MENDED = "mended", _("mended by the provider")
        DELETED = "deleted", _("the record was deleted")
        REREAD = "reread", _("read by other rules")

    source_record = models.ForeignKey(
        SourceRecord, models.CASCADE, related_name="resolved_issues", verbose_name=_("source record")
    )
    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="resolved_issues", db_index=False, verbose_name=_("repository")
    )
    code = models.CharField(_("rule"), max_length=40)
    severity = models.CharField(_("severity"), max_length=20, choices=RecordIssue.SEVERITIES)
    field = models.CharField(_("place in the record"), max_length=100, blank=True)
    value = models.TextField(_("value"), blank=True)
    result = models.TextField(_("changed to"), blank=True)
    found_at = models.DateTimeField(_("first found"), null=True)
    how = models.CharField(_("how it went"), max_length=8, choices=How)
    harvest = models.PositiveBigIntegerField(null=True)  # id of the run; runs are forgotten earlier than this
    resolved_at = models.DateTimeField(_("resolved at"))

    class Meta:
        verbose_name = _("resolved issue")
        verbose_name_plural = _("resolved issues")
        indexes = [
            # The lists of resolved issues, as those of open ones.
            models.Index(fields=["repository", "code", "id"], name="resolved_place"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.field}"


class IssueCount(models.Model):
    """How many findings of each rule a provider's records had at one moment. Counted when something has changed, so
    that no page counts a million rows; earlier ones show the trend.

    records: registered and not deleted. faulty: of them, with an error or a warning that nobody ignores.
    counts: [code, severity, issues, records, of these issues ignored one by one], worst and most frequent first.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="issue_stocks")
    harvest = models.PositiveBigIntegerField(null=True)  # id of the run behind which it was counted, if it was one
    taken_at = models.DateTimeField(default=timezone.now)
    records = models.PositiveBigIntegerField(default=0)
    faulty = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=list)

    class Meta:
        db_table = "harvesting_issuestock"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.repository_id} {self.taken_at:%Y-%m-%d}: {self.faulty}/{self.records}"


class Recheck(models.Model):
    """Records that somebody had asked for again, and what they were before. The result: `harvesting.harvest.recheck`.

    records: [number, issues before, first bytes of the payload's hash before].
    """

    harvest = models.OneToOneField(Harvest, models.CASCADE, related_name="recheck")
    records = models.JSONField(default=list)
    asked_by = models.CharField(max_length=150)

    def __str__(self) -> str:
        return f"#{self.harvest_id} × {len(self.records)}"
