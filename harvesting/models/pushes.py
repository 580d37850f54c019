"""Tables of pushes: what providers sent of their own accord, and the tokens with which they do so."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.harvests import Harvest
from harvesting.models.registration import Feed, Repository


class PushToken(models.Model):
    """A token with which a provider's programs push records. Only a keyed hash of it is stored."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="push_tokens", verbose_name=_("repository"))
    name = models.CharField(_("name"), max_length=100)
    digest = models.BinaryField(max_length=32, unique=True)
    start = models.CharField(max_length=12)  # its first characters, by which its owner recognises it
    created = models.DateTimeField(_("created at"), auto_now_add=True)
    created_by = models.CharField(max_length=150)  # user name, stays when the account is deleted
    used = models.DateTimeField(_("last used"), null=True)
    revoked = models.DateTimeField(_("revoked at"), null=True)

    class Meta:
        verbose_name = _("push token")
        verbose_name_plural = _("push tokens")
        ordering = ["-pk"]
        constraints = [
            # Two active tokens of a provider never have the same name, so a form sent twice creates one token.
            models.UniqueConstraint(
                fields=["repository", "name"], condition=Q(revoked=None), name="push_token_in_use_once"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Push(models.Model):
    """One thing that a provider sent: a file of records, one record, or a list of identifiers to delete.

    It waits until the pushes of its feed before it are done, then a run reads it like any other source.
    """

    class Content(models.TextChoices):
        WHOLE = "whole", _("all records")
        CHANGES = "changes", _("changes")
        RECORD = "record", _("one record")
        REMOVAL = "removal", _("identifiers to delete")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        STARTED = "started", _("in progress")
        ENDED = "ended", _("ended")

    feed = models.ForeignKey(Feed, models.CASCADE, related_name="pushes", db_index=False, verbose_name=_("feed"))
    content = models.CharField(_("content"), max_length=8, choices=Content)
    identifier = models.TextField(blank=True)  # of the one record
    name = models.CharField(_("file"), max_length=100, blank=True)  # as it was sent
    file = models.CharField(max_length=200, blank=True)  # shared file; "" once the run has ended
    size = models.PositiveBigIntegerField(_("size"))
    digest = models.BinaryField(max_length=32)  # SHA-256 of the body
    sender = models.CharField(_("sent with"), max_length=100, blank=True)  # name of the token; "" = from its folder
    # The sender's key for this request, or the version of a file in its folder: a repeated one is no second push.
    key = models.CharField(max_length=255, blank=True)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.WAITING)
    harvest = models.OneToOneField(Harvest, models.SET_NULL, null=True, related_name="push")
    report = models.JSONField(default=dict)  # see harvesting.pushes.reports; {} until the run has ended
    received_at = models.DateTimeField(_("received at"), default=timezone.now)

    class Meta:
        verbose_name = _("push")
        verbose_name_plural = _("pushes")
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["feed", "id"], name="push_of_feed"),
            # Pushes that the dispatcher has to look at: few, because only they are in the index.
            models.Index(fields=["state", "feed"], condition=~Q(state="ended"), name="push_unfinished"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["feed", "key"], condition=~Q(key=""), name="push_once"),
        ]

    def __str__(self) -> str:
        return f"{self.feed} ← {self.name or self.identifier or self.pk}"
