"""Looks through the tables for what somebody may want to hear of, and tells it. Safe to run any number of times."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from harvesting.completion.deletion_decisions import waiting
from harvesting.completion.guards import silent_feeds
from harvesting.mail.texts import confirm_letter
from harvesting.models import (
    Application,
    Harvest,
    IssueCount,
    NotificationEvent,
    NotificationMark,
    Recipient,
    RecordIssue,
    Repository,
)
from harvesting.monitoring.alarms import shown
from harvesting.notifications.composing import Weight, tell
from harvesting.runs.lifecycle import REGULAR
from metadata.issue import Severity

FIRST_LOOK = timedelta(days=1)  # what was before is not told any more
LATELY = timedelta(days=7)
OVERLAP = timedelta(hours=1)  # what was noted behind something later
MOST = 500  # rows of a table in one look
GRAVE = {Severity.RECORD_ERROR.value, Severity.ITEM_ERROR.value, Severity.WARNING.value}
COUNTS = ("received", "created", "updated", "unchanged", "rejected")


type Row = Any


def record_events(now: datetime) -> int:
    """What happened since the last look; returns how many events were new. A few small queries where nothing did."""
    ask_contacts()
    return sum(map(int, (*ended(now), *decisions(), *new_rules(), *applications(now))))


def untold(rows: Iterable[Row], key: Callable[[Row], str]) -> Iterator[tuple[str, Row]]:
    """The rows about which nothing was told yet, with their keys."""
    keyed = {key(each): each for each in rows}
    known = set(NotificationEvent.objects.filter(key__in=keyed).values_list("key", flat=True)) if keyed else set()
    return ((name, each) for name, each in keyed.items() if name not in known)


def ended(now: datetime) -> Iterator[bool]:
    """Regular runs that have come to an end."""
    last = NotificationEvent.objects.filter(kind="harvest.ended").aggregate(last=Max("at"))["last"]
    since = max(last or now - FIRST_LOOK, now - timedelta(days=30)) - OVERLAP
    kinds = [*REGULAR, Harvest.Kind.WINDOW]
    runs = Harvest.objects.filter(finished_at__gte=since, kind__in=kinds).order_by("finished_at")
    runs = runs.exclude(state=Harvest.State.CANCELLED).select_related("feed__repository")
    for key, run in untold(runs[:MOST], lambda run: f"harvest-ended-{run.pk}"):
        yield tell(key, "harvest.ended", run.feed.repository, weight_of(run), facts_of(run))


def weight_of(run: Harvest) -> Weight:
    """Whether something is wrong, something changed, or nothing."""
    if run.state == Harvest.State.FAILED or run.rejected or run.issue_counts.get(Severity.RECORD_ERROR.value):
        return Weight.IMPORTANT
    return Weight.CHANGE if run.created or run.updated or run.deleted or run.swept else Weight.ROUTINE


def facts_of(run: Harvest) -> dict[str, Any]:
    """What a letter names of a run: its end, its counts, and the rules that its records broke most often."""
    counts = {name: getattr(run, name) for name in COUNTS} | {"deleted": run.deleted + run.swept}
    return {"harvest": run.pk, "state": run.state, "code": run.code, "facts": run.facts, "counts": counts,
            "rules": first_rules(run) if sum(run.issue_counts.get(each, 0) for each in GRAVE) else []}  # fmt: skip


def first_rules(run: Harvest) -> list[tuple[str, int]]:
    """Rule and count of some of the graver findings of a run: of its first thousand, so that it stays quick."""
    counts: dict[str, int] = {}
    for code in RecordIssue.objects.filter(harvest=run, severity__in=GRAVE).values_list("code", flat=True)[:1000]:
        counts[code] = counts.get(code, 0) + 1
    return sorted(counts.items(), key=lambda each: -each[1])[:5]


def decisions() -> Iterator[bool]:
    """Runs that wait for a person."""
    for key, run in untold(waiting(), lambda run: f"harvest-waits-{run.pk}-{run.code}"):
        facts = {"harvest": run.pk, "code": run.code, "facts": run.facts}
        yield tell(key, "harvest.waits", run.feed.repository, Weight.IMPORTANT, facts)


def silences(now: datetime) -> int:
    """Providers from which nothing comes; looks at every feed, so it is asked now and then."""
    return sum(
        tell(
            f"silent-{each.feed.pk}-{each.code}-{each.since:%Y%m%d}",
            "provider.silent",
            each.feed.repository,
            Weight.IMPORTANT,
            {"code": each.code, "since": shown(each.since)},
        )
        for each in silent_feeds(now)
    )


def new_rules() -> Iterator[bool]:
    """Rules that a provider's records break, and did not when they were last counted."""
    mark, _created = NotificationMark.objects.get_or_create(table="issue_stock")
    fresh = IssueCount.objects.filter(pk__gt=mark.row).order_by("pk").select_related("repository")[:MOST]
    for stock in fresh:
        before = IssueCount.objects.filter(repository=stock.repository_id, pk__lt=stock.pk).first()
        if before is not None:
            known = {each[0] for each in before.counts}
            rules = [(each[0], each[2]) for each in stock.counts if each[1] in GRAVE and each[0] not in known]
            if rules:
                facts = {"rules": rules[:20]}
                yield tell(f"issues-new-{stock.pk}", "issues.new", stock.repository, Weight.IMPORTANT, facts)
        NotificationMark.objects.filter(pk=mark.pk).update(row=stock.pk)


def applications(now: datetime) -> Iterator[bool]:
    """What librarians ask of staff, and the answers."""
    asked = Application.objects.select_related("repository").filter(asked_at__gte=now - LATELY)
    for key, each in untold(asked, lambda each: f"application-{each.pk}"):
        facts = {"by": each.asked_by, "text": each.text, "kind": each.kind}
        yield tell(key, "application.asked", each.repository, Weight.IMPORTANT, facts)
    answered = Application.objects.select_related("repository").filter(answered_at__gte=now - LATELY)
    answered = answered.exclude(state=Application.State.WITHDRAWN)
    for key, each in untold(answered, lambda each: f"application-{each.pk}-answered"):
        facts = {"state": each.state, "text": each.answer, "kind": each.kind}
        yield tell(key, "application.answered", each.repository, Weight.IMPORTANT, facts)


def ask_contacts() -> None:
    """Contact addresses that nobody has asked yet are asked; those that were replaced are written to no more."""
    states = [Repository.State.LIVE, Repository.State.TRIAL]
    present = Repository.objects.filter(state__in=states).exclude(contact_email="")
    for repository in present.exclude(pk__in=_asked_contacts())[:MOST]:
        _ask_contact(repository)


@transaction.atomic
def _ask_contact(repository: Repository) -> None:
    own = Recipient.objects.filter(person=None, repository=repository)
    others = own.exclude(address=repository.contact_email).filter(stopped=None)
    others.update(stopped=timezone.now(), stopped_why="replaced")
    to, is_new = own.get_or_create(
        address=repository.contact_email, channel=Recipient.Channel.MAIL, defaults={"repository": repository}
    )
    if is_new:
        confirm_letter(to).save()
    else:
        Recipient.objects.filter(pk=to.pk, stopped_why="replaced").update(stopped=None, stopped_why="")


def _asked_contacts() -> Any:
    """Repositories whose present contact address has been asked."""
    asked = Recipient.objects.filter(person=None, repository__contact_email=F("address"))
    return asked.exclude(stopped_why="replaced").values("repository")
