"""How many entries the lists of everything, of an origin, of a type and of copies have, without counting their rows.

Rows of items are never deleted, so these numbers only grow: an item counts from its first stamp on, a type of it from
when it first has it. `stamping` adds them in the transaction that gives the stamp, while it has its lock anyway. Items
that an older release has stamped are counted in portions (`count_missing`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from django.db import connection
from django.db.models import Max, QuerySet, Sum

from aggregator.models import ListCounting, ListSize, Provided
from aggregator.provision.pending import MERGED
from aggregator.provision.sets import COPIES, EVERY_REPOSITORY, Part
from aggregator.provision.stamps.barrier import stamping
from core.database.batches import tally

ALL_COPIES = "copies"  # the names of lists are the other parts of setSpecs, but with keys of providers' rows
PORTION = 20_000  # items that are counted in one transaction
EVERY_ITEM = 2**62  # above all numbers of items

# For the items above one number and up to another one
_COUNTS = (
    "SELECT 'origin:' || origin, COUNT(*) FROM aggregator_provided "
    "WHERE id > %s AND id <= %s AND stamp IS NOT NULL GROUP BY origin",
    "SELECT 'type:' || type, COUNT(*) FROM aggregator_providedtype WHERE item > %s AND item <= %s GROUP BY type",
    "SELECT 'copies', COUNT(*) FROM aggregator_providedcopy WHERE item > %s AND item <= %s",
)


def of_origin(origin: int) -> str:
    return f"origin:{origin}"


def of_type(name: str) -> str:
    return f"type:{name}"


def size(part: Part) -> int | None:
    """Return how many entries a part has whatever their stamps, or None if that is not kept, or not yet counted."""
    rows = _rows(part)
    if rows is None or not ListCounting.objects.filter(pk=1, counted_to=EVERY_ITEM).exists():
        return None
    return rows.aggregate(all=Sum("count"))["all"] or 0


def _rows(part: Part) -> QuerySet[ListSize] | None:
    """Return the rows that together are the size of a part, None if there are none for it."""
    if part.parts or part.without or (part.type and part.origin is not None):
        return None
    if part.origin == COPIES:
        return ListSize.objects.filter(list=ALL_COPIES)
    if part.type:
        return ListSize.objects.filter(list=of_type(part.type))
    origins = ListSize.objects.filter(list__startswith=of_origin(0)[:-1])
    if part.origin is None:
        return origins
    if part.origin == EVERY_REPOSITORY:
        return origins.exclude(list=of_origin(MERGED))
    return origins.filter(list=of_origin(part.origin))


def last_stamp() -> int:
    return Provided.objects.aggregate(last=Max("stamp"))["last"] or 0


def add(entries: Iterable[tuple[str, int]], last: int, stamp: int) -> None:
    """Add new entries of lists (name and item) in the transaction that gives them their stamp.

    last: the highest stamp before. If an older release has given it, all are counted again.
    """
    counting = ListCounting.objects.filter(pk=1).first()
    if counting is None:
        return
    if last > counting.stamp:
        ListCounting.objects.filter(pk=1).update(counted_to=0)
        return
    _add(Counter(name for name, item in entries if item <= counting.counted_to))
    ListCounting.objects.filter(pk=1).update(stamp=stamp)


def has_missing() -> bool:
    """Return whether `count_missing` has work."""
    is_done = ListCounting.objects.filter(pk=1, counted_to=EVERY_ITEM).exists()
    return not is_done and Provided.objects.filter(stamp__isnull=False).exists()


def count_missing() -> Iterator[None]:
    """Count the items that are not counted, a portion in each step; the next run continues after the last one."""
    while not ListCounting.objects.filter(pk=1, counted_to=EVERY_ITEM).exists():
        with stamping() as lock:
            lock()
            _count_portion()
        yield


def _count_portion() -> None:
    counting, _new = ListCounting.objects.get_or_create(pk=1)
    after = counting.counted_to
    if not after:
        ListSize.objects.all().delete()
        counting.stamp = last_stamp()
    items = Provided.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)
    counting.counted_to = next(iter(items[PORTION - 1 : PORTION]), EVERY_ITEM)
    with connection.cursor() as cursor:
        for statement in _COUNTS:
            cursor.execute(statement, [after, counting.counted_to])
            _add({name: count for name, count in cursor.fetchall() if count})
    counting.save()


def _add(counts: dict[str, int]) -> None:
    tally(ListSize, ("list", "count"), sorted(counts.items()), unique=("list",))
