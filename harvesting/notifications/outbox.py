"""The outbox: messages are stored before they are sent, and delivered at least once.

A worker that dies between delivering a message and recording it leaves the state "being sent". After LEASE the message
is sent again with the same Message-ID or X-Aggregator-Delivery, by which the receiver can recognise the duplicate.
"""

import hmac
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from core.redaction import HIDDEN
from harvesting.accounts import forgotten
from harvesting.http.fetch import Fetcher
from harvesting.mail import delivery
from harvesting.models import OutgoingMessage, Recipient
from harvesting.registry.credentials import unseal
from harvesting.registry.transport import fetch_policy
from harvesting.types import TransportError

logger = logging.getLogger(__name__)

State = OutgoingMessage.State
LEASE = timedelta(minutes=10)
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720, 1440))  # before the next attempt
MOST_FAILURES = 5  # messages in a row that were given up; then the address is stopped
AT_A_TIME = 20.0  # seconds that the dispatcher spends on messages in one round
MOST = 200  # messages in one round
DEADLINE = 10.0  # seconds for a webhook to answer
NO_HEADERS: Mapping[str, str] = {}


def send_due(seconds: float = AT_A_TIME) -> int:
    """Send messages that are due until the time is used up; return the number of attempts. The rest waits for later.

    Messages about forgotten passwords are written just before, because their links expire soon.
    """
    forgotten.write_letters()
    end, tried = time.monotonic() + seconds, 0
    due = OutgoingMessage.objects.filter(due_now(timezone.now())).order_by("due").values_list("pk", flat=True)[:MOST]
    for pk in list(due):
        if time.monotonic() > end:
            break
        tried += send(pk)
    return tried


def due_now(now: datetime) -> Q:
    """The messages that may be sent: those that are due, and those whose worker has not finished within LEASE."""
    return Q(state__in=[State.WAITING, State.SENDING], due__lte=now)


def send(pk: int) -> bool:
    """Send one message, unless another worker has claimed it; return whether an attempt was made."""
    now = timezone.now()
    claimed = OutgoingMessage.objects.filter(due_now(now), pk=pk).update(
        state=State.SENDING, due=now + LEASE, attempts=F("attempts") + 1
    )
    if not claimed:
        return False
    message = OutgoingMessage.objects.select_related("recipient__person").filter(pk=pk).first()
    if message is None:  # deleted meanwhile, with the alert that it belongs to
        return False
    if not is_wanted(message):
        _finish(message, State.DROPPED)
        return False
    try:
        _deliver(message)
    except TransportError as error:
        _postpone(message, error.message, error.permanent)
    except OSError as error:  # also the refusals of a mail server
        _postpone(message, str(error), permanent=False)
    else:
        _finish(message, State.SENT)
    return True


def is_wanted(message: OutgoingMessage) -> bool:
    """Whether a message is still to be sent: not if its address was stopped since, the person's account closed, or the
    link to set a new password has expired.
    """
    to = message.recipient
    if message.kind == "password" and message.created < timezone.now() - forgotten.lifetime():
        return False
    if to is None:
        return message.channel == Recipient.Channel.MAIL
    if message.kind == "confirm":
        return True
    return to.stopped is None and (to.person is None or to.person.is_active)


def retry(message: OutgoingMessage) -> bool:
    """Queue a message again that was given up; False if it was not given up, or contains a secret link."""
    given_up = OutgoingMessage.objects.filter(pk=message.pk, state=State.FAILED, secret=False)
    return given_up.update(state=State.WAITING, due=timezone.now(), attempts=0) == 1


def _deliver(message: OutgoingMessage) -> None:
    if message.channel == Recipient.Channel.WEBHOOK:
        _call_webhook(message)
    else:
        host = settings.PUBLIC_URL.rpartition("://")[2].partition("/")[0].partition(":")[0]
        headers = {"Message-ID": f"<{message.key}@{host}>", "Auto-Submitted": "auto-generated"}
        if message.unsubscribe:  # with one click, RFC 8058
            headers["List-Unsubscribe"] = f"<{message.unsubscribe}>"
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        delivery.send(message.address, message.subject, message.text, headers)


def _call_webhook(message: OutgoingMessage) -> None:
    """POST the JSON, signed together with the current time, so that an old call cannot be replayed."""
    body, moment = message.text.encode(), str(int(timezone.now().timestamp()))
    key = unseal(bytes(message.recipient.secret)) if message.recipient else ""
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "X-Aggregator-Delivery": message.key,
        "X-Aggregator-Timestamp": moment,
        "X-Aggregator-Signature": f"sha256={signature(key, moment, body)}",
    }
    with Fetcher(replace(fetch_policy(), deadline=DEADLINE)) as fetcher:
        fetcher.deliver(message.address, body, headers).checked()


def signature(key: str, moment: str, body: bytes) -> str:
    """Return the HMAC-SHA256, in hexadecimal, of the time (seconds since 1970), a full stop and the body."""
    return hmac.new(key.encode(), f"{moment}.".encode() + body, "sha256").hexdigest()


def _postpone(message: OutgoingMessage, trouble: str, permanent: bool) -> None:
    """Schedule the next attempt, or give up after a permanent failure or the last attempt."""
    trouble = trouble.replace(message.address, HIDDEN)  # servers repeat the address, which must not be in logs
    logger.warning("letter %s was not taken: %s", message.pk, trouble)
    message.trouble = trouble[:300]
    if permanent or message.attempts > len(WAITS):
        _finish(message, State.FAILED)
        return
    due = timezone.now() + WAITS[message.attempts - 1]
    OutgoingMessage.objects.filter(pk=message.pk).update(state=State.WAITING, due=due, trouble=message.trouble)


def _finish(message: OutgoingMessage, state: State) -> None:
    """Store the final state of a message. The text of a message with a secret link is deleted.

    An address that fails MOST_FAILURES times in a row is stopped.
    """
    now = timezone.now()
    values: dict[str, object] = {"state": state, "trouble": "" if state == State.SENT else message.trouble}
    if state == State.SENT:
        values["sent"] = now
    if message.secret:
        values["text"] = ""
    OutgoingMessage.objects.filter(pk=message.pk).update(**values)
    if message.recipient is None or message.kind == "confirm":
        return
    own = Recipient.objects.filter(pk=message.recipient.pk)
    if state == State.SENT:
        own.exclude(failures=0).update(failures=0)
    elif state == State.FAILED:
        own.update(failures=F("failures") + 1)
        own.filter(failures__gte=MOST_FAILURES, stopped=None).update(stopped=now, stopped_why="failures")
