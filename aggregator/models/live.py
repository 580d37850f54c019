"""The state of each live source (横断検索先), and its daily figures. Columns."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from harvesting.models import Repository


class LiveState(models.Model):
    """横断検索先の状態: the present state of a live source. There is no row before it is asked for the first time.

    answered_at, failed_at: of the last answer and failure. failure, facts: of the last failure, as a TransportError.
    failures: since the last answer. paused_until: until then, the source is not asked.
    checked_on: the day of the last known-item search; checks_failed: those that failed in a row, up to that day;
    check_failure: why the last one failed, "" = it found something.
    """

    repository = models.OneToOneField(
        Repository, models.CASCADE, primary_key=True, related_name="live_state", verbose_name=_("repository")
    )
    answered_at = models.DateTimeField(_("last answer"), null=True)
    failed_at = models.DateTimeField(_("last failure"), null=True)
    failure = models.CharField(_("reason of the failure"), max_length=60, blank=True)
    facts = models.JSONField(default=dict)
    failures = models.PositiveIntegerField(_("failures since the last answer"), default=0)
    paused_until = models.DateTimeField(_("not asked until"), null=True)
    checked_on = models.DateField(_("last known-item search"), null=True)
    checks_failed = models.PositiveIntegerField(_("known-item searches that failed in a row"), default=0)
    check_failure = models.CharField(_("reason why the known-item search failed"), max_length=60, blank=True)

    class Meta:
        verbose_name = _("state of a live source")
        verbose_name_plural = _("states of live sources")

    def __str__(self) -> str:
        return f"{self.repository_id}: {self.failures}"


class LiveDay(models.Model):
    """横断検索の日別の数: the requests to a live source on one day. Answers from the cache are not counted.

    errors: code -> number. latency: numbers of answers by time, one for each of `aggregator.live.measuring.BOUNDS` and
    one for all that took longer.
    """

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="live_days", verbose_name=_("repository"), db_index=False
    )
    day = models.DateField(_("day"))
    calls = models.PositiveIntegerField(_("requests"), default=0)
    answered = models.PositiveIntegerField(_("answers"), default=0)
    errors = models.JSONField(_("errors"), default=dict)
    latency = models.JSONField(default=list)

    class Meta:
        verbose_name = _("daily figures of a live source")
        verbose_name_plural = _("daily figures of live sources")
        ordering = ["-day"]
        constraints = [
            # its index also serves the lists of one provider's days
            models.UniqueConstraint(fields=["repository", "day"], name="live_day_once")
        ]

    def __str__(self) -> str:
        return f"{self.repository_id} {self.day}: {self.calls}"
