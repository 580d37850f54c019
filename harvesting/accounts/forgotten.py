"""Forgotten passwords: a request is a row, whether an account has the address or not; letters are written later.

So the answer and the time it takes are the same for all addresses. The token is made when the letter is written, and is
stored nowhere but in the text of the letter.
"""

import unicodedata
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from harvesting.mail import texts
from harvesting.models import OutgoingMessage, PasswordRequest

PAUSE = timedelta(minutes=10)  # between two letters to an address
KEPT = timedelta(days=1)
MOST = 200  # requests that are answered in one round
_OPEN = (OutgoingMessage.State.WAITING, OutgoingMessage.State.SENDING)


def request_letter(address: str, language: str) -> None:
    """Store that a new password was requested for an address. Ignored within PAUSE of the previous request."""
    now, key = timezone.now(), key_of(address)
    values = {"address": address[:254], "language": language, "asked": now}
    is_over = Q(asked__lt=now - PAUSE) | Q(asked__gt=now + PAUSE)  # the latter was stored by a clock that was fast
    if not PasswordRequest.objects.filter(is_over, key=key).update(**values):
        PasswordRequest.objects.bulk_create([PasswordRequest(key=key, **values)], ignore_conflicts=True)


def key_of(address: str) -> str:
    """A keyed hash, equal for all spellings of an address that Django takes for the same account."""
    return salted_hmac("harvesting.accounts.forgotten", spelling_of(address), algorithm="sha256").hexdigest()


def spelling_of(address: str) -> str:
    """One spelling for all of an address that Django takes for the same account. Databases also take others for the
    same: UPPER of PostgreSQL makes I of the Turkish ı, which somebody else may have in a real address.
    """
    return unicodedata.normalize("NFKC", address).casefold()


def open_requests() -> QuerySet[PasswordRequest]:
    return PasswordRequest.objects.exclude(address="")


def write_letters() -> int:
    """Write the letters for all open requests; return how many."""
    return sum(_answer(request) for request in list(open_requests().order_by("asked")[:MOST]))


def lifetime() -> timedelta:
    """How long the link in a letter is valid."""
    return timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


def prune(now: datetime) -> int:
    """Delete requests that no longer delay another one. Return how many."""
    return PasswordRequest.objects.filter(asked__lt=now - KEPT).delete()[0]


@transaction.atomic
def _answer(request: PasswordRequest) -> int:
    """Replace earlier letters that wait to be sent, so that every account has one open letter at most."""
    if not open_requests().filter(key=request.key).update(address=""):
        return 0  # another process has answered it
    people = list(accounts_of(request.address))
    earlier = OutgoingMessage.objects.filter(kind="password", address__in=[person.email for person in people])
    earlier.filter(state__in=_OPEN).update(state=OutgoingMessage.State.DROPPED, text="")
    for person in people:
        _letter(person, request.language).save()
    return len(people)


def accounts_of(address: str) -> list[User]:
    """The active accounts with a password and this e-mail address. Compared as Django does, against look-alikes."""
    return [user for user in PasswordResetForm().get_users(address) if isinstance(user, get_user_model())]


def _letter(person: User, language: str) -> OutgoingMessage:
    number, token = urlsafe_base64_encode(force_bytes(person.pk)), default_token_generator.make_token(person)
    return texts.password_message(person, person.email, texts.page_url("password_new", number, token), language)
