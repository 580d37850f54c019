"""Safeguards against faulty lists: when a run must fail or wait for a person, how many records it may delete, and which
feeds have fallen silent.

The rules at the top only compare numbers, without database access; the queries below fetch these numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice

from django.db.models import Max, Q, QuerySet

from harvesting.models import Feed, Harvest, SourceRecord
from harvesting.models.states import HARVESTED
from harvesting.records import membership
from harvesting.scheduling.schedule import is_unscheduled, occurrences

MOST_DELETIONS = 10_000  # of one run without a person's decision, however large the feed is
REPORTED_SHARE, FEW_REPORTED = 5, 20  # may be deleted as reported: 1/5 of the feed, but at least 20 records
SMALL_SHARE = 2  # but never more than half of a small feed, so that it cannot lose all its records at once
ABSENT_SHARE, FEW_ABSENT = 20, 1  # may be deleted as absent: 1/20 of the feed, but at least 1 record
LOST_SHARE = 3  # may be lost within a month by deletions in several runs: 1/3 of the repository, see `dwindling`
UNLISTED_SHARE = 100  # 1/100 of the feed; if more are absent where absence does not mean deletion, this is reported
FEW_RENAMED = 20  # new records; with fewer, numbers alone are no sign that the provider has changed all identifiers
FEW_REPLACED = 5  # new records; with fewer, not even those that describe the same as old ones are a sign
DROP = 2  # a full list with less than half of the earlier records is suspicious
FEW_REJECTED = 20  # fewer rejected or damaged records never stop a run, unless they are all that was received
USUAL_REJECTED = 0.2  # share of the records received that may be rejected or damaged in any run
UNUSUAL = 3.0  # a run may reject up to this many times the share that was rejected in the last run
DAMAGED = "safety.lost_text"  # the observation that counts the registered records of which text was lost


class Action(StrEnum):
    """What happens next with a run that has read its list. SWEEP: delete absent records first (`sweep`)."""

    SUCCEED = "succeed"
    SWEEP = "sweep"
    WAIT = "wait"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What a repository lost between `since` and the beginning of a run. most: its largest number of live records in
    that time. lost: how many of them harvests have deleted, without others in their place.
    """

    since: datetime
    most: int
    lost: int

    def allows(self, count: int) -> bool:
        """Whether so many more records may be deleted without a person's decision."""
        return not self.lost or self.lost + count <= max_lost(self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The numbers by which a run with a finished list is judged.

    is_full: the run read a list of all records. is_regular: it requested all records or all changes since the last one.
    absence_counts: a record that was not listed is to be deleted. live_before: live records when the run began.
    held: deletions held back. loss: what earlier runs deleted, if that is why they are held.
    history: whether a run of the feed has succeeded before. damaged: registered records of which text was lost.
    usual_share: the share of rejected and damaged records in the last successful run that received enough records to
    tell.
    """

    is_full: bool = False
    is_regular: bool = False
    absence_counts: bool = False
    received: int = 0
    rejected: int = 0
    damaged: int = 0
    live_before: int = 0
    held: int = 0
    loss: Loss | None = None
    gaps: int = 0
    history: bool = False
    usual_share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a run. code, facts: the reason, as in `harvesting.messages`."""

    action: Action
    code: str = ""
    facts: dict[str, str | int] = field(default_factory=dict)


def judge_run(figures: Figures) -> Verdict:
    """Return the verdict on a run whose list was read to its end; if there are several doubts, the most serious."""
    if figures.gaps:
        return Verdict(action=Action.FAIL, code="run.gaps")
    return _doubts(figures) or _about_absence(figures)


def _doubts(figures: Figures) -> Verdict | None:
    """The verdict if the list itself looks wrong, None if it does not."""
    facts: dict[str, str | int] = {
        "received": figures.received,
        "rejected": figures.rejected,
        "damaged": figures.damaged,
        "live": figures.live_before,
    }
    if figures.is_full and figures.live_before and not figures.received:
        return Verdict(action=Action.WAIT, code="safety.zero", facts=facts)
    if figures.is_regular and unusually_rejected(figures):
        code = "safety.damaged" if figures.damaged > figures.rejected else "safety.rejected"
        return Verdict(action=Action.WAIT, code=code, facts=facts)
    if figures.is_regular and all_rejected(figures):
        return Verdict(action=Action.FAIL, code="safety.all_rejected", facts=facts)
    if figures.is_full and not figures.absence_counts and figures.received * DROP < figures.live_before:
        return Verdict(action=Action.WAIT, code="safety.drop", facts={**facts, **_deletions_too(figures)})
    return None


def _deletions_too(figures: Figures) -> dict[str, str | int]:
    """Extra facts for a doubtful list that also reports deletions: accepting the list carries them out."""
    return {"reason": "held", "count": figures.held} if figures.held else {}


def _about_absence(figures: Figures) -> Verdict:
    """The verdict for a trusted list: whether absent records are to be looked for, or reported deletions held."""
    if figures.absence_counts:
        return Verdict(action=Action.SWEEP)
    return held_back(figures) if figures.held else Verdict(action=Action.SUCCEED)


def held_back(figures: Figures) -> Verdict:
    """The verdict on a run that holds deletions: too many at once, or too many together with those of earlier runs."""
    facts: dict[str, str | int] = {"count": figures.held, "live": figures.live_before}
    loss = figures.loss
    if not loss:
        return Verdict(action=Action.WAIT, code="safety.deletions", facts=facts)
    facts |= {"lost": loss.lost, "most": loss.most, "since": f"{loss.since:%Y-%m-%d}"}
    return Verdict(action=Action.WAIT, code="safety.dwindling", facts=facts)


def all_rejected(figures: Figures) -> bool:
    """Whether every record was rejected, a sign of a wrong format.

    A few changed records of a feed that was harvested before do not count: their rejection says nothing of the others.
    """
    tells = figures.is_full or not figures.history or figures.received >= FEW_REJECTED
    return tells and 0 < figures.received == figures.rejected


def unusually_rejected(figures: Figures) -> bool:
    """Whether far more records were rejected or damaged than in the last run; in a first run only damage counts."""
    count = figures.damaged + (figures.rejected if figures.history else 0)
    share = count / max(figures.received, 1)
    return count >= FEW_REJECTED and share > max(USUAL_REJECTED, UNUSUAL * figures.usual_share)


def max_reported_deletions(live: int) -> int:
    """How many of the live records one run may delete because the provider reports them as deleted."""
    few = min(FEW_REPORTED, live // SMALL_SHARE)
    return min(MOST_DELETIONS, max(few, live // REPORTED_SHARE))


def max_lost(most: int) -> int:
    """How many of the records that a repository had at most may be lost by deletions in several runs."""
    return max(min(FEW_REPORTED, most // SMALL_SHARE), most // LOST_SHARE)


def leaves_out_too_many(live: int, listed: int) -> bool:
    """Whether a complete list lacks more live records than changes during its harvest can explain."""
    return live - listed > max(FEW_ABSENT, live // UNLISTED_SHARE)


def looks_renumbered(created: int, received: int, live_before: int, missing: int) -> bool:
    """Whether at least half of a list is new and half of the feed is missing: most likely all identifiers changed."""
    return min(created, live_before) >= FEW_RENAMED and created * 2 >= received and missing * 2 >= live_before


def may_be_renumbered(created: int, live_before: int) -> bool:
    """Whether at least half as many records are new as there were before; their contents must be compared then."""
    return min(created, live_before) >= FEW_REPLACED and created * 2 >= live_before


def max_absent_deletions(live: int) -> int:
    """How many of the live records one run may delete because a full list does not contain them."""
    return min(MOST_DELETIONS, max(FEW_ABSENT, live // ABSENT_SHARE))


def live_count(feed: Feed) -> int:
    """How many registered, not deleted records the feed lists. A repository's only feed lists all its records."""
    if membership.has_several_feeds(feed):
        return membership.count_listed(feed)
    return SourceRecord.objects.filter(repository=feed.repository_id, deleted=False).exclude(payload_hash=b"").count()


def lists_everything(run: Harvest) -> bool:
    """Whether the run read a list of all records, if there is one."""
    return run.feed.has_full_list and (run.kind == Harvest.Kind.FULL or (run.exhaustive and may_read_everything(run)))


def may_read_everything(run: Harvest) -> bool:
    """Whether the run may read all records: a full run, or an incremental one that may fall back to the whole list."""
    may_fall_back = run.kind == Harvest.Kind.INCREMENTAL and run.feed.transport_kind.falls_back
    return run.kind == Harvest.Kind.FULL or may_fall_back


def notes_what_it_saw(run: Harvest) -> bool:
    """Whether the run notes which records it has received unchanged, to notice absent ones.

    Records that a provider sends itself are marked instead, for the report to the sender.
    """
    return may_read_everything(run) and not run.feed.transport_kind.is_pushed


def absence_means_deletion(run: Harvest) -> bool:
    """Whether records that a full list of this feed does not contain are to be treated as deleted.

    A provider with persistent deletions reports every deletion, so absence means nothing there; but it does not
    report that a record has left a set (OAI-PMH 2.6).
    """
    persistent = run.feed.deleted_record == Feed.DeletedRecord.PERSISTENT
    return may_read_everything(run) and (not persistent or bool(run.feed.set_spec))


def usual_rejected_share(feed: Feed) -> tuple[bool, float]:
    """Whether a run of the feed has succeeded, and the share of rejected and damaged records in the last one large
    enough to tell (0.0 if there is none).
    """
    done = feed.harvests.filter(
        state=Harvest.State.SUCCEEDED, kind__in=[Harvest.Kind.FULL, Harvest.Kind.INCREMENTAL], received__gt=0
    )
    last = done.filter(received__gte=FEW_REJECTED).first()
    return done.exists(), (last.rejected + damaged_count(last)) / last.received if last else 0.0


def damaged_count(run: Harvest) -> int:
    """How many records the run has registered although text of them was lost."""
    count: int = run.observations.get(DAMAGED, {}).get("count", 0)
    return count


@dataclass(frozen=True, slots=True)
class Silence:
    """A feed that has been silent since a point in time. code: the kind of silence, a message code."""

    feed: Feed
    code: str
    since: datetime


MISSED_TIMES = 3  # scheduled times in a row without a successful run


def silent_feeds(now: datetime) -> Iterator[Silence]:
    """The feeds of harvested repositories that had no successful run, or no new or changed record, for too long."""
    feeds = Feed.objects.filter(repository__state__in=HARVESTED, repository__approved=True)
    for feed in with_last_runs(feeds).select_related("repository"):
        silence = silence_of(feed, now)
        if silence:
            yield silence


def with_last_runs(feeds: QuerySet[Feed]) -> QuerySet[Feed]:
    """The feeds annotated with last_run (when a run last succeeded) and last_change (when it last changed records)."""
    succeeded = Q(harvests__state=Harvest.State.SUCCEEDED)
    changed = (
        Q(harvests__created__gt=0) | Q(harvests__updated__gt=0) | Q(harvests__deleted__gt=0) | Q(harvests__swept__gt=0)
    )
    return feeds.annotate(
        last_run=Max("harvests__finished_at", filter=succeeded),
        last_change=Max("harvests__finished_at", filter=succeeded & changed),
    )


def silence_of(feed: Feed, now: datetime) -> Silence | None:
    """The silence of a feed from `with_last_runs`, None if it is not silent.

    Feeds without a schedule and live sources never are, unless their provider sends the records itself.
    """
    if is_unscheduled(feed) and not feed.transport_kind.is_pushed:
        return None
    run, change = feed.last_run or feed.created, feed.last_change or feed.created  # type: ignore[attr-defined]
    missed = list(islice(occurrences(feed, run), MISSED_TIMES))
    if len(missed) == MISSED_TIMES and missed[-1] < now:
        return Silence(feed, "safety.unharvested", run)
    if feed.silent_after_days and change + timedelta(days=feed.silent_after_days) < now:
        return Silence(feed, "safety.silent", change)
    return None
