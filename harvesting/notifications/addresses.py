"""Addresses for notifications: adding, confirming, stopping, removing, and who may change which.

Changes are written to the audit trail.
"""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from harvesting.accounts.access import repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.mail.texts import CONFIRM, STOP, confirmation_message, read_token, trial_message
from harvesting.models import OutgoingMessage, Recipient
from harvesting.models.notifications import new_secret
from harvesting.registry.credentials import seal

TO_READERS = ("alert",)  # kinds of messages that are nobody else's business


def own_addresses(person: Any) -> QuerySet[Recipient]:
    """The addresses a user may change: the user's own, and the contacts of the providers that the user manages."""
    contacts = Q(person=None, repository__in=repositories_of(person))
    return Recipient.objects.filter(Q(person=person) | contacts).select_related("repository").order_by("pk")


def messages_for(person: Any) -> QuerySet[OutgoingMessage]:
    """The outgoing messages a user may see: for staff all but those to readers, else those to the user's
    `own_addresses`.
    """
    if role_of(person) >= Role.STAFF:
        return OutgoingMessage.objects.exclude(kind__in=TO_READERS)
    return OutgoingMessage.objects.filter(recipient__in=own_addresses(person))


@transaction.atomic
def add(recipient: Recipient) -> str:
    """Store a new address of a person. Return the secret of a webhook, which is shown once; "" for mail.

    A mail address must be confirmed first, unless this person has confirmed the same address before.
    """
    secret = ""
    if recipient.channel == Recipient.Channel.WEBHOOK:
        secret = new_secret()
        recipient.secret, recipient.confirmed = seal(secret), timezone.now()
    elif has_confirmed(recipient):
        recipient.confirmed = timezone.now()
    recipient.save()
    if recipient.confirmed is None:
        confirmation_message(recipient).save()
    note(
        recipient.person,
        "notices.added",
        recipient.repository or recipient.address,
        details={"address": recipient.address},
    )
    return secret


def has_confirmed(recipient: Recipient) -> bool:
    """Whether this person has already confirmed the same mail address in another entry."""
    same = Recipient.objects.filter(
        person=recipient.person, channel=Recipient.Channel.MAIL, address__iexact=recipient.address
    )
    return same.exclude(confirmed=None).exists()


@transaction.atomic
def stop(to: Recipient, person: Any) -> None:
    """Stop notifications to an address and drop those that wait. person: None for the link in a mail."""
    Recipient.objects.filter(pk=to.pk).update(stopped=timezone.now(), stopped_why="reader")
    to.items.filter(letter=None).delete()
    note(person, "notices.stopped", to.repository or to.address, details={"address": to.address})


@transaction.atomic
def start(to: Recipient, person: Any) -> None:
    """Restart notifications to an address that was stopped."""
    Recipient.objects.filter(pk=to.pk).update(stopped=None, stopped_why="", failures=0)
    note(person, "notices.started", to.repository or to.address, details={"address": to.address})


@transaction.atomic
def remove(to: Recipient, person: Any) -> None:
    """Delete an address of a person. A provider's contact address is only stopped, because it is still the contact."""
    if to.person_id is None:
        stop(to, person)
        return
    note(person, "notices.removed", to.repository or to.address, details={"address": to.address})
    to.delete()


def send_trial(to: Recipient) -> None:
    """Queue a test message, once a minute at most.

    An unconfirmed address is asked for confirmation again instead, once an hour at most.
    """
    message = trial_message(to, f"trial-{to.pk}-{int(timezone.now().timestamp()) // 60}")
    if to.confirmed is None:
        message = confirmation_message(to)
        message.key = f"{message.key}-{int(timezone.now().timestamp()) // 3600}"
    if not OutgoingMessage.objects.filter(key=message.key).exists():
        message.save()


def recipient_of(salt: str, token: str) -> Recipient | None:
    """Return the address a link in a mail is about; None if the token is invalid or the address was removed."""
    parts = read_token(salt, token)
    if len(parts) != 2:
        return None
    return Recipient.objects.filter(pk=parts[0], address=parts[1]).select_related("repository", "person").first()


def confirm(token: str) -> Recipient | None:
    """Confirm the address of a link in a mail and return it; None as in `recipient_of`."""
    to = recipient_of(CONFIRM, token)
    if to is not None:
        Recipient.objects.filter(pk=to.pk, confirmed=None).update(confirmed=timezone.now())
    return to


def stop_by_link(token: str) -> Recipient | None:
    """Stop notifications to the address of a link in a mail, without a login. Returns it as `confirm` does."""
    to = recipient_of(STOP, token)
    if to is not None and to.stopped is None:
        stop(to, None)
    return to
