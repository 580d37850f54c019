"""Feeds that rest after too many failures in a row: one small question now and then, until the provider is back.

The schedule leaves them alone meanwhile (`schedule.is_due`); a person's harvest does not.
"""

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone
from django.utils.formats import date_format

from harvesting.messages import describe
from harvesting.models import Feed
from harvesting.registry.transport import AT_ONCE, transport_for
from harvesting.runs.budgets import BUSY
from harvesting.runs.lifecycle import count_failure
from harvesting.scheduling.schedule import ASKED
from harvesting.types import TransportError

AT_WORK = timedelta(minutes=10)  # a question under way; asked again after this if its worker died


def to_be_asked() -> Iterable[Feed]:
    """The resting feeds whose rest is over, each reserved for the caller for a while."""
    now = timezone.now()
    for feed in Feed.objects.filter(rest_until__lte=now, repository__state__in=ASKED).exclude(schedule="manual"):
        if Feed.objects.filter(pk=feed.pk, rest_until=feed.rest_until).update(rest_until=now + AT_WORK):
            yield feed


def look(feed: Feed) -> bool:
    """Ask the provider who it is. Whether it answers; then the rest is over and the schedule goes on."""
    try:
        transport_for(feed, AT_ONCE).identify()
    except TransportError as error:
        if is_away(error):
            count_failure(feed)
            return False
    Feed.objects.filter(pk=feed.pk).update(rest_until=None)
    return True


def is_away(error: TransportError) -> bool:
    """Whether nobody answers. Any answer in the protocol, also a refusal of Identify, means that somebody does."""
    return error.code.startswith("net.") or error.code in BUSY or error.code.startswith("http.5")


def sentence(feed: Feed) -> str:
    """That the feed rests, until when and what to do, in the language in force; "" if it does not."""
    if feed.rest_until is None:
        return ""
    until = date_format(timezone.localtime(feed.rest_until), "DATETIME_FORMAT")
    return describe("run.rests", {"failures": feed.failures, "until": until})
