"""The table of rereads: which stored payloads are read again, how far that is, what it found. No decisions."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Reread(models.Model):
    """One pass over the stored payloads. It moves in the transaction of each batch, so that nothing counts twice."""

    class State(models.TextChoices):
        OPEN = "open", _("not finished")
        FINISHED = "finished", _("finished")
        GIVEN_UP = "given_up", _("given up for a new one")

    repositories = models.JSONField(default=list)  # their numbers in order; [] = all
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.OPEN)
    position = models.PositiveBigIntegerField(default=0)  # id of the last record that was read again
    last = models.PositiveBigIntegerField()  # id of the last record that there was when it began
    counts = models.JSONField(default=dict)  # repository number -> harvesting.rereading.Tally
    started_at = models.DateTimeField(_("started at"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    class Meta:
        verbose_name = _("reread")
        verbose_name_plural = _("rereads")

    def __str__(self) -> str:
        return f"#{self.pk} {' '.join(self.repositories) or '*'} {self.position}/{self.last}"
