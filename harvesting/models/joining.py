"""Tables of joining: self-tests, half-done registrations, and what librarians ask of staff. No decisions."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository
from harvesting.models.sealed import SealedField


def new_token() -> str:
    """192 bits that nobody guesses, fit for an address."""
    return secrets.token_urlsafe(24)


class SelfTest(models.Model):
    """One self-test of an address or of records that were pasted: what was asked, and the report about it.

    wishes: base_url, protocol, prefix, set_spec, profile, sample; those that are absent are found out.
    report: `harvesting.trials.report` packed; b"" until it is done. asker: whose network asked, made unreadable.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    token = models.CharField(max_length=40, unique=True, default=new_token)
    wishes = models.JSONField(default=dict)
    payload = models.BinaryField(default=bytes)  # what was pasted or uploaded, packed; b"" where an address is asked
    credentials = SealedField()  # of a registration under way; forgotten with the end
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    code = models.CharField(max_length=60, blank=True)  # why it failed, as harvesting.messages
    facts = models.JSONField(default=dict)
    report = models.BinaryField(default=bytes)
    asker = models.CharField(max_length=32, blank=True)
    host = models.CharField(max_length=255, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    begun = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)

    class Meta:
        db_table = "harvesting_validation"
        indexes = [
            models.Index(fields=["created"], name="validation_created"),  # limits of the last hour; pruning
            # What waits for a worker: asked every few seconds by the dispatcher.
            models.Index(fields=["id"], condition=Q(state__in=["queued", "running"]), name="validation_waiting"),
        ]

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED)


class Draft(models.Model):
    """A registration under way: what was typed on each page, as it was typed, so that nothing is lost.

    typed: page -> field -> text (or list of texts). upload: path of a file that was uploaded for it.
    looked: what the address offers. trial: a sample in the chosen format.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    typed = models.JSONField(default=dict)
    credentials = SealedField()
    upload = models.CharField(max_length=500, blank=True)
    looked = models.ForeignKey(SelfTest, models.SET_NULL, null=True, related_name="+")
    trial = models.ForeignKey(SelfTest, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-changed", "-pk"]


class Application(models.Model):
    """What a librarian asks of staff about a repository: to let it join, or to delete it. Names outlive accounts."""

    class Kind(models.TextChoices):
        JOIN = "join", _("to join")
        DELETE = "delete", _("to be deleted")

    class State(models.TextChoices):
        OPEN = "open", _("waits for staff")
        GRANTED = "granted", _("granted")
        REFUSED = "refused", _("sent back")
        WITHDRAWN = "withdrawn", _("withdrawn")

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="applications")
    kind = models.CharField(max_length=6, choices=Kind)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField(auto_now_add=True)
    text = models.TextField(blank=True)
    trial = models.ForeignKey(SelfTest, models.SET_NULL, null=True, related_name="+")  # the sample of a registration
    answered_by = models.CharField(max_length=150, blank=True)
    answered_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["repository", "kind"], condition=Q(state="open"), name="application_once")
        ]
