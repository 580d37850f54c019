"""The table of rereads: which stored payloads are read again, the progress so far, and the results."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Reread(models.Model):
    """One pass over the stored payloads. Updated in the transaction of every batch, so that nothing counts twice.

    enrichment: the version of rules whose use has the queue carry the pass out (`harvesting.enrichment.applying`).
    noticed_at: when the queue first saw the pass.
    """

    class State(models.TextChoices):
        OPEN = "open", _("not finished")
        FINISHED = "finished", _("finished")
        GIVEN_UP = "given_up", _("abandoned for a new run")

    repositories = models.JSONField(default=list)  # their numbers in ascending order; [] = all
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.OPEN)
    position = models.PositiveBigIntegerField(default=0)  # id of the last record that was read again
    last = models.PositiveBigIntegerField()  # id of the newest record when the reread began
    counts = models.JSONField(default=dict)  # repository number -> harvesting.rereading.decisions.Tally as JSON
    started_at = models.DateTimeField(_("started at"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)
    enrichment = models.ForeignKey(
        "EnrichmentRules", models.CASCADE, null=True, related_name="rereads", verbose_name=_("enrichment rules")
    )
    noticed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("reread")
        verbose_name_plural = _("rereads")

    def __str__(self) -> str:
        return f"#{self.pk} {' '.join(self.repositories) or '*'} {self.position}/{self.last}"
