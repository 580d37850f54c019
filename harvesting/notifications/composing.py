"""Composes notifications: an event gets an item for each recipient, and items become messages. Sends nothing.

An event is stored once under its key, together with its items; a message takes its items in one transaction. Therefore
no event is lost or reported twice, even if a process dies in between.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, time, timedelta
from enum import IntEnum

from django.db import transaction
from django.db.models import Q
from django.utils import timezone, translation

from harvesting.accounts.access import repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.mail.texts import notification_message
from harvesting.models import NotificationEvent, NotificationItem, OutgoingMessage, Recipient, Repository
from harvesting.notifications.wording import sentence, subject

NO_FACTS: Mapping[str, object] = {}
MORNING = time(7)  # when digests are made, in the site's time zone
MONDAY = 0
KEPT = timedelta(days=400)  # events and messages


class Weight(IntEnum):
    """How much an event matters. A recipient chooses from which weight on to be notified."""

    ROUTINE = 0
    CHANGE = 1
    IMPORTANT = 2


LEAST_WEIGHT = {
    Recipient.When.ALWAYS: Weight.ROUTINE,
    Recipient.When.CHANGE: Weight.CHANGE,
    Recipient.When.ERROR: Weight.IMPORTANT,
}
FOR_STAFF = {"application.asked", "matches.alarms"}  # kinds of events that only staff are notified of


@transaction.atomic
def notify(
    key: str, kind: str, repository: Repository | None, weight: Weight, facts: Mapping[str, object] = NO_FACTS
) -> bool:
    """Store an event with an item for each of its recipients. Return False if its key is stored already."""
    event, is_new = NotificationEvent.objects.get_or_create(
        key=key, defaults={"kind": kind, "repository": repository, "weight": weight, "facts": dict(facts)}
    )
    if is_new:
        NotificationItem.objects.bulk_create(
            NotificationItem(recipient=recipient, event=event) for recipient in recipients_of(event)
        )
    return is_new


def recipients_of(event: NotificationEvent) -> list[Recipient]:
    """The confirmed addresses that receive this event.

    A person's setting for one provider takes precedence over the person's setting for all providers.
    """
    candidates = Recipient.objects.select_related("person").filter(
        Q(repository=event.repository) | Q(repository=None, person__isnull=False)
    )
    special = {(to.person_id, to.channel) for to in candidates if to.repository_id and to.person_id}
    return [
        to
        for to in candidates
        if (to.repository_id or (to.person_id, to.channel) not in special)
        and to.confirmed
        and not to.stopped
        and to.when in LEAST_WEIGHT
        and event.weight >= LEAST_WEIGHT[Recipient.When(to.when)]
        and may_receive(to, event)
    ]


def may_receive(to: Recipient, event: NotificationEvent) -> bool:
    """Whether a recipient may (still) be notified of an event.

    The account must be open and the provider one that the person may act for; some kinds are for staff only.
    """
    if to.person is None:
        return event.kind not in FOR_STAFF
    if not to.person.is_active or role_of(to.person) is Role.PUBLIC:
        return False
    if event.kind in FOR_STAFF or event.repository is None:
        return role_of(to.person) >= Role.STAFF
    return repositories_of(to.person).filter(pk=event.repository.pk).exists()


def compose(now: datetime) -> int:
    """Make messages of the items that are due at this time; return the number of items put into messages."""
    waiting = Recipient.objects.filter(items__letter=None, items__isnull=False).distinct()
    return sum(_compose_for(to, now) for to in waiting.select_related("person"))


def _compose_for(to: Recipient, now: datetime) -> int:
    """Make a message for each item, or a digest of all items from before the last morning; return how many items."""
    items = to.items.filter(letter=None).select_related("event__repository").order_by("event_id")
    if to.how == Recipient.How.AT_ONCE or to.channel == Recipient.Channel.WEBHOOK:
        return sum(_store_message(to, [item], f"notice-{to.pk}-{item.event_id}") for item in items)
    morning = last_morning(now, weekly=to.how == Recipient.How.WEEKLY)
    ready = [item for item in items if item.event.at < morning]
    return _store_message(to, ready, f"digest-{to.pk}-{morning:%Y%m%d}-{ready[0].event_id}") if ready else 0


@transaction.atomic
def _store_message(to: Recipient, items: list[NotificationItem], key: str) -> int:
    """Store one message with these items and return their number.

    Items that the recipient may not receive any more are deleted.
    """
    permitted = [item for item in items if may_receive(to, item.event)]
    refused = [item.pk for item in items if item not in permitted]
    NotificationItem.objects.filter(pk__in=refused).delete()
    if not permitted:
        return 0
    if to.channel == Recipient.Channel.WEBHOOK:
        message = webhook_message(to, permitted[0].event, key)
    else:
        message = mail_message(to, permitted, key)
    message.save()
    return NotificationItem.objects.filter(pk__in=[item.pk for item in permitted], letter=None).update(letter=message)


def mail_message(to: Recipient, items: Iterable[NotificationItem], key: str) -> OutgoingMessage:
    """The items as a mail in the recipient's language, unsaved."""
    events = [item.event for item in items]
    with translation.override(to.language):
        sentences = [sentence(event) for event in events]
        return notification_message(to, key, subject(events), sentences, _common_repository(events))


def webhook_message(to: Recipient, event: NotificationEvent, key: str) -> OutgoingMessage:
    """The event as a webhook call, unsaved: JSON with the facts, and the sentence for people."""
    with translation.override(to.language):
        text = sentence(event)
    body = {
        "delivery": key,
        "event": event.kind,
        "at": event.at.isoformat(),
        "repository": event.repository.number if event.repository else "",
        "facts": event.facts,
        "text": text,
    }
    return OutgoingMessage(key=key, kind="notice", recipient=to, repository=event.repository, channel=to.channel,
                  address=to.address, subject=event.kind, text=json.dumps(body, ensure_ascii=False))  # fmt: skip


def last_morning(now: datetime, *, weekly: bool) -> datetime:
    """The last time at which digests were due: MORNING of today or yesterday; for weekly ones, of a Monday."""
    local = timezone.localtime(now)
    morning = local.replace(hour=MORNING.hour, minute=MORNING.minute, second=0, microsecond=0)
    if morning > local:
        morning -= timedelta(days=1)
    return morning - timedelta(days=(morning.weekday() - MONDAY) % 7) if weekly else morning


def forget(now: datetime) -> int:
    """Delete the events and messages older than KEPT; return the number of rows."""
    events, _kinds = NotificationEvent.objects.filter(at__lt=now - KEPT).delete()
    messages, _kinds = OutgoingMessage.objects.filter(created__lt=now - KEPT).delete()
    return events + messages


def _common_repository(events: list[NotificationEvent]) -> Repository | None:
    """The repository that all events are about; None if there are several or none."""
    repositories = {event.repository_id: event.repository for event in events}
    return next(iter(repositories.values())) if len(repositories) == 1 else None
