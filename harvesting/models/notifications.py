"""Tables of notifications: events, recipients, and outgoing messages."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository
from harvesting.models.sealed import SealedField


class NotificationEvent(models.Model):
    """An event of which people may want to be notified. Its unique key prevents duplicates, however often the program
    looks for events.
    """

    key = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=40)  # key of harvesting.notifications.wording.KINDS
    repository = models.ForeignKey(Repository, models.CASCADE, null=True, related_name="+")  # None: the whole site
    facts = models.JSONField(default=dict)  # placeholder values of its messages
    weight = models.PositiveSmallIntegerField()  # see harvesting.notifications.composing.Weight
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "harvesting_noticeevent"
        indexes = [models.Index(fields=["at"], name="notice_event_at")]  # to delete old events

    def __str__(self) -> str:
        return self.key


class Recipient(models.Model):
    """How a person or a provider's contact is notified: of which providers, when, how often, by mail or by webhook.

    repository None: of all providers that the person looks after. person None: the contact of the repository.
    """

    class Channel(models.TextChoices):
        MAIL = "mail", _("e-mail")
        WEBHOOK = "webhook", _("webhook")

    class When(models.TextChoices):
        ALWAYS = "always", _("after every harvest")
        CHANGE = "change", _("when there are changes or problems")
        ERROR = "error", _("only when there are problems")
        NEVER = "never", _("never")

    class How(models.TextChoices):
        AT_ONCE = "at_once", _("immediately")
        DAILY = "daily", _("once a day, in one message")
        WEEKLY = "weekly", _("once a week, in one message")

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="notices")
    repository = models.ForeignKey(Repository, models.CASCADE, null=True, blank=True, verbose_name=_("provider"))
    channel = models.CharField(_("channel"), max_length=8, choices=Channel, default=Channel.MAIL)
    address = models.CharField(_("address"), max_length=500)
    secret = SealedField()  # of a webhook
    when = models.CharField(_("timing"), max_length=8, choices=When, default=When.ERROR)
    how = models.CharField(_("how often"), max_length=8, choices=How, default=How.AT_ONCE)
    language = models.CharField(_("language"), max_length=16, default=settings.LANGUAGE_CODE)
    confirmed = models.DateTimeField(null=True)  # None: only the request to confirm is sent
    failures = models.PositiveSmallIntegerField(default=0)  # messages in a row that could not be delivered
    stopped = models.DateTimeField(null=True)  # by the recipient or after too many failures
    stopped_why = models.CharField(max_length=20, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [  # three, because NULL never equals NULL in a unique constraint
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
    """An e-mail or webhook call of the outbox: stored before it is sent, and updated with the result."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be sent")
        SENDING = "sending", _("being sent")
        SENT = "sent", _("sent")
        FAILED = "failed", _("could not be sent")
        DROPPED = "dropped", _("not sent, no longer wanted")

    key = models.CharField(max_length=200, unique=True)  # also the Message-ID, so that duplicates can be recognised
    kind = models.CharField(max_length=40)  # key of harvesting.mail.texts.KINDS
    recipient = models.ForeignKey(Recipient, models.SET_NULL, null=True, related_name="letters")
    repository = models.ForeignKey(Repository, models.SET_NULL, null=True, related_name="+")
    channel = models.CharField(max_length=8, choices=Recipient.Channel, default=Recipient.Channel.MAIL)
    address = models.CharField(max_length=500)
    subject = models.CharField(max_length=300, blank=True)
    text = models.TextField()  # of an e-mail; of a webhook call, its JSON
    unsubscribe = models.CharField(max_length=500, blank=True, default="", db_default="")  # URL for List-Unsubscribe
    secret = models.BooleanField(default=False)  # the text has a link that grants access: not shown, deleted when sent
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    due = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    trouble = models.CharField(max_length=300, blank=True)  # the last error message of the receiving server
    created = models.DateTimeField(auto_now_add=True)
    sent = models.DateTimeField(null=True)

    class Meta:
        db_table = "harvesting_letter"
        ordering = ["-pk"]
        indexes = [
            # Due messages, looked for every few seconds; small, because only unsent messages are in it.
            models.Index(fields=["due"], condition=Q(state__in=["waiting", "sending"]), name="letter_due"),
            # The lists of messages, newest first: to a recipient, about a provider, in a state.
            models.Index(fields=["recipient", "-id"], name="letter_of_recipient"),
            models.Index(fields=["repository", "-id"], name="letter_of_repository"),
            models.Index(fields=["state", "-id"], name="letter_state"),
        ]

    def __str__(self) -> str:
        return self.key


class NotificationItem(models.Model):
    """An event for a recipient. letter: the message that contains it, None while it waits for the next message."""

    recipient = models.ForeignKey(Recipient, models.CASCADE, related_name="items")
    event = models.ForeignKey(NotificationEvent, models.CASCADE, related_name="items")
    letter = models.ForeignKey(OutgoingMessage, models.SET_NULL, null=True, related_name="items")

    class Meta:
        db_table = "harvesting_noticeitem"
        constraints = [models.UniqueConstraint(fields=["recipient", "event"], name="told_once")]
        indexes = [
            # Events that wait for the next message; only they are in the index, few at any time.
            models.Index(fields=["recipient"], condition=Q(letter=None), name="notice_item_waiting"),
        ]


class NotificationMark(models.Model):
    """The id up to which the rows of a table have been searched: for events, or for what is no longer kept."""

    table = models.CharField(max_length=40, primary_key=True)
    row = models.PositiveBigIntegerField(default=0)

    class Meta:
        db_table = "harvesting_noticemark"


def new_secret() -> str:
    """A random secret for signing the calls of a webhook."""
    return secrets.token_urlsafe(32)
