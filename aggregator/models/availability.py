"""Which libraries can be asked whether a book can be borrowed now, how, and how that has gone so far."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from aggregator.models.libraries import Library
from harvesting.validators import validate_link_template


class AvailabilityAdapterQuerySet(models.QuerySet["AvailabilityAdapter"]):
    def in_use(self) -> "AvailabilityAdapterQuerySet":
        """Interfaces that are switched on, of libraries that have not closed for good and were not merged."""
        open_today = Q(library__closed_on=None) | Q(library__closed_on__gt=timezone.localdate())
        return self.filter(open_today, library__merged_into=None).exclude(kind="")


class AvailabilityAdapter(models.Model):
    """貸出状況の問い合わせ先: how a library that has opted in is asked about its copies of a book.

    A table of its own, because few libraries have one, and because every failure is noted in it. kind: "" = switched
    off. declared: for "json", name in `aggregator.availability.adapters.FIELDS` -> what staff typed.
    answered_at, failed_at: of the last success and failure. failure, facts: of the last failure, as a TransportError.
    failures: since the last success. paused_until: until then, the library is not asked.
    """

    class Kind(models.TextChoices):
        DAIA = "daia", _("DAIA (1.0 in JSON, 0.5 in JSON or XML)")
        JSON = "json", _("JSON with declared fields")

    library = models.OneToOneField(
        Library,
        models.CASCADE,
        primary_key=True,
        related_name="availability_adapter",
        verbose_name=_("holding library"),
    )
    kind = models.CharField(_("kind of interface"), max_length=8, choices=Kind, blank=True)
    address = models.CharField(_("address template"), max_length=500, blank=True, validators=[validate_link_template])
    declared = models.JSONField(_("declared fields"), default=dict, blank=True)
    answered_at = models.DateTimeField(_("last answer"), null=True, blank=True, editable=False)
    failed_at = models.DateTimeField(_("last failure"), null=True, blank=True, editable=False)
    failure = models.CharField(_("reason of the failure"), max_length=60, blank=True, editable=False)
    facts = models.JSONField(default=dict, blank=True, editable=False)
    failures = models.PositiveIntegerField(_("failures since the last answer"), default=0, editable=False)
    paused_until = models.DateTimeField(_("not asked until"), null=True, blank=True, editable=False)

    objects = AvailabilityAdapterQuerySet.as_manager()

    class Meta:
        verbose_name = _("interface for availability")
        verbose_name_plural = _("interfaces for availability")

    def __str__(self) -> str:
        return f"{self.kind} {self.address}"
