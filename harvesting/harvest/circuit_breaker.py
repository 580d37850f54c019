"""Circuit breaker: a feed that failed too often in a row is suspended, and is only probed now and then with one
Identify request until its provider answers again.

While a feed is suspended, the schedule starts no run for it (`schedule.is_due`); a person still can.
"""

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone
from django.utils.formats import date_format

from harvesting.messages import describe
from harvesting.models import Feed
from harvesting.models.states import HARVESTED
from harvesting.registry.transport import ONE_TRY, transport_for
from harvesting.runs.lifecycle import LONGEST_REST, count_failure, is_over
from harvesting.transports.retries import BUSY
from harvesting.types import TransportError

PROBE_TIMEOUT = timedelta(minutes=10)  # after this a probe is repeated, because its worker may have died


def feeds_to_probe() -> Iterable[Feed]:
    """The suspended feeds whose waiting time is over. Each is reserved for the caller for PROBE_TIMEOUT."""
    now = timezone.now()
    rested = Feed.objects.filter(is_over("rest_until", now, LONGEST_REST), repository__state__in=HARVESTED)
    for feed in rested.exclude(schedule="manual"):
        if Feed.objects.filter(pk=feed.pk, rest_until=feed.rest_until).update(rest_until=now + PROBE_TIMEOUT):
            yield feed


def probe(feed: Feed) -> bool:
    """Send one Identify request and return whether the provider answers.

    An answer ends the suspension, so that the schedule continues; no answer counts as one more failure.
    """
    try:
        transport_for(feed, ONE_TRY).identify()
    except TransportError as error:
        if is_unavailable(error):
            count_failure(feed)
            return False
    Feed.objects.filter(pk=feed.pk).update(rest_until=None)
    return True


def is_unavailable(error: TransportError) -> bool:
    """Whether the provider is down or busy. Any protocol answer, even a refusal of Identify, shows that it is up."""
    return error.code.startswith("net.") or error.code in BUSY or error.code.startswith("http.5")


def rest_message(feed: Feed) -> str:
    """Say until when the feed is suspended and what to do, in the active language; "" if it is not suspended."""
    if feed.rest_until is None:
        return ""
    until = date_format(timezone.localtime(feed.rest_until), "DATETIME_FORMAT")
    return describe("run.rests", {"failures": feed.failures, "until": until})
