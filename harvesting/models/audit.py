"""The table of the audit trail. Rows are written by `harvesting.audit.trail` and never changed."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository


class AuditEntry(models.Model):
    """One action of a person or of the program: who did what to which object, and why."""

    at = models.DateTimeField(_("when"), default=timezone.now)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(
        _("who"), max_length=150, blank=True
    )  # user name, stays when the account is deleted; "" = the program itself
    action = models.CharField(_("what"), max_length=60)  # key of harvesting.audit.trail.ACTIONS
    repository = models.ForeignKey(
        Repository, models.SET_NULL, null=True, related_name="+"
    )  # its librarians may see the entry
    kind = models.CharField(max_length=40, blank=True)  # model of the object; "" = the object is only named
    number = models.CharField(max_length=40, blank=True)
    about = models.CharField(_("item concerned"), max_length=300)
    reason = models.TextField(_("why"), blank=True)
    details = models.JSONField(default=dict)  # further facts: {name: value}

    class Meta:
        verbose_name = _("entry of the audit trail")
        verbose_name_plural = _("audit trail")
        ordering = ["-pk"]
        indexes = [
            # The entries about one provider, of one person, of one action, of some days: newest first.
            models.Index(fields=["repository", "-id"], name="trace_of_repository"),
            models.Index(fields=["name", "-id"], name="trace_of_person"),
            models.Index(fields=["action", "-id"], name="trace_of_action"),
            models.Index(fields=["at"], name="trace_of_days"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.name} {self.action} {self.about}"
