"""Readers' alerts: a search whose new books are mailed to an address, without an account."""

import secrets

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


def new_nonce() -> str:
    """A random value in the links of one alert, so that they never fit a later one with the same key."""
    return secrets.token_urlsafe(12)


class SearchAlert(models.Model):
    """An address that is told of new books of a search. A row is deleted as soon as it is not needed; nothing is
    flagged.

    search: its query string. seen: the number of the newest book of the catalogue that was looked at; numbers of books
    are given in the order in which they appear and never again. due: when to look next. confirmed None: only the
    request to confirm is sent.
    """

    class How(models.TextChoices):
        DAILY = "daily", _("once a day")
        WEEKLY = "weekly", _("once a week")

    address = models.EmailField(_("e-mail address"))
    search = models.TextField()
    how = models.CharField(_("how often"), max_length=6, choices=How, default=How.WEEKLY)
    language = models.CharField(max_length=16)
    nonce = models.CharField(max_length=16, default=new_nonce)
    seen = models.PositiveBigIntegerField(default=0)
    due = models.DateTimeField()
    failures = models.PositiveSmallIntegerField(default=0)  # mails in a row that could not be delivered
    confirmed = models.DateTimeField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            # alerts to look at now, every few seconds
            models.Index(fields=["due"], condition=Q(confirmed__isnull=False), name="search_alert_due"),
            # requests that nobody confirmed, to delete them
            models.Index(fields=["created"], condition=Q(confirmed=None), name="search_alert_unconfirmed"),
        ]
        # also the index for the alerts of an address, which are limited
        constraints = [models.UniqueConstraint(fields=["address", "search"], name="search_alert_once")]

    def __str__(self) -> str:
        return f"alert {self.pk}"


class AlertMail(models.Model):
    """A mail of an alert in the outbox, until its result is known.

    seen: what the alert has seen once this mail is delivered; 0 for a mail that asks to confirm the alert.
    """

    alert = models.ForeignKey(SearchAlert, models.CASCADE, related_name="mails")
    message = models.OneToOneField("harvesting.OutgoingMessage", models.CASCADE, related_name="+")
    seen = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"mail {self.message_id} of alert {self.alert_id}"
