"""Carries bulk actions out: counting, changing and undoing, each in portions.

A portion is one transaction, which also stores the position. A killed worker therefore repeats nothing and leaves
nothing out. One worker carries out bulk actions at a time; it gives each of them a portion in turn, so that a small one
does not wait for a large one.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import Max
from django.http import QueryDict
from django.utils import timezone

from core.checkpoints import checkpoint
from core.database.locks import Work, try_lock
from core.http.row_ids import row_id
from harvesting.accounts.access import repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import label_of, note
from harvesting.bulk.base import Action, Busy, Example, Portion
from harvesting.models import BulkAction, BulkChange, Repository

logger = logging.getLogger(__name__)
type Table = Mapping[str, Action]

State = BulkAction.State
SCAN = 20_000  # ids that one step looks through
AT_ONCE = 0.5  # seconds that a request counts; the queue counts the rest
SLICE = 60.0  # seconds of one job
BUSY_PAUSE = timedelta(seconds=20)
EXAMPLES = 10
UNDO_FOR = timedelta(days=30)
UNCONFIRMED_FOR = timedelta(days=1)
MOST_CHOSEN = 1000  # rows selected one by one
CHUNK = 5000  # changes per DELETE
# Checkpoints at which tests kill the process.
BEFORE_COMMIT, AFTER_COMMIT = "bulk.before_commit", "bulk.after_commit"
NOT_PERMITTED = "not_permitted"


def prepare(action: Action, person: Any, query: str, chosen: Sequence[int] = ()) -> BulkAction:
    """Store a bulk action that waits for confirmation, and begin to count its rows.

    query: the filter. chosen: ids of single rows, which are all that the action is about.
    """
    last = action.target.model._base_manager.aggregate(last=Max("pk"))["last"] or 0
    numbers = sorted(set(chosen))[:MOST_CHOSEN]
    bulk = BulkAction.objects.create(
        person=person, name=person.get_username(), action=action.name, query=query, chosen=numbers, last=last
    )
    BulkAction.objects.filter(pk=bulk.pk).update(repository=_one_provider(action, bulk, person))
    end = time.monotonic() + AT_ONCE
    while _step(bulk.pk, {action.name: action}) and time.monotonic() < end:
        pass
    bulk.refresh_from_db()
    return bulk


def confirm(bulk: BulkAction, action: Action, person: Any, parameters: Mapping[str, Any]) -> bool:
    """Let the queue carry the action out; False if it does not wait for confirmation any more."""
    with transaction.atomic():
        waiting = BulkAction.objects.filter(pk=bulk.pk, state=State.READY)
        values = {"state": State.RUNNING, "position": 0, "parameters": dict(parameters), "touched_at": timezone.now()}
        if not waiting.update(**values):
            return False
        bulk.refresh_from_db()
        details = {"action": label_of(action.label), "rows": bulk.applicable, "filter": bulk.query}
        note(person, "bulk.begun", bulk, str(parameters.get("reason", "")), details)
    return True


def stop(bulk: BulkAction, person: Any) -> bool:
    """Stop an action, or discard one that was not confirmed; False if it has ended."""
    if BulkAction.objects.filter(pk=bulk.pk, state__in=(State.COUNTING, State.READY)).delete()[0]:
        return True
    with transaction.atomic():
        running = BulkAction.objects.filter(pk=bulk.pk, state=State.RUNNING)
        if not running.update(state=State.STOPPED, ended_at=timezone.now()):
            return False
        note(person, "bulk.stopped", bulk)
    return True


def begin_undoing(bulk: BulkAction, action: Action, person: Any) -> bool:
    """Let the queue undo what the action has changed; False if that is not possible."""
    if not can_be_undone(bulk, action):
        return False
    with transaction.atomic():
        values = {"state": State.UNDOING, "position": 0, "touched_at": timezone.now(), "resume_at": None}
        values |= {"undoer": person}
        if not BulkAction.objects.filter(pk=bulk.pk, state__in=BulkAction.ENDED).update(**values):
            return False
        note(person, "bulk.undone", bulk, details={"action": label_of(action.label), "rows": bulk.done})
    return True


def retry(bulk: BulkAction) -> bool:
    """Continue a failed action where it failed."""
    failed = BulkAction.objects.filter(pk=bulk.pk, state=State.FAILED)
    return bool(failed.update(state=State.RUNNING, problem="", ended_at=None, touched_at=timezone.now()))


def can_be_undone(bulk: BulkAction, action: Action) -> bool:
    """Whether the changes of an action can still be undone."""
    recent = bulk.ended_at is not None and bulk.ended_at > timezone.now() - UNDO_FOR
    return bool(action.undo and recent and bulk.done and bulk.state in BulkAction.ENDED)


def examples(bulk: BulkAction, action: Action, person: Any) -> list[Example]:
    """Some of the rows that the action would change, or has changed."""
    if bulk.state in (State.COUNTING, State.READY):
        numbers: list[int] = []
        position = 0
        while len(numbers) < EXAMPLES and position < bulk.last:
            found, position = _next(bulk, action, person, position)
            numbers += found[: EXAMPLES - len(numbers)]
    else:
        numbers = list(bulk.changes.order_by("pk").values_list("number", flat=True)[:EXAMPLES])
    return action.target.examples(numbers, QueryDict(bulk.query))


def has_work() -> bool:
    """Whether a bulk action waits for a worker."""
    return BulkAction.objects.waiting().exists()


def carry_out(table: Table, seconds: float = SLICE) -> int:
    """Carry out what waits, a portion of each action in turn, at most for this time. Return the number of portions."""
    portions, end = 0, time.monotonic() + seconds
    with try_lock(Work.BULK_ACTIONS) as alone:
        while alone and time.monotonic() < end:
            waiting = list(BulkAction.objects.waiting().values_list("pk", flat=True))
            if not waiting:
                break
            for pk in waiting:
                _step(pk, table)
                portions += 1
    return portions


def forget(now: datetime) -> int:
    """Delete actions that were not confirmed, and those that can no longer be undone; return how many rows."""
    unconfirmed = BulkAction.objects.filter(
        state__in=(State.COUNTING, State.READY), created__lt=now - UNCONFIRMED_FOR
    ).delete()[0]
    old = BulkAction.objects.filter(ended_at__lt=now - UNDO_FOR).exclude(state__in=BulkAction.AT_WORK)
    return unconfirmed + sum(_delete(bulk) for bulk in old.only("pk"))


def _delete(bulk: BulkAction) -> int:
    deleted = 0
    while pks := list(bulk.changes.order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        deleted += BulkChange.objects.filter(pk__in=pks).delete()[0]
    return deleted + BulkAction.objects.filter(pk=bulk.pk).delete()[0]


def _step(pk: int, table: Table) -> bool:
    """Carry out one portion of an action. Return whether it has more to do."""
    try:
        with transaction.atomic():
            bulk = (
                BulkAction.objects.select_for_update(of=("self",))
                .select_related("person", "undoer")
                .filter(pk=pk)
                .first()
            )
            if bulk is None or bulk.state not in BulkAction.AT_WORK:
                return False
            more = _portion(bulk, table)
            bulk.touched_at = timezone.now()
            bulk.save()
            checkpoint(BEFORE_COMMIT)
        checkpoint(AFTER_COMMIT)
    except Busy:
        later = timezone.now() + BUSY_PAUSE
        BulkAction.objects.filter(pk=pk).update(resume_at=later, touched_at=timezone.now())
        return False
    except OperationalError:
        raise  # the database is not there or busy: the next job tries again
    except Exception:
        logger.exception("bulk action %s failed", pk)
        _fail(pk, "error")
        return False
    if not more and bulk.state in (*BulkAction.ENDED, State.UNDONE):
        table[bulk.action].target.after(_providers(bulk))
    return more


def _portion(bulk: BulkAction, table: Table) -> bool:
    action, bulk.resume_at = table[bulk.action], None
    person = bulk.undoer if bulk.state == State.UNDOING else bulk.person
    if person is None or role_of(person) < action.least:
        bulk.state, bulk.problem, bulk.ended_at = State.FAILED, NOT_PERMITTED, timezone.now()
        return False
    work = {State.COUNTING: _count, State.RUNNING: _change, State.UNDOING: _undo}[State(bulk.state)]
    return work(bulk, action)


def _count(bulk: BulkAction, action: Action) -> bool:
    query = QueryDict(bulk.query)
    rows = action.target.rows(query, bulk.person)
    window, position = _window(bulk, rows, bulk.position)
    matched = list(action.target.keep(query, window))
    bulk.matched += len(matched)
    bulk.applicable += len(_applicable(action, query, window, matched))
    bulk.position = position
    if position >= bulk.last:
        bulk.state, bulk.position = State.READY, 0
        return False
    return True


def _change(bulk: BulkAction, action: Action) -> bool:
    numbers, position = _next(bulk, action, bulk.person, bulk.position)
    if numbers:
        changes = action.apply(Portion(bulk, bulk.person, action.parameters(bulk.parameters), numbers))
        BulkChange.objects.bulk_create(
            BulkChange(bulk=bulk, number=change.number, repository_id=change.repository, before=dict(change.before))
            for change in changes
        )
        bulk.done += len(changes)
        bulk.skipped += len(numbers) - len(changes)
    bulk.position = position
    if position >= bulk.last:
        bulk.state, bulk.ended_at = State.DONE, timezone.now()
        return False
    return True


def _undo(bulk: BulkAction, action: Action) -> bool:
    remaining = bulk.changes.filter(pk__gt=bulk.position, state=BulkChange.State.DONE).order_by("pk")
    changes = list(remaining[: action.portion])
    if not changes or action.undo is None:
        bulk.state, bulk.ended_at = State.UNDONE, timezone.now()
        return False
    permitted = _permitted(bulk.undoer, changes)
    undone = action.undo(bulk, bulk.undoer, permitted) if permitted else set()
    numbers = [change.pk for change in changes if change.number in undone]
    left = [change.pk for change in changes if change.number not in undone]
    BulkChange.objects.filter(pk__in=numbers).update(state=BulkChange.State.UNDONE)
    BulkChange.objects.filter(pk__in=left).update(state=BulkChange.State.LEFT)
    bulk.undone += len(numbers)
    bulk.left += len(left)
    bulk.position = changes[-1].pk
    return True


def _permitted(person: Any, changes: list[BulkChange]) -> list[BulkChange]:
    """Those of the changes that are about providers this person may act for."""
    if role_of(person) >= Role.STAFF:
        return changes
    own = set(repositories_of(person).values_list("pk", flat=True))
    return [change for change in changes if change.repository_id in own]


def _next(bulk: BulkAction, action: Action, person: Any, position: int) -> tuple[list[int], int]:
    """The next rows that the action changes, at most a portion of them, and the position after them."""
    query = QueryDict(bulk.query)
    window, end = _window(bulk, action.target.rows(query, person), position)
    numbers = sorted(_applicable(action, query, window, list(action.target.keep(query, window))))
    portion = numbers[: action.portion]
    return portion, portion[-1] if len(numbers) > len(portion) else end


def _applicable(action: Action, query: QueryDict, window: Any, numbers: list[int]) -> list[int]:
    allowed = set(action.applicable(query, window).values_list("pk", flat=True))
    return [number for number in numbers if number in allowed]


def _window(bulk: BulkAction, rows: Any, position: int) -> tuple[Any, int]:
    """The rows with the next ids, and the position after them. A step looks at SCAN ids, whatever the filter."""
    rows = rows.filter(pk__gt=position, pk__lte=bulk.last)
    if bulk.chosen:
        return rows.filter(pk__in=bulk.chosen), bulk.last
    first = rows.model._base_manager.filter(pk__gt=position).order_by("pk").values_list("pk", flat=True).first()
    end = min((first or bulk.last) + SCAN - 1, bulk.last)
    return rows.filter(pk__lte=end), end


def _one_provider(action: Action, bulk: BulkAction, person: Any) -> Repository | None:
    """The provider that all rows belong to, as far as that is known without reading them."""
    own = repositories_of(person)
    if number := QueryDict(bulk.query).get("repository", ""):
        return own.filter(number=number).first()
    if harvest := QueryDict(bulk.query).get("harvest", ""):
        return own.filter(feeds__harvests=row_id(harvest)).first()
    some = list(own[:2])
    return some[0] if len(some) == 1 else None


def _providers(bulk: BulkAction) -> list[int]:
    found = bulk.changes.order_by().values_list("repository", flat=True).distinct()
    return [pk for pk in found if pk is not None]


def _fail(pk: int, problem: str) -> None:
    BulkAction.objects.filter(pk=pk).update(
        state=State.FAILED, problem=problem, ended_at=timezone.now(), touched_at=timezone.now()
    )
