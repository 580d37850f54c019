"""What must hold at the end of a soak test. Each check yields sentences about violations. Needs Django."""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from aggregator.matching import extract_features
from aggregator.matching.groups.partition import partition
from aggregator.models import ChangeList, Manifestation, Member
from aggregator.search import get_index
from benchmarks.soak.bounds import beyond
from benchmarks.soak.measure import Sample
from benchmarks.soak.world import Provider, World, title_of
from harvesting.models import DateWindow, Feed, Harvest, NotificationEvent, OutgoingMessage, ResolvedIssue, SourceRecord
from harvesting.records.compression import unpack_record
from sampleprovider.trial import number_of

SHOWN = 5
SLACK_SHARE, SLACK = 0.25, 12.0  # allowed growth of a process in the second half: share of its size, plus MiB
PROCESSES = "memory of "


def records(world: World, but: set[str]) -> Iterator[str]:
    """Every provider's live records are in the database, with their present titles. but: providers to leave out."""
    for provider in world.providers:
        if provider.name not in but:
            wanted = {number: title_of(provider, number) for number in provider.revisions}
            found = _stored(provider)
            if found != wanted:
                yield f"{provider.name}: {_difference(found, wanted)}"


def _stored(provider: Provider) -> dict[int, str]:
    live = SourceRecord.objects.registered().filter(repository__feeds=provider.feed, deleted=False)
    return {
        number_of(identifier): unpack_record(record).titles[0].value
        for identifier, record in live.values_list("identifier", "record")
    }


def _difference(found: dict[int, str], wanted: dict[int, str]) -> str:
    missing, extra = sorted(wanted.keys() - found.keys()), sorted(found.keys() - wanted.keys())
    other = [
        (found[number], wanted[number])
        for number in sorted(found.keys() & wanted.keys())
        if found[number] != wanted[number]
    ]
    return f"missing {missing[:SHOWN]}, too many {extra[:SHOWN]}, other {other[:2]} ({len(other)})"


def groups() -> Iterator[str]:
    """The groups that arose from many small changes equal those of one batch over all records."""
    live = SourceRecord.objects.registered().filter(deleted=False).values_list("pk", "public_id", "record")
    rows = {name: extract_features(unpack_record(record)) for _pk, name, record in live}
    wanted = {frozenset(group) for group in partition(rows).records()}
    found: dict[int, set[str]] = {}
    for manifestation, name in Member.objects.values_list("manifestation", "source_record__public_id"):
        found.setdefault(manifestation, set()).add(name)
    stored = {frozenset(names) for names in found.values()}
    if stored != wanted:
        other, missing = len(stored - wanted), len(wanted - stored)
        yield f"{other} of {len(stored)} groups are not those of a batch, {missing} are missing"


def index() -> Iterator[str]:
    """The search index has one document for each book."""
    books, documents = Manifestation.objects.exclude(record=b"").count(), get_index().count()
    if books != documents:
        yield f"the index has {documents} documents, there are {books} books"


def runs(now_waiting: str) -> Iterator[str]:
    """No run is left unfinished or owned."""
    if now_waiting:
        yield f"not at rest at the end: {now_waiting}"
    for run in Harvest.objects.filter(state__in=Harvest.ACTIVE).select_related("feed"):
        yield f"run {run.pk} of {run.feed.base_url} is {run.state} {run.code}"
    for run in Harvest.objects.exclude(state__in=Harvest.ACTIVE).exclude(owner=""):
        yield f"run {run.pk} has ended and has an owner"


def sizes(samples: list[Sample], feeds: int) -> Iterator[str]:
    """No table exceeds its bound, and no process keeps growing."""
    last = samples[-1]
    yield from beyond(last.rows, feeds, last.rows["harvesting_sourcerecord"])
    half = samples[len(samples) // 2]
    for name, size in last.sizes.items():
        before = half.sizes.get(name)
        if name.startswith(PROCESSES) and before and size > before * (1 + SLACK_SHARE) + SLACK:
            yield f"{name} grew from {before:.0f} to {size:.0f} in the second half"
    if last.sizes.get("WAL, MiB", 0) > 100:
        yield f"the WAL has {last.sizes['WAL, MiB']:.0f} MiB"


def forgotten() -> Iterator[str]:
    """After a leap of more than a year, expired data is deleted."""
    now = timezone.now()
    year_ago, moment = now - timedelta(days=400), now - timedelta(days=1)
    old = {
        "notifications": NotificationEvent.objects.filter(at__lt=year_ago),
        "outgoing messages": OutgoingMessage.objects.filter(created__lt=year_ago),
        "lists of changes": ChangeList.objects.filter(until__lt=year_ago.timestamp()),
        "resolved issues": ResolvedIssue.objects.filter(resolved_at__lt=year_ago),
        "closed gaps": DateWindow.objects.filter(closed_at__lt=year_ago),
        "sessions": Session.objects.filter(expire_date__lt=moment),
        "bytes of deleted records": SourceRecord.objects.filter(deleted_at__lt=year_ago).exclude(payload=b""),
    }
    for name, rows in old.items():
        if count := rows.count():
            yield f"{count} {name} are older than their retention time"


def alarms(alarmed: dict[str, set[str]], must: set[str], may: set[str]) -> Iterator[str]:
    """Alarms were raised where needed. alarmed: provider -> hours. must, may: providers that need, or may have, one."""
    for name in sorted(must - alarmed.keys()):
        yield f"{name} was in trouble for hours, and no alarm was raised"
    for name in sorted(alarmed.keys() - must - may):
        yield f"{name} was well, and an alarm was raised ({', '.join(sorted(alarmed[name]))})"


def failures() -> dict[int, int]:
    return dict(Feed.objects.exclude(failures=0).values_list("pk", "failures"))
