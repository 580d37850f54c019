"""Who hears of what: an event becomes a line for everybody who wants it, and lines become letters. Sends nothing.

An event is noted once under its key, together with its lines; a letter takes lines up in one transaction. So nothing is
lost when a process dies anywhere here, and nothing is told twice.
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
from harvesting.mail.texts import notice_letter
from harvesting.models import NotificationEvent, NotificationItem, OutgoingMessage, Recipient, Repository
from harvesting.notifications.wording import sentence, subject

NO_FACTS: Mapping[str, object] = {}
MORNING = time(7)  # when digests are made, in the site's time zone
MONDAY = 0
KEPT = timedelta(days=400)  # events and letters


class Weight(IntEnum):
    """How much an event matters; what each wish takes in begins at its weight."""

    ROUTINE = 0
    CHANGE = 1
    IMPORTANT = 2


LEAST = {
    Recipient.When.ALWAYS: Weight.ROUTINE,
    Recipient.When.CHANGE: Weight.CHANGE,
    Recipient.When.ERROR: Weight.IMPORTANT,
}
FOR_STAFF = {"application.asked", "matches.alarms"}  # kinds that a provider's own people are not told


@transaction.atomic
def tell(
    key: str, kind: str, repository: Repository | None, weight: Weight, facts: Mapping[str, object] = NO_FACTS
) -> bool:
    """Note an event, with a line for everybody who wants to hear of it. False if it was noted before."""
    event, is_new = NotificationEvent.objects.get_or_create(
        key=key, defaults={"kind": kind, "repository": repository, "weight": weight, "facts": dict(facts)}
    )
    if is_new:
        NotificationItem.objects.bulk_create(NotificationItem(recipient=each, event=event) for each in wanting(event))
    return is_new


def wanting(event: NotificationEvent) -> list[Recipient]:
    """The confirmed addresses that this event is for. What somebody wishes for one provider goes before the rest."""
    all_of = Recipient.objects.select_related("person").filter(
        Q(repository=event.repository) | Q(repository=None, person__isnull=False)
    )
    special = {(each.person_id, each.channel) for each in all_of if each.repository_id and each.person_id}
    return [
        each
        for each in all_of
        if (each.repository_id or (each.person_id, each.channel) not in special)
        and each.confirmed
        and not each.stopped
        and each.when in LEAST
        and event.weight >= LEAST[Recipient.When(each.when)]
        and may_hear(each, event)
    ]


def may_hear(to: Recipient, event: NotificationEvent) -> bool:
    """Whether a reader may still know of it: her account is open and the provider hers; staff alone some kinds."""
    if to.person is None:
        return event.kind not in FOR_STAFF
    if not to.person.is_active or role_of(to.person) is Role.PUBLIC:
        return False
    if event.kind in FOR_STAFF or event.repository is None:
        return role_of(to.person) >= Role.STAFF
    return repositories_of(to.person).filter(pk=event.repository.pk).exists()


def compose(now: datetime) -> int:
    """Make letters of the lines whose time has come; returns how many."""
    waiting = Recipient.objects.filter(items__letter=None, items__isnull=False).distinct()
    return sum(_compose_for(each, now) for each in waiting.select_related("person"))


def _compose_for(to: Recipient, now: datetime) -> int:
    """At once a letter for each line; else one for all lines from before the last morning."""
    lines = to.items.filter(letter=None).select_related("event__repository").order_by("event_id")
    if to.how == Recipient.How.AT_ONCE or to.channel == Recipient.Channel.WEBHOOK:
        return sum(_bind(to, [line], f"notice-{to.pk}-{line.event_id}") for line in lines)
    morning = last_morning(now, weekly=to.how == Recipient.How.WEEKLY)
    ready = [line for line in lines if line.event.at < morning]
    return _bind(to, ready, f"digest-{to.pk}-{morning:%Y%m%d}-{ready[0].event_id}") if ready else 0


@transaction.atomic
def _bind(to: Recipient, lines: list[NotificationItem], key: str) -> int:
    """One letter with these lines; those that the reader may not hear of any more are dropped."""
    told = [line for line in lines if may_hear(to, line.event)]
    gone = [line.pk for line in lines if line not in told]
    NotificationItem.objects.filter(pk__in=gone).delete()
    if not told:
        return 0
    made = call(to, told[0].event, key) if to.channel == Recipient.Channel.WEBHOOK else mail(to, told, key)
    made.save()
    return NotificationItem.objects.filter(pk__in=[line.pk for line in told], letter=None).update(letter=made)


def mail(to: Recipient, lines: Iterable[NotificationItem], key: str) -> OutgoingMessage:
    """The lines as a mail in the reader's language."""
    events = [line.event for line in lines]
    with translation.override(to.language):
        return notice_letter(to, key, subject(events), [sentence(each) for each in events], _only(events))


def call(to: Recipient, event: NotificationEvent, key: str) -> OutgoingMessage:
    """The event as a signed call: JSON with the facts, and the sentence for people."""
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
    """The last moment at which digests were due: MORNING, of a Monday for weekly ones."""
    local = timezone.localtime(now)
    morning = local.replace(hour=MORNING.hour, minute=MORNING.minute, second=0, microsecond=0)
    if morning > local:
        morning -= timedelta(days=1)
    return morning - timedelta(days=(morning.weekday() - MONDAY) % 7) if weekly else morning


def forget(now: datetime) -> int:
    """Drop events and letters that are older than they are kept; returns how many rows."""
    events, _kinds = NotificationEvent.objects.filter(at__lt=now - KEPT).delete()
    letters, _kinds = OutgoingMessage.objects.filter(created__lt=now - KEPT).delete()
    return events + letters


def _only(events: list[NotificationEvent]) -> Repository | None:
    """The provider that all of them are about, None if there are several."""
    found = {each.repository_id: each.repository for each in events}
    return next(iter(found.values())) if len(found) == 1 else None
