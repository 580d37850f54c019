"""Sends the stored messages of ISO 18626, in order for each request, and reads their confirmations.

Requests go through `harvesting.http.fetch`, so that no internal address can be reached. A message that was sent by a
process that died before it noted this is sent again; the other system recognises it by the number of the request.
"""

import logging
import time
from dataclasses import replace
from datetime import timedelta

from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.messages import Confirmation
from aggregator.loans.iso18626.read import read
from aggregator.models import LoanMessage, LoanTerms
from harvesting.http.fetch import Fetcher
from harvesting.registry.credentials import unseal
from harvesting.registry.transport import fetch_policy
from harvesting.types import TransportError

logger = logging.getLogger(__name__)
State = LoanMessage.State
LEASE = timedelta(minutes=10)
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720, 1440))  # before the next attempt
UNFINISHED = (State.WAITING, State.SENDING)
DEADLINE = 15.0  # seconds for the other system to answer
AT_A_TIME = 20.0  # seconds in one round
MOST = 100  # messages in one round


def has_due() -> bool:
    """Whether a message is due."""
    return _due().exists()


def send_due(seconds: float = AT_A_TIME) -> int:
    """Send the messages that are due until the time is used up; return the number of attempts."""
    end, tried = time.monotonic() + seconds, 0
    for pk in list(_due().order_by("due").values_list("pk", flat=True)[:MOST]):
        if time.monotonic() > end:
            break
        tried += send(pk)
    return tried


def _due() -> QuerySet[LoanMessage]:
    """The messages that are due, unless an earlier message of the same request is unfinished."""
    earlier = LoanMessage.objects.filter(loan=OuterRef("loan"), state__in=UNFINISHED, pk__lt=OuterRef("pk"))
    return LoanMessage.objects.filter(state__in=UNFINISHED, due__lte=timezone.now()).exclude(Exists(earlier))


def send(pk: int) -> bool:
    """Send one message, unless another process has claimed it; return whether an attempt was made."""
    now = timezone.now()
    own = LoanMessage.objects.filter(pk=pk, state__in=UNFINISHED, due__lte=now)
    if not own.update(state=State.SENDING, due=now + LEASE, attempts=F("attempts") + 1):
        return False
    message = LoanMessage.objects.get(pk=pk)
    terms = LoanTerms.objects.filter(library=message.library_id).exclude(iso_address="").first()
    if terms is None:
        _finish(message, State.FAILED, "the library has no address for messages any more")
        return False
    try:
        trouble = _deliver(message, terms)
    except TransportError as error:
        _postpone(message, error.message, error.permanent)
    else:
        _finish(message, State.FAILED if trouble else State.SENT, trouble)
    return True


def _deliver(message: LoanMessage, terms: LoanTerms) -> str:
    """POST the message. Return what the other system says against it, "" if it accepts it. Raises TransportError."""
    headers = {"Content-Type": "application/xml; charset=utf-8"}
    if terms.iso_secret:
        headers["Authorization"] = f"Bearer {unseal(bytes(terms.iso_secret))}"
    with Fetcher(replace(fetch_policy(), deadline=DEADLINE)) as fetcher:
        answer = fetcher.deliver(terms.iso_address, bytes(message.body), headers).checked()
    try:
        confirmation = read(answer.body)
    except MessageError as error:
        return f"no confirmation: {error.message('en')}"
    if not isinstance(confirmation, Confirmation):
        return "the answer is no confirmation"
    return "; ".join(f"{error.type} {error.value}" for error in confirmation.errors)


def _postpone(message: LoanMessage, trouble: str, permanent: bool) -> None:
    logger.warning("message %s was not taken: %s", message.pk, trouble)
    if permanent or message.attempts > len(WAITS):
        _finish(message, State.FAILED, trouble)
        return
    due = timezone.now() + WAITS[message.attempts - 1]
    LoanMessage.objects.filter(pk=message.pk).update(state=State.WAITING, due=due, trouble=trouble[:300])


def _finish(message: LoanMessage, state: LoanMessage.State, trouble: str) -> None:
    sent = timezone.now() if state == State.SENT else None
    LoanMessage.objects.filter(pk=message.pk).update(state=state, trouble=trouble[:300], sent=sent)
