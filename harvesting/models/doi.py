"""Tables of what is handed over to services: DOIs with agreements and deliveries, doctoral theses for the NDL."""

from typing import Any

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.records import SourceRecord
from harvesting.models.registration import Repository
from harvesting.models.sealed import SealedField
from metadata.deposits.kinds import AGENCIES
from metadata.deposits.values import MOST_DOI

_PREFIXES = RegexValidator(r"^\s*(10\.[0-9]{4,9}\s*)*\Z", _("Prefixes begin with 10. and are separated by spaces."))
_HOSTS = RegexValidator(r"^\s*([A-Za-z0-9.-]+\s*)*\Z", _("Enter names of hosts, separated by spaces."))


class DoiAgreement(models.Model):
    """What a provider has agreed with the registration agencies, and whether we hand its DOIs over."""

    class HandOver(models.TextChoices):
        OFF = "off", _("not handed over")
        FILES = "files", _("as files")
        API = "api", _("through JaLC’s interface")

    repository = models.OneToOneField(Repository, models.CASCADE, primary_key=True, related_name="doi_agreement")
    jalc_prefixes = models.CharField(
        _("DOI prefixes at JaLC"),
        max_length=300,
        blank=True,
        validators=[_PREFIXES],
        help_text=_("Separated by spaces. Without any prefix, neither prefixes nor addresses are checked."),
    )
    crossref_prefixes = models.CharField(
        _("DOI prefixes at Crossref"), max_length=300, blank=True, validators=[_PREFIXES]
    )
    site_id = models.CharField(_("site ID at JaLC"), max_length=20, blank=True)
    agreed_on = models.DateField(_("date of the agreement"), null=True, blank=True)
    hosts = models.CharField(
        _("further hosts of its pages"),
        max_length=500,
        blank=True,
        validators=[_HOSTS],
        help_text=_("DOIs may lead to the hosts of its home page and its feeds, to handles, and to these."),
    )
    hand_over = models.CharField(_("hand-over"), max_length=5, choices=HandOver, default=HandOver.OFF)
    credentials = SealedField()  # login of JaLC's interface

    class Meta:
        verbose_name = _("DOI agreement")
        verbose_name_plural = _("DOI agreements")

    def __str__(self) -> str:
        return str(self.repository_id)


