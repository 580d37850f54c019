"""One provider's records that say the same book, and ISBNs that stand on different books, page by page. No HTTP.

As `duplicates` tells them all, but bounded: LOOKED_AT members or alarms are looked at for one page.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from aggregator.grouping.duplicates import TITLES, Duplicate, Listed, listed
from aggregator.matching import decode_features
from aggregator.models import MatchAlarm, MatchKey, Member
from core.database.batches import select_in

PAGE = 30
LOOKED_AT = 50_000
_FIRST, _BEHIND = 9_780_000_000_000 - 1, 9_800_000_000_000  # ISBNs among the keys
_SUSPECT = MatchAlarm.Kind.SUSPECT_ISBN
MOST_BEARERS = 30  # records shown of one ISBN


@dataclass(frozen=True, slots=True)
class Suspect:
    """An ISBN on different books. records: of the providers that are asked about; all: of everybody."""

    isbn: str
    all: int
    records: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class Page[T]:
    """after: where the next page begins, 0 where there is none."""

    rows: Sequence[T]
    after: int


def same_books(repository: int, after: int = 0, size: int = PAGE) -> Page[Duplicate]:
    """Groups with several records of this provider, the oldest first, behind this number."""
    members = Member.objects.filter(manifestation__gt=after)
    bound = members.order_by("manifestation").values_list("manifestation", flat=True)[LOOKED_AT : LOOKED_AT + 1].first()
    own = members.filter(source_record__repository=repository)
    own = own.filter(manifestation__lte=bound) if bound else own
    counted = own.values("manifestation").annotate(count=Count("pk")).filter(count__gt=1).order_by("manifestation")
    numbers = list(counted.values_list("manifestation", flat=True)[: size + 1])
    inside: defaultdict[int, list[int]] = defaultdict(list)
    shown = Member.objects.filter(manifestation__in=numbers[:size], source_record__repository=repository)
    for number, pk in shown.order_by("pk").values_list("manifestation", "pk"):
        inside[number].append(pk)
    known = listed([pk for pks in inside.values() for pk in pks])
    rows = [Duplicate(number, tuple(known[pk] for pk in inside[number] if pk in known)) for number in numbers[:size]]
    return Page(rows, numbers[size - 1] if len(numbers) > size else bound or 0)


def suspects(repositories: Sequence[int], after: int = 0, size: int = PAGE) -> Page[Suspect]:
    """ISBNs of their records that hardly count in matching, or stand on TITLES titles, the smallest first."""
    bearers, bound = _bearers(repositories, max(after, _FIRST))
    alarms = dict(select_in(MatchAlarm, ("number", "records"), "number", list(bearers), kind=_SUSPECT))
    found: list[int] = []
    for isbn, pks in bearers.items():
        if isbn in alarms or (len(pks) >= TITLES and _titles(pks) >= TITLES):
            found.append(isbn)
            if len(found) > size:
                break
    shown = {isbn: bearers[isbn][:MOST_BEARERS] for isbn in found[:size]}
    known = listed([pk for pks in shown.values() for pk in pks])
    rows = [
        Suspect(str(isbn), alarms.get(isbn) or len(bearers[isbn]), tuple(known[pk] for pk in pks))
        for isbn, pks in shown.items()
    ]
    return Page(rows, found[size - 1] if len(found) > size else bound)


def _bearers(repositories: Sequence[int], after: int) -> tuple[dict[int, list[int]], int]:
    """The next ISBNs with the records that bear them, in order; and the last one if there are more."""
    keys = MatchKey.objects.filter(key__gt=after, key__lt=_BEHIND, source_record__repository__in=repositories)
    rows = list(keys.order_by("key", "source_record").values_list("key", "source_record")[:LOOKED_AT])
    found: defaultdict[int, list[int]] = defaultdict(list)
    for isbn, pk in rows:
        found[isbn].append(pk)
    if len(rows) < LOOKED_AT or len(found) < 2:
        return dict(found), 0
    del found[rows[-1][0]]  # perhaps not all of its records were read
    return dict(found), max(found)


def _titles(pks: Sequence[int]) -> int:
    """How many titles the records have that differ even when folded."""
    rows = select_in(Member, ("features",), "source_record_id", pks[:MOST_BEARERS])
    return len({decode_features(bytes(features)).title for (features,) in rows} - {""})
