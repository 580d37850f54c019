"""When a run may not end by itself: limits of deletions, zero records, sudden drops, too many rejections, silence.

What is decided is decided on numbers, at the top and without a database; the numbers are fetched below.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice

from django.db.models import Max, Q, QuerySet

from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.records import membership
from harvesting.scheduling.schedule import occurrences

MOST_DELETIONS = 10_000  # of one run without a person, whatever the share
REPORTED_SHARE, FEW_REPORTED = 5, 20  # a fifth of the feed, or 20, on the provider's word
ABSENT_SHARE, FEW_ABSENT = 20, 1  # a twentieth, or 1, where only absence tells
UNLISTED_SHARE = 100  # a hundredth, where what is left out is only told
FEW_RENAMED = 20
DROP = 2  # a full list of less than one half
FEW_REJECTED = 20
USUAL_REJECTED = 0.2  # of the records received
UNUSUAL = 3.0  # times the share of the last run


class Action(StrEnum):
    SUCCEED = "succeed"
    SWEEP = "sweep"
    WAIT = "wait"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A finished list in numbers.

    is_full: everything was asked for. is_regular: everything, or what has changed since. absence_counts: what was not
    listed is gone. usual_share: of rejected records in the last run that succeeded; history: whether there is one.
    """

    is_full: bool = False
    is_regular: bool = False
    absence_counts: bool = False
    received: int = 0
    rejected: int = 0
    live_before: int = 0
    held: int = 0
    gaps: int = 0
    history: bool = False
    usual_share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a run; code and facts as in `harvesting.messages`."""

    action: Action
    code: str = ""
    facts: dict[str, str | int] = field(default_factory=dict)


def judge_run(figures: Figures) -> Verdict:
    """Whether a list that has come to its end may count. The gravest doubt wins."""
    if figures.gaps:
        return Verdict(action=Action.FAIL, code="run.gaps")
    return _doubts(figures) or _about_absence(figures)


def _doubts(figures: Figures) -> Verdict | None:
    """What is wrong with the list as it came, if anything is."""
    facts: dict[str, str | int] = {
        "received": figures.received,
        "rejected": figures.rejected,
        "live": figures.live_before,
    }
    if figures.is_regular and not figures.history and all_rejected(figures):
        return Verdict(action=Action.FAIL, code="safety.all_rejected", facts=facts)
    if figures.is_full and figures.live_before and not figures.received:
        return Verdict(action=Action.WAIT, code="safety.zero", facts=facts)
    if figures.is_regular and figures.history and unusually_rejected(figures):
        return Verdict(action=Action.WAIT, code="safety.rejected", facts=facts)
    if figures.is_full and not figures.absence_counts and figures.received * DROP < figures.live_before:
        return Verdict(action=Action.WAIT, code="safety.drop", facts={**facts, **_deletions_too(figures)})
    return None


def _deletions_too(figures: Figures) -> dict[str, str | int]:
    """Facts of a doubtful list that reports deletions as well: to accept it means to carry them out."""
    return {"reason": "held", "count": figures.held} if figures.held else {}


def _about_absence(figures: Figures) -> Verdict:
    """What a list that may be believed means for the records it leaves out or reports as deleted."""
    if figures.absence_counts:
        return Verdict(action=Action.SWEEP)
    if figures.held:
        facts: dict[str, str | int] = {"count": figures.held, "live": figures.live_before}
        return Verdict(action=Action.WAIT, code="safety.deletions", facts=facts)
    return Verdict(action=Action.SUCCEED)


def all_rejected(figures: Figures) -> bool:
    """A wrong format, not a few bad records."""
    return figures.received >= FEW_REJECTED and figures.rejected == figures.received


def unusually_rejected(figures: Figures) -> bool:
    share = figures.rejected / max(figures.received, 1)
    return figures.rejected >= FEW_REJECTED and share > max(USUAL_REJECTED, UNUSUAL * figures.usual_share)


def most_reported(live: int) -> int:
    """How many of the live records one run may delete because the provider says so."""
    return min(MOST_DELETIONS, max(FEW_REPORTED, live // REPORTED_SHARE))


def unlisted(live: int, listed: int) -> bool:
    """Whether a whole list leaves out more of the live records than moved while it was read."""
    return live - listed > max(FEW_ABSENT, live // UNLISTED_SHARE)


def renamed_all(created: int, received: int, live_before: int, missing: int) -> bool:
    """Whether about half of a feed is new and as much of it missing: most likely new identifiers."""
    return min(created, live_before) >= FEW_RENAMED and created * 2 >= received and missing * 2 >= live_before


def most_absent(live: int) -> int:
    """How many of the live records one run may delete because a full list leaves them out."""
    return min(MOST_DELETIONS, max(FEW_ABSENT, live // ABSENT_SHARE))


def live_count(feed: Feed) -> int:
    """The registered, not deleted records that the feed lists; of an only feed all that there are."""
    if membership.several_feeds(feed):
        return membership.count_listed(feed)
    return SourceRecord.objects.filter(repository=feed.repository_id, deleted=False).exclude(payload_hash=b"").count()


def lists_everything(run: Harvest) -> bool:
    """Whether the run read a list of all records. An RSS feed without its full feed never has one."""
    has_full_list = run.feed.protocol != Feed.Protocol.RSS or bool(run.feed.full_url)
    return has_full_list and (run.kind == Harvest.Kind.FULL or (run.exhaustive and may_read_everything(run)))


def may_read_everything(run: Harvest) -> bool:
    """Whether a run may turn out to read all there is: one that was asked to, and one of ResourceSync whose change
    lists do not reach back far enough or are broken.
    """
    changes = run.kind == Harvest.Kind.INCREMENTAL and run.feed.protocol == Feed.Protocol.RESOURCESYNC
    return run.kind == Harvest.Kind.FULL or changes


def absence_tells(run: Harvest) -> bool:
    """Whether records that a full list of this feed leaves out are to be looked for.

    A provider that keeps deletions for ever reports them, but not that a record has left a set (OAI-PMH 2.6).
    """
    keeps = run.feed.deleted_record == Feed.DeletedRecord.PERSISTENT
    return may_read_everything(run) and (not keeps or bool(run.feed.set_spec))


def usual_share(feed: Feed) -> tuple[bool, float]:
    """Whether the feed has had a successful run, and the share of rejected records of the last that says something."""
    done = feed.harvests.filter(
        state=Harvest.State.SUCCEEDED, kind__in=[Harvest.Kind.FULL, Harvest.Kind.INCREMENTAL], received__gt=0
    )
    last = done.filter(received__gte=FEW_REJECTED).first()
    return done.exists(), last.rejected / last.received if last else 0.0


@dataclass(frozen=True, slots=True)
class Silence:
    """A feed that has nothing to say, since when, and by which of the two signs (a code of the messages)."""

    feed: Feed
    code: str
    since: datetime


MISSED = 3  # times that a schedule has come in vain


def silent_feeds(now: datetime) -> Iterator[Silence]:
    """Feeds of live repositories that bring no new or changed record, or that no run has finished, for too long."""
    feeds = Feed.objects.filter(
        repository__state__in=[Repository.State.LIVE, Repository.State.TRIAL], repository__approved=True
    )
    for feed in with_last_runs(feeds).select_related("repository"):
        found = silence_of(feed, now)
        if found:
            yield found


def with_last_runs(feeds: QuerySet[Feed]) -> QuerySet[Feed]:
    """The feeds with when a run of theirs last succeeded, and last changed something (last_run, last_change)."""
    succeeded = Q(harvests__state=Harvest.State.SUCCEEDED)
    changed = (
        Q(harvests__created__gt=0) | Q(harvests__updated__gt=0) | Q(harvests__deleted__gt=0) | Q(harvests__swept__gt=0)
    )
    return feeds.annotate(
        last_run=Max("harvests__finished_at", filter=succeeded),
        last_change=Max("harvests__finished_at", filter=succeeded & changed),
    )


def silence_of(feed: Feed, now: datetime) -> Silence | None:
    """Whether a feed of `with_last_runs` has been quiet for too long."""
    if feed.schedule == Feed.Schedule.MANUAL:
        return None
    run, change = feed.last_run or feed.created, feed.last_change or feed.created  # type: ignore[attr-defined]
    missed = list(islice(occurrences(feed, run), MISSED))
    if len(missed) == MISSED and missed[-1] < now:
        return Silence(feed, "safety.unharvested", run)
    if feed.silent_after_days and change + timedelta(days=feed.silent_after_days) < now:
        return Silence(feed, "safety.silent", change)
    return None
