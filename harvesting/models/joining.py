"""Tables for joining: self-tests, unfinished registrations, and the applications of librarians to staff."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository
from harvesting.models.sealed import SealedField


def new_token() -> str:
    """A random token of 192 bits that can be used in a URL."""
    return secrets.token_urlsafe(24)


class SelfTest(models.Model):
    """A self-test of a provider's address or of pasted records: the request, and the report.

    wishes: base_url, protocol, prefix, set_spec, profile, sample (number of records), full_url, encoding, columns, live
    (options of a live source); a missing protocol, prefix or profile is detected. stored: the address is the path of an
    uploaded file.
    report: a packed `harvesting.trials.report`, b"" until the test is done. asker: pseudonym of the visitor's network.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    token = models.CharField(max_length=40, unique=True, default=new_token)
    wishes = models.JSONField(default=dict)
    payload = models.BinaryField(default=bytes)  # pasted or uploaded records, compressed; b"" for an address
    credentials = SealedField()  # of an unfinished registration; deleted when the test ends
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    code = models.CharField(max_length=60, blank=True)  # why it failed, key of harvesting.messages
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
            models.Index(fields=["created"], name="validation_created"),  # for limits per hour, and to delete old tests
            # The tests that wait for a worker; the dispatcher looks for them every few seconds.
            models.Index(fields=["id"], condition=Q(state__in=["queued", "running"]), name="validation_waiting"),
        ]

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED)


class Draft(models.Model):
    """An unfinished registration: the input of every page as it was typed, so that nothing is lost.

    typed: page -> field -> list of texts. upload: path of the uploaded file, if any.
    looked: the self-test that shows what the address offers. trial: the self-test of a sample in the chosen format.
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
    """A librarian's application to staff: to let a repository join, or to delete it.

    asked_by and answered_by are user names, which stay when the account is deleted.
    """

    class Kind(models.TextChoices):
        JOIN = "join", _("participation")
        DELETE = "delete", _("deletion")

    class State(models.TextChoices):
        OPEN = "open", _("awaiting review by staff")
        GRANTED = "granted", _("granted")
        REFUSED = "refused", _("sent back")
        WITHDRAWN = "withdrawn", _("withdrawn")

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="applications")
    kind = models.CharField(max_length=6, choices=Kind)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField(auto_now_add=True)
    text = models.TextField(blank=True)
    trial = models.ForeignKey(SelfTest, models.SET_NULL, null=True, related_name="+")  # made during registration
    answered_by = models.CharField(max_length=150, blank=True)
    answered_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["repository", "kind"], condition=Q(state="open"), name="application_once")
        ]
