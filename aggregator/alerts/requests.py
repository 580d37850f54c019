"""Alerts are requested, confirmed, stopped and forgotten here. No HTTP.

The answer to a request is the same whether the address is known or not, so nobody learns who has alerts. An alert that
is stopped is deleted at once, with its mails that have not been sent.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from aggregator.alerts.letters import CONFIRM, confirmation
from aggregator.alerts.searches import newest
from aggregator.models import AlertMail, SearchAlert
from core.http.rate_limit import HOUR, Counts, RateLimit
from harvesting.mail import delivery
from harvesting.mail.texts import read_token
from harvesting.models import OutgoingMessage
from harvesting.notifications.composing import last_morning

MOST_OF_ADDRESS = 20  # alerts
MOST_OPEN_OF_ADDRESS = 3  # requests that are not confirmed
MOST_OPEN = 1000  # requests that are not confirmed, of all addresses
MAILS_AN_HOUR = 3  # that ask one address to confirm
KEPT_UNCONFIRMED = timedelta(days=3)
PERIODS = {SearchAlert.How.DAILY: timedelta(days=1), SearchAlert.How.WEEKLY: timedelta(days=7)}


class TooManyRequests(Exception):
    """More requests wait for confirmation than the site keeps."""


def are_offered() -> bool:
    """Whether this site sends alerts: there is a mail server, and the operator has not switched them off."""
    return bool(settings.ALERTS) and delivery.is_set_up()


def request_alert(address: str, search: str, how: str, language: str) -> None:
    """Store an alert and the mail that asks to confirm it; nothing beyond the limits. Raises TooManyRequests.

    The same search again only sends the mail once more; confirming it may change how often mails are sent.
    """
    address = address.strip().lower()
    if SearchAlert.objects.filter(confirmed=None).count() >= MOST_OPEN:
        raise TooManyRequests
    own = SearchAlert.objects.filter(address=address)
    alert = own.filter(search=search).first()
    is_full = own.count() >= MOST_OF_ADDRESS or own.filter(confirmed=None).count() >= MOST_OPEN_OF_ADDRESS
    if (alert is None and is_full) or _mails().take(_hashed(address)).wait:
        return
    with transaction.atomic():
        if alert is None:
            values = {"how": how, "language": language, "due": timezone.now()}
            alert, _is_new = SearchAlert.objects.get_or_create(address=address, search=search, defaults=values)
        post(alert, confirmation(alert, how))


def post(alert: SearchAlert, message: OutgoingMessage, seen: int = 0) -> None:
    """Put a mail of an alert into the outbox. seen: see AlertMail. Runs in a transaction."""
    message.save()
    AlertMail.objects.create(alert=alert, message=message, seen=seen)


def alert_of(salt: str, token: str) -> SearchAlert | None:
    """Return the alert that a link in a mail is about; None if the link is not valid or the alert was deleted."""
    number, nonce, *_rest = [*read_token(salt, token), "", ""][:3]
    if not (number.isascii() and number.isdigit()):
        return None
    return SearchAlert.objects.filter(pk=number, nonce=nonce).first()


def confirm(token: str) -> SearchAlert | None:
    """Confirm the alert of a link, from now on; return it, None as in `alert_of`."""
    alert = alert_of(CONFIRM, token)
    if alert is None:
        return None
    now, how = timezone.now(), SearchAlert.How(read_token(CONFIRM, token)[2])
    if alert.confirmed is None or alert.how != how:
        values = {"how": how, "due": next_due(how, now), "seen": alert.seen or newest()}
        SearchAlert.objects.filter(pk=alert.pk).update(**values, confirmed=alert.confirmed or now)
        alert.refresh_from_db()
    return alert


def next_due(how: str, now: datetime) -> datetime:
    """The next morning, or that of the next Monday."""
    weekly = how == SearchAlert.How.WEEKLY
    return last_morning(now, weekly=weekly) + PERIODS[SearchAlert.How(how)]


@transaction.atomic
def delete(alerts: Iterable[SearchAlert]) -> int:
    """Delete alerts with their mails; return how many alerts."""
    numbers = [alert.pk for alert in alerts]
    OutgoingMessage.objects.filter(pk__in=AlertMail.objects.filter(alert__in=numbers).values("message")).delete()
    return SearchAlert.objects.filter(pk__in=numbers).delete()[1].get(SearchAlert._meta.label, 0)


def delete_address(address: str) -> int:
    """Delete all alerts of an address; return how many."""
    return delete(SearchAlert.objects.filter(address=address.strip().lower()))


def prune(now: datetime) -> int:
    """Delete requests that nobody has confirmed; return how many."""
    return delete(SearchAlert.objects.filter(confirmed=None, created__lt=now - KEPT_UNCONFIRMED))


@cache
def _mails() -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "alert_mails", MAILS_AN_HOUR, HOUR)


def _hashed(address: str) -> str:
    return salted_hmac("aggregator.alerts.requests", address, algorithm="sha256").hexdigest()
