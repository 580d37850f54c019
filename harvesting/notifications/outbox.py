"""The outbox. A letter is a row before it is sent, and goes out once as far as the other side lets us know.

A worker that dies between handing a letter over and noting that leaves it "being sent"; after LEASE it goes out again
under the same name (Message-ID, X-Aggregator-Delivery), by which the other side knows the copy.
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

from harvesting.http.fetch import Fetcher
from harvesting.mail import delivery
from harvesting.mail.texts import stop_link
from harvesting.models import OutgoingMessage, Recipient
from harvesting.registry.credentials import open_sealed
from harvesting.registry.transport import fetch_policy
from harvesting.types import TransportError

logger = logging.getLogger(__name__)

State = OutgoingMessage.State
LEASE = timedelta(minutes=10)
WAITS = tuple(timedelta(minutes=each) for each in (1, 5, 30, 120, 360, 720, 1440))  # before the next attempt
MOST_FAILURES = 5  # letters in a row that were given up; then nothing goes there any more
AT_A_TIME = 20.0  # seconds that the dispatcher gives to letters before it looks at the rest again
MOST = 200  # letters of one look
DEADLINE = 10.0  # seconds for a webhook to answer
NO_HEADERS: Mapping[str, str] = {}


def send_due(seconds: float = AT_A_TIME) -> int:
    """Send what is due, as far as the time reaches; returns how many letters were tried. What is left comes next."""
    end, tried = time.monotonic() + seconds, 0
    due = OutgoingMessage.objects.filter(due_now(timezone.now())).order_by("due").values_list("pk", flat=True)[:MOST]
    for pk in list(due):
        if time.monotonic() > end:
            break
        tried += send(pk)
    return tried


def due_now(now: datetime) -> Q:
    """The letters that may be sent: their time has come, or the worker that had them is gone."""
    return Q(state__in=[State.WAITING, State.SENDING], due__lte=now)


def send(pk: int) -> bool:
    """Send one letter, unless another worker has it; returns whether it was tried."""
    now = timezone.now()
    claimed = OutgoingMessage.objects.filter(due_now(now), pk=pk).update(
        state=State.SENDING, due=now + LEASE, attempts=F("attempts") + 1
    )
    if not claimed:
        return False
    letter = OutgoingMessage.objects.select_related("recipient__person").get(pk=pk)
    if not is_wanted(letter):
        _end(letter, State.DROPPED)
        return False
    try:
        _hand_over(letter)
    except TransportError as error:
        _put_off(letter, error.message, error.permanent)
    except OSError as error:  # also whatever a mail server refuses
        _put_off(letter, str(error), permanent=False)
    else:
        _end(letter, State.SENT)
    return True


def is_wanted(letter: OutgoingMessage) -> bool:
    """Whether its reader still wants it: stopped since, or her account closed."""
    to = letter.recipient
    if to is None:
        return letter.channel == Recipient.Channel.MAIL
    if letter.kind == "confirm":
        return True
    return to.stopped is None and (to.person is None or to.person.is_active)


def again(letter: OutgoingMessage) -> bool:
    """A person wants it sent once more, though it was given up; False if it was not."""
    given_up = OutgoingMessage.objects.filter(pk=letter.pk, state=State.FAILED, secret=False)
    return given_up.update(state=State.WAITING, due=timezone.now(), attempts=0) == 1


def _hand_over(letter: OutgoingMessage) -> None:
    if letter.channel == Recipient.Channel.WEBHOOK:
        _call(letter)
    else:
        host = settings.PUBLIC_URL.rpartition("://")[2].partition("/")[0].partition(":")[0]
        headers = {"Message-ID": f"<{letter.key}@{host}>", "Auto-Submitted": "auto-generated"}
        if letter.recipient is not None and letter.kind == "notice":  # RFC 8058: the mail program has a button for it
            headers["List-Unsubscribe"] = f"<{stop_link(letter.recipient)}>"
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        delivery.send(letter.address, letter.subject, letter.text, headers)


def _call(letter: OutgoingMessage) -> None:
    """POST the JSON, signed together with the moment, so that an old call cannot be played again."""
    body, moment = letter.text.encode(), str(int(timezone.now().timestamp()))
    key = open_sealed(bytes(letter.recipient.secret)) if letter.recipient else ""
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "X-Aggregator-Delivery": letter.key,
        "X-Aggregator-Timestamp": moment,
        "X-Aggregator-Signature": f"sha256={signature(key, moment, body)}",
    }
    with Fetcher(replace(fetch_policy(), deadline=DEADLINE)) as fetcher:
        fetcher.deliver(letter.address, body, headers).checked()


def signature(key: str, moment: str, body: bytes) -> str:
    """HMAC-SHA256 in hexadecimal of the moment (seconds since 1970), a full stop and the body."""
    return hmac.new(key.encode(), f"{moment}.".encode() + body, "sha256").hexdigest()


def _put_off(letter: OutgoingMessage, trouble: str, permanent: bool) -> None:
    """Try again later, or give up."""
    logger.warning("letter %s was not taken: %s", letter.pk, trouble)
    letter.trouble = trouble[:300]
    if permanent or letter.attempts > len(WAITS):
        _end(letter, State.FAILED)
        return
    due = timezone.now() + WAITS[letter.attempts - 1]
    OutgoingMessage.objects.filter(pk=letter.pk).update(state=State.WAITING, due=due, trouble=letter.trouble)


def _end(letter: OutgoingMessage, state: State) -> None:
    """What the letter came to, and what that says of the address. A link that opens something is forgotten."""
    now = timezone.now()
    ended: dict[str, object] = {"state": state, "trouble": "" if state == State.SENT else letter.trouble}
    if state == State.SENT:
        ended["sent"] = now
    if letter.secret:
        ended["text"] = ""
    OutgoingMessage.objects.filter(pk=letter.pk).update(**ended)
    if letter.recipient is None or letter.kind == "confirm":
        return
    own = Recipient.objects.filter(pk=letter.recipient.pk)
    if state == State.SENT:
        own.exclude(failures=0).update(failures=0)
    elif state == State.FAILED:
        own.update(failures=F("failures") + 1)
        own.filter(failures__gte=MOST_FAILURES, stopped=None).update(stopped=now, stopped_why="failures")
