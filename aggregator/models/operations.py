"""Tables of what operators do: backups made, and providers being erased. Columns only."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from harvesting.models import Repository


class Backup(models.Model):
    """A backup that was made. The row is not part of that backup."""

    file = models.CharField(_("file"), max_length=500)
    began = models.DateTimeField(_("state as of"))  # later changes are not in it
    made = models.DateTimeField(_("created at"), auto_now_add=True)
    bytes = models.PositiveBigIntegerField(_("bytes"))
    seconds = models.FloatField(_("seconds"))
    verified = models.DateTimeField(_("verified at"), null=True)  # for regular backups; null: not verified
    copied = models.DateTimeField(_("copied to a second place at"), null=True)

    class Meta:
        verbose_name = _("backup")
        verbose_name_plural = _("backups")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.file


class Erasure(models.Model):
    """The permanent erasure of a provider's data, and its progress. The repository's row stays, with nothing but its
    number.

    phase: see `erasing.work`. position: within the phase. records: erased so far.
    """

    class Phase(models.TextChoices):
        BURY = "bury", _("clearing its records")
        SETTLE = "settle", _("regrouping the books of other providers")
        DELETE = "delete", _("deleting its records")
        SURROUNDINGS = "surroundings", _("deleting its registration data")
        FILES = "files", _("deleting and rewriting the files")
        COMPACT = "compact", _("rebuilding the index and overwriting the database file")
        DONE = "done", _("done")

    repository = models.OneToOneField(Repository, models.PROTECT, related_name="erasure", verbose_name=_("repository"))
    reason = models.CharField(_("reason"), max_length=500)
    asked_by = models.CharField(_("decided by"), max_length=150)
    phase = models.CharField(_("phase"), max_length=12, choices=Phase, default=Phase.BURY)
    position = models.PositiveBigIntegerField(_("position"), default=0)
    records = models.PositiveBigIntegerField(_("records"), default=0)
    names = models.JSONField(default=list)  # by which texts may mention the provider or its people; [] when done
    libraries = models.JSONField(default=list)  # keys of the libraries that held its books; [] when done
    began = models.DateTimeField(_("began"), auto_now_add=True)
    seen = models.DateTimeField(_("last active"), null=True)
    finished = models.DateTimeField(_("finished at"), null=True)

    class Meta:
        verbose_name = _("erasure")
        verbose_name_plural = _("erasures")

    def __str__(self) -> str:
        return f"{self.repository.number}: {self.get_phase_display()}"
