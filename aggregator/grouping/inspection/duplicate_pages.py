"""One provider's duplicate records, and ISBNs shared by different books, page by page. No HTTP.

The same lists as in `duplicates`, but bounded: at most LOOKED_AT members or ISBNS_LOOKED_AT ISBNs are read for one
page. All records of a core have the same title, so only ISBNs on several cores need to be looked at more closely.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from django.db.models import Count

from aggregator.grouping.inspection.duplicates import TITLES, Duplicate, ListedRecord, listed_records
from aggregator.grouping.rows import members_of_cores
from aggregator.matching import decode_features
from aggregator.models import Core, Kind, MatchAlarm, MatchKey, Member
from core.database.batches import chunks, select_in
from harvesting.models import SourceRecord

PAGE = 30
LOOKED_AT = 20_000  # members of groups
ISBNS_LOOKED_AT = 50_000  # ISBNs of cores; most are on one core only and cost nothing more
MOST_OWN = 20_000  # records of a provider that are looked through for one page
ISBNS_AT_ONCE = 200  # ISBNs whose titles are read by one query
_FIRST, _BEHIND = 9_780_000_000_000 - 1, 9_800_000_000_000  # the range of ISBNs among the keys
_SUSPECT = MatchAlarm.Kind.SUSPECT_ISBN
MOST_BEARERS = 30  # records shown per ISBN


class _Bearer(NamedTuple):
    """A record that bears an ISBN, with its kind and core."""

    pk: int
    kind: int
    core: int


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
    """Groups with several records of this provider, oldest group first, beginning after the group `after`.

    The whole list of a provider with up to MOST_OWN records is looked through at once, by its records; of others the
    groups are, LOOKED_AT members of all providers at a time.
    """
    members = Member.objects.filter(manifestation__gt=after)
    own = members.filter(source_record__repository=repository)
    bound = None
    if SourceRecord.objects.filter(repository=repository).order_by()[: MOST_OWN + 1].count() > MOST_OWN:
        numbers_of_groups = members.order_by("manifestation").values_list("manifestation", flat=True)
        bound = numbers_of_groups[LOOKED_AT : LOOKED_AT + 1].first()
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
    cores, bound = _cores(max(after, _FIRST))
    alarms = _alarms(cores)
    wanted = {isbn: found for isbn, found in cores.items() if isbn in alarms or len(found) >= TITLES}
    bearers = _bearers(wanted, repositories)
    isbns = list(islice(_suspect(bearers, alarms), size + 1))
    shown = {isbn: bearers[isbn][:MOST_BEARERS] for isbn in isbns[:size]}
    known = listed_records([bearer.pk for found in shown.values() for bearer in found])
    rows = [
        SuspectIsbn(str(isbn), alarms.get(isbn) or len(bearers[isbn]), tuple(known[bearer.pk] for bearer in found))
        for isbn, found in shown.items()
    ]
    return Page(rows, isbns[size - 1] if len(isbns) > size else bound)


def _cores(after: int) -> tuple[dict[int, list[int]], int]:
    """The next ISBNs in order, each with the cores that bear it, and the ISBN after which to continue (0 if no more
    follow). Reads an index only.
    """
    keys = MatchKey.objects.filter(key__gt=after, key__lt=_BEHIND).order_by("key", "core")
    rows = list(keys.values_list("key", "core")[:ISBNS_LOOKED_AT])
    cores: defaultdict[int, list[int]] = defaultdict(list)
    for isbn, core in rows:
        cores[isbn].append(core)
    last = rows[-1][0] if len(rows) == ISBNS_LOOKED_AT and rows[0][0] != rows[-1][0] else 0
    if last:
        del cores[last]  # possibly not all of its cores were read
    return dict(cores), max(cores, default=0) if last else 0


def _alarms(isbns: Collection[int]) -> dict[int, int]:
    """How many records bear each of those of these ISBNs that are suspect. One query for their whole range."""
    if not isbns:
        return {}
    found = MatchAlarm.objects.filter(kind=_SUSPECT, number__range=(min(isbns), max(isbns)))
    return dict(found.values_list("number", "records"))


def _bearers(cores: Mapping[int, Sequence[int]], repositories: Sequence[int]) -> dict[int, list[_Bearer]]:
    """The records of these providers that bear the ISBNs, by ISBN. cores: ISBN -> the cores that bear it."""
    all_cores = {core for found in cores.values() for core in found}
    members = members_of_cores(dict(select_in(Core, ("id", "manifestation_id"), "id", all_cores)))
    owner_of = dict(select_in(SourceRecord, ("id", "repository_id"), "id", {pk for pk, _kind, _core in members}))
    owners = set(repositories)
    records: defaultdict[int, list[_Bearer]] = defaultdict(list)
    for pk, kind, core in members:
        if owner_of[pk] in owners:
            records[core].append(_Bearer(pk, kind, core))
    bearers = {
        isbn: sorted(chain.from_iterable(records.get(core, ()) for core in found)) for isbn, found in cores.items()
    }
    return {isbn: found for isbn, found in bearers.items() if found}


def _suspect(bearers: Mapping[int, Sequence[_Bearer]], alarms: Collection[int]) -> Iterator[int]:
    """The ISBNs that are suspect or whose first MOST_BEARERS records have at least TITLES titles."""
    for isbns in chunks(bearers, ISBNS_AT_ONCE):
        unknown = {isbn: bearers[isbn][:MOST_BEARERS] for isbn in isbns if isbn not in alarms}
        many = {isbn: found for isbn, found in unknown.items() if len({bearer.core for bearer in found}) >= TITLES}
        titles = _titles({bearer.kind for found in many.values() for bearer in found})
        for isbn in isbns:
            if isbn in alarms or len({titles[bearer.kind] for bearer in many.get(isbn, ())} - {""}) >= TITLES:
                yield isbn


def _titles(kinds: Collection[int]) -> defaultdict[int, str]:
    """Kind -> the folded title of its records."""
    rows = select_in(Kind, ("id", "features"), "id", kinds)
    return defaultdict(str, {pk: decode_features(bytes(features)).title for pk, features in rows})
