"""Tables of what the operator does: backups that were made, providers that are erased. Columns only."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Backup(models.Model):
    """A backup that was made. It is not in the backup itself."""

    file = models.CharField(_("file"), max_length=500)
    began = models.DateTimeField(_("state of"))  # what came later is not in it
    made = models.DateTimeField(_("made at"), auto_now_add=True)
    bytes = models.PositiveBigIntegerField(_("bytes"))
    seconds = models.FloatField(_("seconds"))

    class Meta:
        verbose_name = _("backup")
        verbose_name_plural = _("backups")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.file
