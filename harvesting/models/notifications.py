"""Tables of notices: what happened, who wants to hear of it how, and the letters that go out. No decisions."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository
from harvesting.models.sealed import SealedField


class NotificationEvent(models.Model):
    """Something that somebody may want to hear of. Its key makes it happen once, however often it is looked for."""

    key = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=40)  # key of harvesting.notifications.composing.KINDS
    repository = models.ForeignKey(Repository, models.CASCADE, null=True, related_name="+")  # None: the whole site
    facts = models.JSONField(default=dict)  # what its sentences name
    weight = models.PositiveSmallIntegerField()  # see harvesting.notifications.composing.Weight
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "harvesting_noticeevent"
        indexes = [models.Index(fields=["at"], name="notice_event_at")]  # to forget the old

    def __str__(self) -> str:
        return self.key


class Recipient(models.Model):
    """How somebody wants to hear: of one provider or of all of hers, when, how often, by mail or by webhook."""

    class Channel(models.TextChoices):
        MAIL = "mail", _("e-mail")
        WEBHOOK = "webhook", _("webhook")

    class When(models.TextChoices):
        ALWAYS = "always", _("after every harvest")
        CHANGE = "change", _("when something changed, or is wrong")
        ERROR = "error", _("only when something is wrong")
        NEVER = "never", _("never")

    class How(models.TextChoices):
        AT_ONCE = "at_once", _("at once")
        DAILY = "daily", _("once a day, together")
        WEEKLY = "weekly", _("once a week, together")

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="notices")
    repository = models.ForeignKey(Repository, models.CASCADE, null=True, blank=True, verbose_name=_("provider"))
    channel = models.CharField(_("by"), max_length=8, choices=Channel, default=Channel.MAIL)
    address = models.CharField(_("address"), max_length=500)
    secret = SealedField()  # of a webhook
    when = models.CharField(_("when"), max_length=8, choices=When, default=When.ERROR)
    how = models.CharField(_("how often"), max_length=8, choices=How, default=How.AT_ONCE)
    language = models.CharField(_("language"), max_length=5, default=settings.LANGUAGE_CODE)
    confirmed = models.DateTimeField(null=True)  # until then only the question goes there
    failures = models.PositiveSmallIntegerField(default=0)  # letters in a row that were given up
    stopped = models.DateTimeField(null=True)  # by the reader or after too many failures
    stopped_why = models.CharField(max_length=20, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [  # three, because nothing equals nothing in a database
            models.UniqueConstraint(fields=["person", "repository", "channel", "address"], name="recipient_once"),
            models.UniqueConstraint(
                fields=["person", "channel", "address"], condition=Q(repository=None), name="recipient_of_all_once"
            ),
            models.UniqueConstraint(
                fields=["repository", "channel", "address"], condition=Q(person=None), name="contact_once"
            ),
        ]

    def __str__(self) -> str:
        return self.address


class OutgoingMessage(models.Model):
    """One mail or call that goes out: a row before it is sent, and what became of it."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waits")
        SENDING = "sending", _("is being sent")
        SENT = "sent", _("sent")
        FAILED = "failed", _("given up")
        DROPPED = "dropped", _("not sent any more")

    key = models.CharField(max_length=200, unique=True)  # also its Message-ID: a second copy is known as one
    kind = models.CharField(max_length=40)  # key of harvesting.mail.texts.KINDS
    recipient = models.ForeignKey(Recipient, models.SET_NULL, null=True, related_name="letters")
    repository = models.ForeignKey(Repository, models.SET_NULL, null=True, related_name="+")
    channel = models.CharField(max_length=8, choices=Recipient.Channel, default=Recipient.Channel.MAIL)
    address = models.CharField(max_length=500)
    subject = models.CharField(max_length=300, blank=True)
    text = models.TextField()  # of a mail; JSON of a call
    secret = models.BooleanField(default=False)  # it holds a link that opens something: not shown, gone when sent
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    due = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    trouble = models.CharField(max_length=300, blank=True)  # what the other side said last
    created = models.DateTimeField(auto_now_add=True)
    sent = models.DateTimeField(null=True)

    class Meta:
        db_table = "harvesting_letter"
        ordering = ["-pk"]
        indexes = [
            # What is due, asked for every few seconds: small, because only what waits is in it.
            models.Index(fields=["due"], condition=Q(state__in=["waiting", "sending"]), name="letter_due"),
            # The lists of letters, newest first: those of a person, of a provider, in a state.
            models.Index(fields=["recipient", "-id"], name="letter_of_recipient"),
            models.Index(fields=["repository", "-id"], name="letter_of_repository"),
            models.Index(fields=["state", "-id"], name="letter_state"),
        ]

    def __str__(self) -> str:
        return self.key


class NotificationItem(models.Model):
    """That a recipient is to hear of an event, and the letter that tells it; without one it waits for the next."""

    recipient = models.ForeignKey(Recipient, models.CASCADE, related_name="items")
    event = models.ForeignKey(NotificationEvent, models.CASCADE, related_name="items")
    letter = models.ForeignKey(OutgoingMessage, models.SET_NULL, null=True, related_name="items")

    class Meta:
        db_table = "harvesting_noticeitem"
        constraints = [models.UniqueConstraint(fields=["recipient", "event"], name="told_once")]
        indexes = [
            # What is to be told in the next letter: few at any time.
            models.Index(fields=["recipient"], condition=Q(letter=None), name="notice_item_waiting"),
        ]


class NotificationMark(models.Model):
    """Up to which row a table has been looked through for events."""

    table = models.CharField(max_length=40, primary_key=True)
    row = models.PositiveBigIntegerField(default=0)

    class Meta:
        db_table = "harvesting_noticemark"


def new_secret() -> str:
    """For the signatures of a webhook."""
    return secrets.token_urlsafe(32)
