"""Finds events that people may want to be notified of, and records them as notification events.

Idempotent: every event has a key, under which it is recorded once.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from harvesting.completion.deletion_decisions import runs_awaiting_decision
from harvesting.completion.guards import silent_feeds
from harvesting.doi import lists
from harvesting.mail.texts import confirmation_message
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
from harvesting.models.states import HARVESTED
from harvesting.monitoring.wording import format_moment
from harvesting.notifications.composing import Weight, notify
from harvesting.runs.lifecycle import REGULAR
from harvesting.theses import lists as theses
from metadata.issue import Severity

FIRST_LOOK = timedelta(days=1)  # older runs are not reported when nothing has been recorded yet
LATELY = timedelta(days=7)  # older applications and answers are not reported
OVERLAP = timedelta(hours=1)  # searched again each time, because a run may be stored after one that ended later
MOST = 500  # rows of a table in one pass
GRAVE = {Severity.RECORD_ERROR.value, Severity.ITEM_ERROR.value, Severity.WARNING.value}
COUNTS = ("received", "created", "updated", "unchanged", "rejected")


type Row = Any


def record_events(now: datetime) -> int:
    """Record the events since the last call; return the number of new ones. A few small queries if there are none."""
    confirm_contacts()
    return sum(
        map(
            int,
            (*record_ended_harvests(now), *record_waiting_harvests(), *record_new_rules(), *record_applications(now)),
        )
    )


def unrecorded(rows: Iterable[Row], key: Callable[[Row], str]) -> Iterator[tuple[str, Row]]:
    """The rows for which no event is recorded yet, with the keys of their events."""
    keyed = {key(row): row for row in rows}
    known = set(NotificationEvent.objects.filter(key__in=keyed).values_list("key", flat=True)) if keyed else set()
    return ((name, row) for name, row in keyed.items() if name not in known)


def record_ended_harvests(now: datetime) -> Iterator[bool]:
    """Record the regular and window runs that have ended, not cancelled ones; yield whether each event is new."""
    last = NotificationEvent.objects.filter(kind="harvest.ended").aggregate(last=Max("at"))["last"]
    since = max(last or now - FIRST_LOOK, now - timedelta(days=30)) - OVERLAP
    kinds = [*REGULAR, Harvest.Kind.WINDOW]
    runs = Harvest.objects.filter(finished_at__gte=since, kind__in=kinds).order_by("finished_at")
    runs = runs.exclude(state=Harvest.State.CANCELLED).select_related("feed__repository")
    for key, run in unrecorded(runs[:MOST], lambda run: f"harvest-ended-{run.pk}"):
        yield notify(key, "harvest.ended", run.feed.repository, weight_of(run), facts_of(run))


def weight_of(run: Harvest) -> Weight:
    """How much the end of a run matters: IMPORTANT for errors, CHANGE for changed records, else ROUTINE."""
    if run.state == Harvest.State.FAILED or run.rejected or run.issue_counts.get(Severity.RECORD_ERROR.value):
        return Weight.IMPORTANT
    return Weight.CHANGE if run.created or run.updated or run.deleted or run.swept else Weight.ROUTINE


def facts_of(run: Harvest) -> dict[str, Any]:
    """The facts of a run for its notification: how it ended, its counters, the provider's DOIs and doctoral
    theses by state, and the rules its records violate most.
    """
    counts = {name: getattr(run, name) for name in COUNTS} | {"deleted": run.deleted + run.swept}
    return {"harvest": run.pk, "state": run.state, "code": run.code, "facts": run.facts, "counts": counts,
            "dois": lists.states_of(run.feed.repository_id),
            "theses": dict(theses.counts([run.feed.repository_id]).get(run.feed.repository_id, {})),
            "rules": first_rules(run) if sum(run.issue_counts.get(name, 0) for name in GRAVE) else []}  # fmt: skip


def first_rules(run: Harvest) -> list[tuple[str, int]]:
    """The five most frequent rules, with counts, among the first 1000 errors and warnings of a run.

    The limit keeps this fast for runs with very many issues.
    """
    counts: dict[str, int] = {}
    for code in RecordIssue.objects.filter(harvest=run, severity__in=GRAVE).values_list("code", flat=True)[:1000]:
        counts[code] = counts.get(code, 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])[:5]


def record_waiting_harvests() -> Iterator[bool]:
    """Record the runs that wait for a decision; yield whether each event is new."""
    for key, run in unrecorded(runs_awaiting_decision(), lambda run: f"harvest-waits-{run.pk}-{run.code}"):
        facts = {"harvest": run.pk, "code": run.code, "facts": run.facts}
        yield notify(key, "harvest.waits", run.feed.repository, Weight.IMPORTANT, facts)


def record_silences(now: datetime) -> int:
    """Record the providers that have fallen silent; return the number of new events.

    Reads every feed, so it is called only now and then.
    """
    return sum(
        notify(
            f"silent-{silence.feed.pk}-{silence.code}-{silence.since:%Y%m%d}",
            "provider.silent",
            silence.feed.repository,
            Weight.IMPORTANT,
            {"code": silence.code, "since": format_moment(silence.since)},
        )
        for silence in silent_feeds(now)
    )


def record_new_rules() -> Iterator[bool]:
    """Record the rules that a provider's records violate now but did not at the last count.

    Yields whether each event is new. Remembers the last issue count looked at in a NotificationMark.
    """
    mark, _created = NotificationMark.objects.get_or_create(table="issue_stock")
    fresh = IssueCount.objects.filter(pk__gt=mark.row).order_by("pk").select_related("repository")[:MOST]
    for issue_count in fresh:
        before = IssueCount.objects.filter(repository=issue_count.repository_id, pk__lt=issue_count.pk).first()
        if before is not None:
            known = {row[0] for row in before.counts}
            rules = [(row[0], row[2]) for row in issue_count.counts if row[1] in GRAVE and row[0] not in known]
            if rules:
                facts = {"rules": rules[:20]}
                key = f"issues-new-{issue_count.pk}"
                yield notify(key, "issues.new", issue_count.repository, Weight.IMPORTANT, facts)
        NotificationMark.objects.filter(pk=mark.pk).update(row=issue_count.pk)


def record_applications(now: datetime) -> Iterator[bool]:
    """Record the applications of librarians and the answers of staff; yield whether each event is new."""
    submitted = Application.objects.select_related("repository").filter(asked_at__gte=now - LATELY)
    for key, application in unrecorded(submitted, lambda application: f"application-{application.pk}"):
        facts = {"by": application.asked_by, "text": application.text, "kind": application.kind}
        yield notify(key, "application.asked", application.repository, Weight.IMPORTANT, facts)
    answered = Application.objects.select_related("repository").filter(answered_at__gte=now - LATELY)
    answered = answered.exclude(state=Application.State.WITHDRAWN)
    for key, application in unrecorded(answered, lambda application: f"application-{application.pk}-answered"):
        facts = {"state": application.state, "text": application.answer, "kind": application.kind}
        yield notify(key, "application.answered", application.repository, Weight.IMPORTANT, facts)


def confirm_contacts() -> None:
    """Ask new contact addresses of providers for confirmation; stop messages to addresses that were replaced."""
    states = HARVESTED
    present = Repository.objects.filter(state__in=states).exclude(contact_email="")
    for repository in present.exclude(pk__in=_with_asked_contact())[:MOST]:
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
        confirmation_message(to).save()
    else:
        Recipient.objects.filter(pk=to.pk, stopped_why="replaced").update(stopped=None, stopped_why="")


def _with_asked_contact() -> Any:
    """The repositories whose current contact address has been asked for confirmation."""
    recipients = Recipient.objects.filter(person=None, repository__contact_email=F("address"))
    return recipients.exclude(stopped_why="replaced").values("repository")
