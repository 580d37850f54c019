"""Alarms: runs that wait for a decision, feeds that fail repeatedly, feeds that have fallen silent."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from operator import attrgetter

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from harvesting.completion.deletion_decisions import awaits_decision, runs_awaiting_decision
from harvesting.completion.guards import silent_feeds
from harvesting.harvest.circuit_breaker import rest_message
from harvesting.messages import describe
from harvesting.models import Feed, Harvest, Repository
from harvesting.runs.results import result_label

MOST = 50  # alarms
FAILURES = 3  # in a row; one or two usually pass by themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """A sentence about a feed. harvest: the run it concerns (0 = none). decides: the run waits for a decision."""

    feed: Feed
    sentence: str
    harvest: int = 0
    decides: bool = False


def alarms(repositories: QuerySet[Repository], now: datetime) -> list[Alarm]:
    """The alarms of these repositories, the most urgent first, MOST at most."""
    feeds = Feed.objects.filter(repository__in=repositories).select_related("repository")
    own = frozenset(feeds.values_list("pk", flat=True))
    return list(islice(_alarms(feeds, own, now), MOST))


def shown_state(run: Harvest) -> str:
    """The label of a run's state; a run that waits for a decision is not called “paused”, nor one that rejected records
    “succeeded”.
    """
    if awaits_decision(run):
        return _("waiting for a decision")
    return result_label(run)


def format_moment(moment: datetime) -> str:
    """A time as text, in the site's time zone and the active language."""
    return date_format(timezone.localtime(moment), "DATETIME_FORMAT")


def _alarms(feeds: QuerySet[Feed], own: frozenset[int], now: datetime) -> Iterator[Alarm]:
    for run in runs_awaiting_decision().filter(feed__in=feeds):
        yield Alarm(feed=run.feed, sentence=describe(run.code, run.facts), harvest=run.pk, decides=True)
    for feed in feeds.filter(failures__gte=FAILURES).order_by("-failures"):
        last = feed.harvests.filter(state=Harvest.State.FAILED).first()
        text = describe(last.code, last.facts) if last else ""
        yield Alarm(feed=feed, sentence=rest_message(feed) or text, harvest=last.pk if last else 0)
    silences = (silence for silence in silent_feeds(now) if silence.feed.pk in own)
    for silence in sorted(silences, key=attrgetter("since")):
        yield Alarm(feed=silence.feed, sentence=describe(silence.code, {"since": format_moment(silence.since)}))
