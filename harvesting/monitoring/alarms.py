"""What somebody should look at: runs that wait for a decision, feeds that fail again and again or fall silent."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from operator import attrgetter

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from harvesting.completion.deletion_decisions import waiting, waits
from harvesting.completion.guards import silent_feeds
from harvesting.messages import describe
from harvesting.models import Feed, Harvest, Repository

MOST = 50
FAILURES = 3  # in a row; one or two pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """A sentence about a feed, and the run that it is about (0 = none). decides: a person's answer is waited for."""

    feed: Feed
    sentence: str
    harvest: int = 0
    decides: bool = False


def alarms(repositories: QuerySet[Repository], now: datetime) -> list[Alarm]:
    """The alarms of these repositories in the order of their urgency, MOST at most."""
    feeds = Feed.objects.filter(repository__in=repositories).select_related("repository")
    own = frozenset(feeds.values_list("pk", flat=True))
    return list(islice(_all(feeds, own, now), MOST))


def shown_state(run: Harvest) -> str:
    """The state of a run as people should read it: “paused” is not said where somebody is waited for."""
    return _("waiting for a decision") if waits(run) else run.get_state_display()


def trouble_of(feed: Feed) -> str:
    """What keeps a feed from being harvested, "" if nothing."""
    if feed.rest_until is None:
        return ""
    return describe("run.rests", {"failures": feed.failures, "until": shown(feed.rest_until)})


def shown(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "DATETIME_FORMAT")


def _all(feeds: QuerySet[Feed], own: frozenset[int], now: datetime) -> Iterator[Alarm]:
    for run in waiting().filter(feed__in=feeds):
        yield Alarm(feed=run.feed, sentence=describe(run.code, run.facts), harvest=run.pk, decides=True)
    for feed in feeds.filter(failures__gte=FAILURES).order_by("-failures"):
        last = feed.harvests.filter(state=Harvest.State.FAILED).first()
        text = describe(last.code, last.facts) if last else ""
        yield Alarm(feed=feed, sentence=trouble_of(feed) or text, harvest=last.pk if last else 0)
    silences = (each for each in silent_feeds(now) if each.feed.pk in own)
    for silence in sorted(silences, key=attrgetter("since")):
        yield Alarm(feed=silence.feed, sentence=describe(silence.code, {"since": shown(silence.since)}))
