"""Undoing a run: what a harvest has added, replaced and deleted is taken back, for 30 days.

A record that has changed since, or was deleted or refused by a later run, is left as it is. Nothing returns whose data
were erased, because an erasure deletes the payloads and versions that undoing needs.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.http.row_ids import row_id
from harvesting.accounts.access import repositories_of
from harvesting.bulk.base import Action, Busy, Change, Example, Portion, Target
from harvesting.bulk.issues import count_again
from harvesting.bulk.records import examples_of, moments_of, unchanged
from harvesting.issues.filters import ReasonForm
from harvesting.models import BulkAction, BulkChange, Harvest, RecordVersion, SourceRecord
from harvesting.records.lists import RecordFilterForm
from harvesting.records.tombstones import delete_again, deletions, mark_deleted, undelete
from harvesting.records.versions import KEPT_FOR, exchange
from harvesting.rereading.run import reread_now

ADDED, REPLACED, DELETED = "added", "replaced", "deleted"
PORTION = 50  # records per transaction; few, because their payloads are read again


def can_be_undone(run: Harvest) -> bool:
    """Whether the run has ended, not too long ago, and has changed anything."""
    changed = run.created + run.updated + run.deleted + run.swept
    recent = run.finished_at is not None and run.finished_at > timezone.now() - KEPT_FOR
    return bool(changed and recent and run.state not in Harvest.ACTIVE)


def _run(query: QueryDict) -> int:
    return row_id(query.get("harvest", ""))


def _rows(query: QueryDict, person: Any) -> QuerySet[SourceRecord]:
    """The records that the run has changed, also those that have changed since."""
    number = _run(query)
    own = Harvest.objects.filter(pk=number, feed__repository__in=repositories_of(person))
    run = own.select_related("feed").first()
    if run is None or not can_be_undone(run):
        return SourceRecord.objects.none()
    versions = RecordVersion.objects.filter(record=OuterRef("pk"), brought_by=number)
    touched = Q(brought_by=number) | Q(deleted_by=number) | Exists(versions)
    return SourceRecord.objects.filter(touched, repository=run.feed.repository_id)


def _still(query: QueryDict, rows: QuerySet[SourceRecord]) -> QuerySet[SourceRecord]:
    """Return the records that have not changed since the run."""
    number = _run(query)
    live = Q(brought_by=number, deleted=False, refused=False)
    return rows.filter(live | (Q(deleted_by=number, deleted=True) & ~Q(payload=b"")))


def _examples(numbers: Sequence[int], query: QueryDict) -> list[Example]:
    """The records with what undoing means for them."""
    kinds = _kinds(numbers, _run(query))
    pks = sorted(numbers)
    words = {ADDED: _("is deleted"), REPLACED: _("gets its previous version back"), DELETED: _("is restored")}
    return [
        Example(example.name, words.get(kinds.get(pk, ""), ""), example.url)
        for pk, example in zip(pks, examples_of(pks, query), strict=False)
    ]


def _kinds(numbers: Sequence[int], run: int) -> dict[int, str]:
    """Record id -> what the run did to the record, unless the record has changed since."""
    rows = SourceRecord.objects.filter(pk__in=numbers).values_list("pk", "brought_by", "deleted_by", "deleted")
    earlier = _earlier(numbers, run)
    kinds = {}
    for pk, brought_by, deleted_by, deleted in rows:
        if deleted and deleted_by == run:
            kinds[pk] = DELETED
        elif not deleted and brought_by == run:
            kinds[pk] = REPLACED if pk in earlier else ADDED
    return kinds


def _earlier(numbers: Sequence[int], run: int) -> dict[int, int]:
    """Record id -> id of the newest version from before the run."""
    versions = RecordVersion.objects.filter(record__in=numbers).order_by()
    before = versions.filter(Q(brought_by__lt=run) | Q(brought_by=None))
    return dict(before.values_list("record").annotate(newest=Max("pk")))


def _undo_run(portion: Portion) -> list[Change]:
    """Take back what the run did to these records. Raises Busy while its provider is being harvested."""
    run = _run(QueryDict(portion.bulk.query))
    rows = SourceRecord.objects.select_for_update(of=("self",)).filter(pk__in=portion.numbers)
    owners = dict(rows.values_list("pk", "repository"))
    _require_rest(owners.values())
    kinds = _kinds(portion.numbers, run)
    restored = deletions(pk for pk, kind in kinds.items() if kind == DELETED)
    undelete(list(restored))
    exchanged = _put_in_use(
        {pk: version for pk, version in _earlier(portion.numbers, run).items() if kinds.get(pk) == REPLACED}
    )
    added = [pk for pk, kind in kinds.items() if kind == ADDED]
    mark_deleted(SourceRecord.objects.filter(pk__in=added), SourceRecord.Deletion.PERSON)
    before: dict[int, dict[str, Any]] = {pk: {"kind": DELETED, **values} for pk, values in restored.items()}
    before |= {pk: {"kind": REPLACED, "version": version} for pk, version in exchanged.items()}
    before |= {pk: {"kind": ADDED} for pk in added}
    moments = moments_of(before)
    return [Change(pk, owners[pk], {**values, "moment": moments[pk]}) for pk, values in before.items()]


def _require_rest(repositories: Iterable[int]) -> None:
    if Harvest.objects.active().filter(feed__repository__in=set(repositories)).exists():
        raise Busy


def _put_in_use(versions: dict[int, int]) -> dict[int, int]:
    """Put these versions in use, and read them by the current rules. Return the versions that were in use before.

    A version that the current rules refuse is not put in use: the record stays as it is.
    """
    exchanged = exchange(versions)
    reread_now(sorted(exchanged))
    refused = SourceRecord.objects.filter(pk__in=exchanged, refused=True).values_list("pk", flat=True)
    back = {pk: exchanged.pop(pk) for pk in list(refused)}
    if back:
        reread_now(sorted(exchange(back)))
    return exchanged


def _redo(_bulk: BulkAction, _person: Any, changes: Sequence[BulkChange]) -> set[int]:
    """Bring the records back to how the run had left them, unless they have changed since."""
    found = unchanged(changes)
    by_kind = {
        kind: [change for change in found if change.before["kind"] == kind] for kind in (ADDED, REPLACED, DELETED)
    }
    undelete([change.number for change in by_kind[ADDED]])
    exchanged = _put_in_use({change.number: change.before["version"] for change in by_kind[REPLACED]})
    for change in by_kind[DELETED]:
        delete_again(change.number, change.before)
    return {change.number for change in found if change.before["kind"] != REPLACED} | exchanged.keys()


CHANGES = Target(
    name="harvests",
    label=gettext_lazy("Records that the harvest has changed"),
    model=SourceRecord,
    rows=_rows,
    examples=_examples,
    page="record_list",
    filter_form=RecordFilterForm,
    after=count_again,
)
ACTIONS = (
    Action(
        name="harvests.undo",
        target=CHANGES,
        label=gettext_lazy("Undo the harvest"),
        effect=gettext_lazy(
            "What the harvest added is deleted, what it replaced gets its previous version back, what it deleted is "
            "restored. What the provider sends in later harvests is taken again: pause it first if it would send the "
            "same."
        ),
        unconcerned=gettext_lazy("Changed since, left as they are"),
        form=ReasonForm,
        applicable=_still,
        apply=_undo_run,
        undo=_redo,
        portion=PORTION,
    ),
)
