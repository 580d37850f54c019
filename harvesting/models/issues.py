"""Tables of what happens to issues: they are ignored, resolved, counted, checked again."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.harvests import Harvest
from harvesting.models.records import RecordIssue, SourceRecord
from harvesting.models.registration import Repository


class IgnoredIssue(models.Model):
    """The decision to ignore all issues of a rule at one provider, or a single issue. Stays as history when undone.

    record, field, value: of the single issue; record null = the whole rule. The RecordIssue of a single
    issue refers to this row, and is ignored as long as the provider sends the same value.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="ignorings", verbose_name=_("repository"))
    code = models.CharField(_("rule"), max_length=40)
    record = models.ForeignKey(SourceRecord, models.CASCADE, null=True, blank=True, related_name="ignorings")
    field = models.CharField(_("place in the record"), max_length=100, blank=True)
    value = models.TextField(_("value"), blank=True)
    reason = models.CharField(_("reason"), max_length=500)
    decided_by = models.CharField(_("decided by"), max_length=150)  # user name, stays when the account is deleted
    decided_at = models.DateTimeField(_("decided at"), default=timezone.now)
    undone_by = models.CharField(_("reversed by"), max_length=150, blank=True)
    undone_at = models.DateTimeField(_("reversed at"), null=True, blank=True)

    class Meta:
        db_table = "harvesting_ignoring"
        verbose_name = _("ignored issue")
        verbose_name_plural = _("ignored issues")
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
    """An issue that no longer exists: what it was, when and how it was resolved. Kept for 90 days."""

    class How(models.TextChoices):
        MENDED = "mended", _("corrected by the provider")
        DELETED = "deleted", _("record deleted")
        REREAD = "reread", _("reread with other rules")

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
    result = models.TextField(_("value registered"), blank=True)
    found_at = models.DateTimeField(_("first found"), null=True)
    how = models.CharField(_("how resolved"), max_length=8, choices=How)
    harvest = models.PositiveBigIntegerField(null=True)  # id of the run, which may have been deleted since
    resolved_at = models.DateTimeField(_("resolved at"))

    class Meta:
        verbose_name = _("resolved issue")
        verbose_name_plural = _("resolved issues")
        indexes = [
            # The lists of resolved issues (harvesting.issues.lists).
            models.Index(fields=["repository", "code", "id"], name="resolved_place"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.field}"


class IssueCount(models.Model):
    """How many issues of each rule a provider's records had at one time.

    Counted when something has changed, so that no page has to count a million rows; earlier counts show the trend.
    records: registered and not deleted. unregistered: received, but with an error for which they could not be
    registered. faulty: those of both with an error or a warning that is not ignored.
    counts: [code, severity, issues, records, issues ignored one by one], the worst and most frequent first.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="issue_stocks")
    harvest = models.PositiveBigIntegerField(null=True)  # id of the run after which it was counted, if any
    taken_at = models.DateTimeField(default=timezone.now)
    records = models.PositiveBigIntegerField(default=0)
    unregistered = models.PositiveBigIntegerField(default=0, db_default=0)
    faulty = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=list)

    class Meta:
        db_table = "harvesting_issuestock"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.repository_id} {self.taken_at:%Y-%m-%d}: {self.faulty}/{self.checked}"

    @property
    def checked(self) -> int:
        """How many records were checked. Shares of issues are shares of these."""
        return self.records + self.unregistered

    @property
    def share(self) -> float:
        """The records with errors or warnings, in per cent of all; 0 if there are none."""
        return 100 * self.faulty / self.checked if self.checked else 0.0


class IssuePatterns(models.Model):
    """The most frequent patterns of a provider's issues: the same rule, place and shape of the value.

    patterns: [code, severity, place, shape, issues, id of an issue], see `harvesting.issues.patterns`.
    """

    repository = models.OneToOneField(Repository, models.CASCADE, primary_key=True, related_name="issue_patterns")
    patterns = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.repository_id}: {len(self.patterns)}"


class Recheck(models.Model):
    """The records that a run fetches again, and what they were before. `harvesting.harvest.recheck.results` returns the
    results.

    records: [id, errors and warnings before, SHA-256 of the payload before (hexadecimal)], in the order of requests.
    """

    harvest = models.OneToOneField(Harvest, models.CASCADE, related_name="recheck")
    records = models.JSONField(default=list)
    asked_by = models.CharField(max_length=150)

    def __str__(self) -> str:
        return f"#{self.harvest_id} × {len(self.records)}"
