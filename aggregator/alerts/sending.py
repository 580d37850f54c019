"""Writes the mails of alerts that are due, and settles those that the outbox has finished. Mail is sent by the outbox.

A mail is stored with the number of the newest book that was looked at for it. The alert takes this number over once the
mail was delivered, so a mail that was not delivered loses no book.
"""

import logging
from contextlib import suppress
from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from aggregator.alerts.letters import KIND, news
from aggregator.alerts.requests import are_offered, delete, next_due, post
from aggregator.alerts.searches import NewBooks, new_books, stored
from aggregator.catalogue import books as catalogue
from aggregator.models import AlertMail, SearchAlert
from aggregator.query.parameters import BadParameter
from aggregator.search.base import IndexUnavailable, QueryError
from harvesting.models import OutgoingMessage
from harvesting.notifications.outbox import due_now

logger = logging.getLogger(__name__)

MOST_FAILURES = 3  # mails in a row that could not be delivered; then the alert is deleted
AT_A_TIME = 200  # mails that wait for the outbox, so that other mails do not wait long behind them
_FINISHED = (OutgoingMessage.State.SENT, OutgoingMessage.State.FAILED, OutgoingMessage.State.DROPPED)


def has_work() -> bool:
    """Whether an alert is due or a mail is finished."""
    now = timezone.now()
    return _finished().exists() or (are_offered() and _due(now).exists() and _room(now) > 0)


def write_due() -> int:
    """Settle finished mails, then write the mails that are due; return the number of alerts that were looked at.

    While the index is unavailable, the alerts remain due.
    """
    settle()
    now, count = timezone.now(), 0
    alerts = list(_due(now).order_by("due")[: max(_room(now), 0)]) if are_offered() else []
    with suppress(IndexUnavailable):
        for alert in alerts:
            _look(alert, now)
            count += 1
    return count


def settle() -> int:
    """Note in their alerts how mails ended, and delete the mails; return how many.

    A request whose mail could not be delivered is deleted, and so is an alert after MOST_FAILURES.
    """
    messages = list(_finished().values_list("pk", "state"))
    for pk, state in messages:
        with transaction.atomic():
            mail = AlertMail.objects.select_related("alert").filter(message=pk).first()
            OutgoingMessage.objects.filter(pk=pk).delete()
            if mail:
                _note(mail, OutgoingMessage.State(state))
    return len(messages)


def _room(now: datetime) -> int:
    return AT_A_TIME - OutgoingMessage.objects.filter(due_now(now), kind=KIND).count()


def _finished() -> QuerySet[OutgoingMessage]:
    return OutgoingMessage.objects.filter(kind=KIND, state__in=_FINISHED)


def _due(now: datetime) -> QuerySet[SearchAlert]:
    """Return the alerts that are due, without those that have a mail in the outbox."""
    return SearchAlert.objects.filter(confirmed__isnull=False, due__lte=now, mails=None)


def _note(mail: AlertMail, state: OutgoingMessage.State) -> None:
    own = SearchAlert.objects.filter(pk=mail.alert.pk)
    if state == OutgoingMessage.State.SENT:
        own.update(failures=0, seen=max(mail.alert.seen, mail.seen))
    elif state == OutgoingMessage.State.FAILED:
        own.update(failures=F("failures") + 1)
        if mail.alert.confirmed is None or mail.alert.failures + 1 >= MOST_FAILURES:
            delete([mail.alert])


def _look(alert: SearchAlert, now: datetime) -> None:
    """Write a mail if there are new books, and set when to look again."""
    found = _new_books(alert)
    books = catalogue.books(found.numbers)
    values: dict[str, object] = {"due": next_due(alert.how, now)}
    with transaction.atomic():
        own = SearchAlert.objects.select_for_update(of=("self",)).filter(pk=alert.pk, due=alert.due)
        if not own.exists():
            return  # stopped, or looked at by another worker meanwhile
        if books:
            post(alert, news(alert, books.values(), found.more), seen=found.until)
        else:
            values["seen"] = found.until
        SearchAlert.objects.filter(pk=alert.pk).update(**values)


def _new_books(alert: SearchAlert) -> NewBooks:
    try:
        return new_books(stored(alert.search), alert.seen)
    except (BadParameter, QueryError):  # it names something that is gone, or that the search does not accept any more
        logger.warning("alert %s: its search is not possible any more", alert.pk)
        return NewBooks((), more=False, until=alert.seen)