class DoiDelivery(models.Model):
    """One document for JaLC's interface. The row exists before anything is sent.

    number: JaLC's exec_id, "" as long as it is not known. contents: in order, the id of each RequestedDoi and the
    digest of its XML. message: why it was not accepted; of one that was answered, the DOIs in the answer that were
    not sent. rehearsal: only what would be sent; it is never sent.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waits")
        SENDING = "sending", _("being sent")
        SENT = "sent", _("sent, the result is awaited")
        DONE = "done", _("answered")
        FAILED = "failed", _("not accepted")
        UNCERTAIN = "uncertain", _("interrupted: whether it arrived is not known")

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="doi_deliveries")
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.WAITING)
    rehearsal = models.BooleanField(_("dry run"), default=False)
    document = models.BinaryField(default=bytes)  # compressed, see harvesting.records.compression
    contents = models.JSONField(default=list)
    number = models.CharField("exec_id", max_length=40, blank=True)
    message = models.TextField(_("answer"), blank=True)
    created_at = models.DateTimeField(_("prepared at"), default=timezone.now)
    sent_at = models.DateTimeField(_("sent at"), null=True)
    due = models.DateTimeField(default=timezone.now)  # of the next step
    attempts = models.PositiveSmallIntegerField(default=0)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("delivery of DOIs")
        verbose_name_plural = _("deliveries of DOIs")
        ordering = ["-pk"]
        indexes = [
            # harvesting.doi.deliveries: what is to be sent or asked for; few rows.
            models.Index(fields=["due"], condition=Q(ended_at=None), name="doi_delivery_open"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.number}".rstrip()


class HandedOver(models.Model):
    """What a service is to get of a record. Changes of the state are kept as events.

    codes: of the rules that block it. digest: of the document as it would be handed over now; sent_digest: as it was
    handed over last, "" = never. checked_at: null if the record has changed since it was last looked at. settled_at:
    when a person dealt with the record being gone.
    """

    record_id: int | None
    state = models.CharField(max_length=10)
    codes = models.JSONField(default=list)
    digest = models.CharField(max_length=64, blank=True)
    sent_digest = models.CharField(max_length=64, blank=True)
    checked_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(_("state since"), default=timezone.now)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    def event(self, **about: Any) -> models.Model:
        """Return a change of the state, to be stored. about: its columns."""
        raise NotImplementedError


class RequestedDoi(HandedOver):
    """A DOI for which a record asks, and what became of it at the agency.

    record: that asks for it, null if its row was deleted. message: the words of the agency.
    """

    class State(models.TextChoices):
        BLOCKED = "blocked", _("cannot be registered")
        READY = "ready", _("ready")
        SENT = "sent", _("handed over")
        REGISTERED = "registered", _("registered")
        REFUSED = "refused", _("refused by the agency")
        CHANGED = "changed", _("changed since")
        GONE = "gone", _("record gone")

    doi = models.CharField("DOI", max_length=MOST_DOI, unique=True)
    agency = models.CharField(_("agency"), max_length=10, choices=[(agency, agency) for agency in AGENCIES])
    repository = models.ForeignKey(  # needs no index: the one of doi_list is used
        Repository, models.CASCADE, related_name="requested_dois", db_index=False, verbose_name=_("repository")
    )
    record = models.ForeignKey(
        SourceRecord, models.SET_NULL, null=True, related_name="requested_dois", verbose_name=_("source record")
    )
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.BLOCKED)
    message = models.TextField(_("answer of the agency"), blank=True)
    delivery = models.ForeignKey(DoiDelivery, models.SET_NULL, null=True, related_name="requested_dois")

    class Meta:
        verbose_name = _("requested DOI")
        verbose_name_plural = _("requested DOIs")
        indexes = [
            # The lists and counts of harvesting.doi.lists.
            models.Index(fields=["repository", "agency", "state", "id"], name="doi_list"),
            # harvesting.doi.states: the DOIs to be checked, usually few.
            models.Index(fields=["id"], condition=Q(checked_at=None), name="doi_unchecked"),
            # harvesting.doi.verdicts: tasks of staff, few.
            models.Index(fields=["repository"], condition=Q(state="gone", settled_at=None), name="doi_gone"),
        ]

    def __str__(self) -> str:
        return self.doi

    def event(self, **about: Any) -> "DoiEvent":
        """Return a change of the state, to be stored."""
        return DoiEvent(requested_doi=self, **about)


class DoiEvent(models.Model):
    """A change of the state of a DOI. Rows are only added. message: codes of rules, or the words of the agency."""

    requested_doi = models.ForeignKey(RequestedDoi, models.CASCADE, related_name="events")
    at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=RequestedDoi.State)
    message = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)
    delivery = models.ForeignKey(DoiDelivery, models.SET_NULL, null=True, related_name="events")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.requested_doi_id} {self.state}"


class DoctoralThesis(HandedOver):
    """A doctoral thesis that the NDL collects from its repository (see `metadata.deposits.theses`).

    record: the one that describes it, null if its row was deleted.
    """

    class State(models.TextChoices):
        BLOCKED = "blocked", _("not ready")
        READY = "ready", _("ready")
        SENT = "sent", _("handed over")
        CHANGED = "changed", _("changed since")
        GONE = "gone", _("record gone")

    repository = models.ForeignKey(  # needs no index: the one of thesis_list is used
        Repository, models.CASCADE, related_name="doctoral_theses", db_index=False, verbose_name=_("repository")
    )
    record = models.OneToOneField(
        SourceRecord, models.SET_NULL, null=True, related_name="doctoral_thesis", verbose_name=_("source record")
    )
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.BLOCKED)

    class Meta:
        verbose_name = _("doctoral thesis")
        verbose_name_plural = _("doctoral theses")
        indexes = [
            # The lists and counts of harvesting.theses.lists.
            models.Index(fields=["repository", "state", "id"], name="thesis_list"),
            # harvesting.theses.states: the theses to be checked, usually few.
            models.Index(fields=["id"], condition=Q(checked_at=None), name="thesis_unchecked"),
            # harvesting.doi.verdicts: tasks of staff, few.
            models.Index(fields=["repository"], condition=Q(state="gone", settled_at=None), name="thesis_gone"),
        ]

    def __str__(self) -> str:
        return f"{self.record_id} {self.state}"

    def event(self, **about: Any) -> "ThesisEvent":
        """Return a change of the state, to be stored."""
        return ThesisEvent(thesis=self, **about)


class ThesisEvent(models.Model):
    """A change of the state of a doctoral thesis. Rows are only added. message: codes of rules."""

    thesis = models.ForeignKey(DoctoralThesis, models.CASCADE, related_name="events")
    at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=DoctoralThesis.State)
    message = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.thesis_id} {self.state}"
