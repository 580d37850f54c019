"""The actions of staff in a soak test (registration, decisions), and whether all due work is done. Needs Django."""

from datetime import datetime, timedelta

import django_rq
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.utils import timezone
from redis.exceptions import RedisError

from aggregator.models import Manifestation
from aggregator.provision.resourcesync.changes import has_changes
from aggregator.provision.stamping import has_pending
from benchmarks.soak.world import FILE, World
from core.work import jobs
from harvesting.accounts import forgotten
from harvesting.accounts.roles import STAFF
from harvesting.completion import deletion_decisions
from harvesting.completion.guards import silent_feeds
from harvesting.dispatcher import due_feeds, waiting_harvests
from harvesting.harvest.run import create_harvest
from harvesting.models import Feed, Harvest, OutgoingMessage, Recipient, Repository, SourceRecord
from harvesting.monitoring import daily_counts
from harvesting.notifications import outbox
from harvesting.registry.registration import register
from harvesting.runs.lifecycle import may_be_superseded
from harvesting.types import TransportError

LOGIN, PASSWORD = "soak-staff", "a password of the soak"
CRON = "*/20 * * * *"
WARNED_FAILURES = 3  # in a row; one or two usually pass by themselves


def open_office(world: World) -> None:
    """Register every provider, and a member of staff who is notified of everything."""
    person = get_user_model().objects.create_user(LOGIN, "staff@example.org", PASSWORD, is_staff=True)
    person.groups.add(Group.objects.get(name=STAFF))
    Recipient.objects.create(person=person, address=person.email, when=Recipient.When.CHANGE, confirmed=timezone.now())
    for provider in world.providers:
        feed = Feed(
            base_url=provider.url,
            full_url=provider.full_url,
            protocol=provider.kind.protocol,
            metadata_prefix="rss" if provider.kind.protocol == "rss" else provider.kind.prefix,
            schedule=provider.kind.schedule,
            cron=CRON if provider.kind.schedule == "cron" else "",
        )
        register(Repository(name=f"見本 {provider.name}", name_en=provider.name, state=Repository.State.LIVE), [feed])
        provider.feed = feed.pk


def at_rest() -> bool:
    """Return whether all due work is done."""
    now = timezone.now()
    try:
        queue = django_rq.get_queue("default")
        queued = queue.count + len(jobs.running_ids(queue))
    except RedisError:
        return False
    return not (
        queued
        or waiting_harvests()
        or Harvest.objects.filter(state=Harvest.State.RUNNING).exists()
        or any(may_begin(feed) for feed in due_feeds())
        or SourceRecord.objects.pending().exists()
        or Manifestation.objects.to_merge().exists()
        or Manifestation.objects.to_index().exists()
        or has_pending()
        or has_changes()
        or daily_counts.is_due()
        or OutgoingMessage.objects.filter(outbox.due_now(now)).exists()
        or forgotten.open_requests().exists()
        or Feed.objects.filter(rest_until__lte=now).exists()
    )


def alarmed(now: datetime) -> set[int]:
    """The feeds about which staff are warned: a run waits for a decision, several runs failed, or it fell silent."""
    waiting = deletion_decisions.runs_awaiting_decision().values_list("feed", flat=True)
    failing = Feed.objects.filter(failures__gte=WARNED_FAILURES).values_list("pk", flat=True)
    return {*waiting, *failing, *(silence.feed.pk for silence in silent_feeds(now))}


def may_begin(feed: Feed) -> bool:
    active = feed.harvests.active().first()
    return active is None or may_be_superseded(active)


def what_waits() -> str:
    """Describe the work that is not done yet."""
    counts = {
        "runs": Harvest.objects.filter(state=Harvest.State.RUNNING).count(),
        "due": sum(1 for feed in due_feeds() if may_begin(feed)),
        "waiting": len(waiting_harvests()),
        "records": SourceRecord.objects.pending().count(),
        "books": Manifestation.objects.to_index().count(),
        "messages": OutgoingMessage.objects.filter(outbox.due_now(timezone.now())).count(),
        "counts": daily_counts.is_due(),
        "stamps": has_pending(),
        "changes": has_changes(),
    }
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def decide_all() -> int:
    """Confirm every run that waits for a decision. Return how many there were."""
    waiting = list(deletion_decisions.runs_awaiting_decision())
    for run in waiting:
        try:
            deletion_decisions.confirm(run, "soak")
        except TransportError:
            continue  # superseded by a newer run in the meantime
    return len(waiting)


def harvest_in_full(world: World) -> int:
    """Start full harvests where deletions show only by absence. Return how many were started."""
    begun = 0
    for provider in world.providers:
        if provider.kind.protocol in ("rss", FILE) or provider.kind.deleted_record == "no":
            feed = Feed.objects.get(pk=provider.feed)
            if not feed.harvests.active().exists():
                create_harvest(feed, full=True)
                begun += 1
    return begun


def late(world: World, now: datetime, slack: timedelta) -> dict[str, float]:
    """Return late provider -> minutes since its last successful run began. Late: longer than schedule + slack."""
    found = {}
    for provider in world.providers:
        run = Harvest.objects.filter(feed=provider.feed, state=Harvest.State.SUCCEEDED).order_by("-started_at").first()
        if run is None or run.started_at is None:
            continue
        age = now - run.started_at
        if age > timedelta(minutes=provider.kind.every) + slack:
            found[provider.name] = age.total_seconds() / 60
    return found


def all_harvested(world: World, since: datetime) -> bool:
    """Return whether every provider has had a successful run that started after this moment."""
    done = Harvest.objects.filter(state=Harvest.State.SUCCEEDED, started_at__gte=since).values("feed").distinct()
    return done.count() == len(world.providers)


def failing(world: World) -> set[str]:
    """Return the providers whose last run has not succeeded, for example because they asked to wait."""
    found = set()
    for provider in world.providers:
        last = Harvest.objects.filter(feed=provider.feed).order_by("-pk").first()
        if last is not None and last.state not in (Harvest.State.SUCCEEDED, Harvest.State.CANCELLED):
            found.add(provider.name)
    return found


def numbers(world: World) -> dict[int, str]:
    """Return a mapping from the primary key of a feed to the name of its provider."""
    return {provider.feed: provider.name for provider in world.providers}
