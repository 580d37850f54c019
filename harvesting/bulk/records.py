"""Bulk actions on records: withholding and releasing, restoring, fetching again, rereading."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from harvesting.accounts.access import repositories_of
from harvesting.bulk.again import ask_again, reread
from harvesting.bulk.base import Action, Change, Example, Portion, Target
from harvesting.bulk.issues import count_again
from harvesting.issues.filters import ReasonForm
from harvesting.models import LARGE_COLUMNS, BulkAction, BulkChange, SourceRecord, Suppression
from harvesting.records.lists import RecordFilterForm
from harvesting.records.suppression import release, suppress
from harvesting.records.tombstones import delete_again, deletions, restorable, undelete


def _rows(query: QueryDict, person: Any) -> QuerySet[SourceRecord]:
    form = RecordFilterForm(query)
    return form.matching(repositories_of(person)) if form.is_valid() else SourceRecord.objects.none()


def examples_of(numbers: Sequence[int], _query: QueryDict) -> list[Example]:
    rows = SourceRecord.objects.filter(pk__in=numbers).select_related("repository").defer(*LARGE_COLUMNS).order_by("pk")
    return [Example(row.identifier, row.repository.label, reverse("record", args=[row.public_id])) for row in rows]


def _records(portion: Portion) -> list[SourceRecord]:
    locked = SourceRecord.objects.select_for_update(of=("self",)).filter(pk__in=portion.numbers)
    return list(locked.defer(*LARGE_COLUMNS).order_by("pk"))


def _withhold(portion: Portion) -> list[Change]:
    changes = []
    for record in _records(portion):
        if suppress(record, portion.parameters["reason"], portion.bulk.name):
            decided_at = Suppression.objects.values_list("decided_at", flat=True).get(record=record)
            changes.append(Change(record.pk, record.repository_id, {"decided_at": decided_at.isoformat()}))
    return changes


def _withheld(_bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    """Publish again what is still withheld by the same decision."""
    rows = Suppression.objects.select_related("record").defer(*(f"record__{name}" for name in LARGE_COLUMNS))
    decisions = rows.in_bulk([change.number for change in changes])
    found = [(change, decisions.get(change.number)) for change in changes]
    return {
        change.number
        for change, decision in found
        if decision and decision.decided_at.isoformat() == change.before["decided_at"] and release(decision.record)
    }


def _release(portion: Portion) -> list[Change]:
    decisions = Suppression.objects.in_bulk(portion.numbers)
    changes = []
    for record in _records(portion):
        decision = decisions.get(record.pk)
        before = {"reason": decision.reason, "decided_by": decision.decided_by} if decision else {}
        if release(record):
            changes.append(Change(record.pk, record.repository_id, before))
    return changes


def _released(_bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    records = SourceRecord.objects.defer(*LARGE_COLUMNS).in_bulk([change.number for change in changes])
    return {
        change.number
        for change in changes
        if (record := records.get(change.number))
        and suppress(record, change.before.get("reason", ""), change.before.get("decided_by", ""))
    }


def _restore(portion: Portion) -> list[Change]:
    before = deletions(portion.numbers)
    undelete(list(before))
    moments = moments_of(before)
    owners = dict(SourceRecord.objects.filter(pk__in=before).values_list("pk", "repository"))
    return [Change(pk, owners[pk], {**values, "moment": moments[pk]}) for pk, values in before.items()]


def moments_of(records: Iterable[int]) -> dict[int, str]:
    """Record id -> when the record was last changed; which shows whether it has changed since."""
    rows = SourceRecord.objects.select_for_update(of=("self",)).filter(pk__in=records)
    return {pk: changed_at.isoformat() for pk, changed_at in rows.values_list("pk", "changed_at")}


def unchanged(changes: Sequence[BulkChange]) -> list[BulkChange]:
    """The changes of records that have not changed since."""
    moments = moments_of([change.number for change in changes])
    return [change for change in changes if moments.get(change.number) == change.before["moment"]]


def _restored(_bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    """Delete again what has not changed since it was restored."""
    found = unchanged(changes)
    for change in found:
        delete_again(change.number, change.before)
    return {change.number for change in found}


def _themselves(portion: Portion) -> dict[int, int]:
    return {number: number for number in portion.numbers}


RECORDS = Target(
    name="records",
    label=gettext_lazy("Records"),
    model=SourceRecord,
    rows=_rows,
    examples=examples_of,
    page="record_list",
    filter_form=RecordFilterForm,
    after=count_again,
)
ACTIONS = (
    Action(
        name="records.withhold",
        target=RECORDS,
        label=gettext_lazy("Withhold"),
        effect=gettext_lazy(
            "These records can no longer be found or seen and are not redistributed, whatever their providers send. "
            "Their data and history are kept."
        ),
        form=ReasonForm,
        applicable=lambda _query, rows: rows.filter(suppressed_at=None),
        apply=_withhold,
        undo=_withheld,
    ),
    Action(
        name="records.release",
        target=RECORDS,
        label=gettext_lazy("Publish again"),
        effect=gettext_lazy("These withheld records can be found and seen again and are redistributed."),
        applicable=lambda _query, rows: rows.exclude(suppressed_at=None),
        apply=_release,
        undo=_released,
    ),
    Action(
        name="records.restore",
        target=RECORDS,
        label=gettext_lazy("Restore"),
        effect=gettext_lazy("These deleted records are restored to their state before the deletion."),
        applicable=lambda _query, rows: rows.filter(pk__in=restorable(timezone.now()).values("pk")),
        apply=_restore,
        undo=_restored,
    ),
    Action(
        name="records.ask",
        target=RECORDS,
        label=gettext_lazy("Fetch again from the provider"),
        effect=gettext_lazy("These records are requested from their providers again, 200 at a time."),
        lasting=gettext_lazy("What a harvest has changed is undone on the page of the harvest."),
        apply=lambda portion: ask_again(portion, _themselves(portion)),
    ),
    Action(
        name="records.reread",
        target=RECORDS,
        label=gettext_lazy("Reread the stored data"),
        effect=gettext_lazy("The stored data of these records are read again by the current rules."),
        lasting=gettext_lazy("The same rules would give the same result; it can be repeated after rules have changed."),
        apply=lambda portion: reread(portion, _themselves(portion)),
        portion=50,
    ),
)
