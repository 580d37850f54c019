"""One provider's duplicate records, and ISBNs shared by different books, page by page. No HTTP.

The same lists as in `duplicates`, but bounded: at most LOOKED_AT members or ISBNs of cores are read for one page.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count

from aggregator.grouping.inspection.duplicates import TITLES, Duplicate, ListedRecord, listed_records
from aggregator.matching import decode_features
from aggregator.models import Kind, MatchAlarm, MatchKey, Member
from core.database.batches import select_in
from harvesting.models import SourceRecord

PAGE = 30
LOOKED_AT = 50_000
_FIRST, _BEHIND = 9_780_000_000_000 - 1, 9_800_000_000_000  # the range of ISBNs among the keys
_SUSPECT = MatchAlarm.Kind.SUSPECT_ISBN
MOST_BEARERS = 30  # records shown per ISBN


@dataclass(frozen=True, slots=True)
class SuspectIsbn:
    """An ISBN on different books. records: up to MOST_BEARERS of the given providers. all: how many records bear it:
    of all providers where it is suspect, otherwise of the given ones.
    """

    isbn: str
    all: int
    records: tuple[ListedRecord, ...]


@dataclass(frozen=True, slots=True)
class Page[T]:
    """One page of rows. after: the position after which the next page begins, 0 on the last page."""

    rows: Sequence[T]
    after: int


def same_books(repository: int, after: int = 0, size: int = PAGE) -> Page[Duplicate]:
    """Groups with several records of this provider, oldest group first, beginning after the group `after`."""
    members = Member.objects.filter(manifestation__gt=after)
    bound = members.order_by("manifestation").values_list("manifestation", flat=True)[LOOKED_AT : LOOKED_AT + 1].first()
    own = members.filter(source_record__repository=repository)
    own = own.filter(manifestation__lte=bound) if bound else own
    counted = own.values("manifestation").annotate(count=Count("pk")).filter(count__gt=1).order_by("manifestation")
    numbers = list(counted.values_list("manifestation", flat=True)[: size + 1])
    inside: defaultdict[int, list[int]] = defaultdict(list)
    memberships = Member.objects.filter(manifestation__in=numbers[:size], source_record__repository=repository)
    for number, pk in memberships.order_by("pk").values_list("manifestation", "pk"):
        inside[number].append(pk)
    known = listed_records([pk for pks in inside.values() for pk in pks])
    rows = [Duplicate(number, tuple(known[pk] for pk in inside[number] if pk in known)) for number in numbers[:size]]
    return Page(rows, numbers[size - 1] if len(numbers) > size else bound or 0)


def suspect_isbns(repositories: Sequence[int], after: int = 0, size: int = PAGE) -> Page[SuspectIsbn]:
    """ISBNs of these providers' records that are suspect or appear on records with at least TITLES different titles,
    smallest first.
    """
    bearers, bound = _bearers(repositories, max(after, _FIRST))
    alarms = dict(select_in(MatchAlarm, ("number", "records"), "number", list(bearers), kind=_SUSPECT))
    isbns: list[int] = []
    for isbn, pks in bearers.items():
        if isbn in alarms or (len(pks) >= TITLES and _count_titles(pks) >= TITLES):
            isbns.append(isbn)
            if len(isbns) > size:
                break
    shown = {isbn: bearers[isbn][:MOST_BEARERS] for isbn in isbns[:size]}
    known = listed_records([pk for pks in shown.values() for pk in pks])
    rows = [
        SuspectIsbn(str(isbn), alarms.get(isbn) or len(bearers[isbn]), tuple(known[pk] for pk in pks))
        for isbn, pks in shown.items()
    ]
    return Page(rows, isbns[size - 1] if len(isbns) > size else bound)


def _bearers(repositories: Sequence[int], after: int) -> tuple[dict[int, list[int]], int]:
    """The next ISBNs in order, each with the records of these providers that bear it, and the ISBN after which to
    continue (0 if no more follow).
    """
    keys = MatchKey.objects.filter(key__gt=after, key__lt=_BEHIND).order_by("key", "core")
    rows = list(keys.values_list("key", "core")[:LOOKED_AT])
    records = _records({core for _isbn, core in rows}, repositories)
    bearers: defaultdict[int, list[int]] = defaultdict(list)
    for isbn, core in rows:
        bearers[isbn] += records.get(core, ())
    last = rows[-1][0] if len(rows) == LOOKED_AT and rows[0][0] != rows[-1][0] else 0
    if last:
        del bearers[last]  # possibly not all of its cores were read
    found = {isbn: sorted(pks) for isbn, pks in bearers.items() if pks}
    return found, max(bearers, default=0) if last else 0


def _records(cores: Collection[int], repositories: Sequence[int]) -> dict[int, list[int]]:
    """The records of these providers, by core."""
    core_of = dict(select_in(Kind, ("id", "core_id"), "core_id", cores))
    kind_of = dict(select_in(Member, ("source_record_id", "kind_id"), "kind_id", core_of))
    owners = set(repositories)
    records: defaultdict[int, list[int]] = defaultdict(list)
    for pk, owner in select_in(SourceRecord, ("id", "repository_id"), "id", kind_of):
        if owner in owners:
            records[core_of[kind_of[pk]]].append(pk)
    return dict(records)


def _count_titles(pks: Sequence[int]) -> int:
    """The number of titles of these records that differ even when folded."""
    kinds = {kind for (kind,) in select_in(Member, ("kind_id",), "source_record_id", pks[:MOST_BEARERS])}
    rows = select_in(Kind, ("features",), "id", kinds - {None})
    return len({decode_features(bytes(features)).title for (features,) in rows} - {""})
