"""Addresses of notices: added, asked, confirmed, changed, stopped. Decides who may; every change is noted."""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from harvesting.accounts.access import repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.mail.texts import CONFIRM, STOP, confirm_letter, opened, trial_letter
from harvesting.models import OutgoingMessage, Recipient
from harvesting.models.notifications import new_secret
from harvesting.registry.credentials import seal


def own_addresses(person: Any) -> QuerySet[Recipient]:
    """What a person may change: her own addresses, and the contacts of the providers that she looks after."""
    contacts = Q(person=None, repository__in=repositories_of(person))
    return Recipient.objects.filter(Q(person=person) | contacts).select_related("repository").order_by("pk")


def letters_for(person: Any) -> QuerySet[OutgoingMessage]:
    """What a person may see of the letters: staff all, others those to the addresses that are hers."""
    if role_of(person) >= Role.STAFF:
        return OutgoingMessage.objects.all()
    return OutgoingMessage.objects.filter(recipient__in=own_addresses(person))


@transaction.atomic
def add(made: Recipient) -> str:
    """Store a new address of a person. Returns the secret of a webhook, which is shown once; "" for mail.

    A mail address is asked first, unless this person has confirmed it before.
    """
    secret = ""
    if made.channel == Recipient.Channel.WEBHOOK:
        secret = new_secret()
        made.secret, made.confirmed = seal(secret), timezone.now()
    elif is_proven(made):
        made.confirmed = timezone.now()
    made.save()
    if made.confirmed is None:
        confirm_letter(made).save()
    note(made.person, "notices.added", made.repository or made.address, details={"address": made.address})
    return secret


def is_proven(made: Recipient) -> bool:
    """Whether this person has confirmed the address for something else."""
    same = Recipient.objects.filter(person=made.person, channel=Recipient.Channel.MAIL, address__iexact=made.address)
    return same.exclude(confirmed=None).exists()


@transaction.atomic
def stop(to: Recipient, person: Any) -> None:
    """No more goes there; what waits is dropped."""
    Recipient.objects.filter(pk=to.pk).update(stopped=timezone.now(), stopped_why="reader")
    to.items.filter(letter=None).delete()
    note(person, "notices.stopped", to.repository or to.address, details={"address": to.address})


@transaction.atomic
def start(to: Recipient, person: Any) -> None:
    """After a stop: notices come again from now on."""
    Recipient.objects.filter(pk=to.pk).update(stopped=None, stopped_why="", failures=0)
    note(person, "notices.started", to.repository or to.address, details={"address": to.address})


@transaction.atomic
def take_out(to: Recipient, person: Any) -> None:
    """Forget an address of a person; that of a provider's contact is only stopped, as long as it is the contact."""
    if to.person_id is None:
        stop(to, person)
        return
    note(person, "notices.removed", to.repository or to.address, details={"address": to.address})
    to.delete()


def try_out(to: Recipient) -> None:
    """Send a trial; an address that has not answered yet is asked again instead. Once a minute at most."""
    made = trial_letter(to, f"trial-{to.pk}-{int(timezone.now().timestamp()) // 60}")
    if to.confirmed is None:
        made = confirm_letter(to)
        made.key = f"{made.key}-{int(timezone.now().timestamp()) // 3600}"
    if not OutgoingMessage.objects.filter(key=made.key).exists():
        made.save()


def addressed(salt: str, token: str) -> Recipient | None:
    """The address that a link in a mail is about, None if it is not ours or the address was taken out."""
    parts = opened(salt, token)
    if len(parts) != 2:
        return None
    return Recipient.objects.filter(pk=parts[0], address=parts[1]).select_related("repository", "person").first()


def confirm(token: str) -> Recipient | None:
    """The reader says that the address is right."""
    to = addressed(CONFIRM, token)
    if to is not None:
        Recipient.objects.filter(pk=to.pk, confirmed=None).update(confirmed=timezone.now())
    return to


def stop_by_link(token: str) -> Recipient | None:
    """The reader wants no more, and need not log in for it."""
    to = addressed(STOP, token)
    if to is not None and to.stopped is None:
        stop(to, None)
    return to
