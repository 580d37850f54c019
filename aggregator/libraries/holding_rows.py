"""The table of holdings: reads what is stored of books, and writes only what differs."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import msgspec

from aggregator.libraries.holdings import Held, accessible_in, pack_copies
from aggregator.models import Holding, Library
from core.database.batches import select_in
from core.database.deferred_writes import Writes
from harvesting.records.compression import pack_encoded, unpack_encoded

_KEYS = ("manifestation_id", "library_id")
_COLUMNS = (*_KEYS, "copies", "link", "link_kind", "packed")


class Row(msgspec.Struct, frozen=True, gc=False):
    """A holding as it is stored, without its keys. packed: the copies."""

    copies: int
    link: str
    link_kind: str
    packed: bytes


type Rows = Mapping[int, Row]  # by library


class Differences(msgspec.Struct, frozen=True, gc=False):
    """What is to be written of a book's holdings. written: new and changed rows; came, left: libraries.

    relinked: the link of a library that still holds the book has changed. reformed: so have the accessible formats of
    its copies, by which the book is found.
    """

    written: Rows
    came: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    relinked: bool = False
    reformed: bool = False

    def __bool__(self) -> bool:
        return bool(self.written or self.left)

    @property
    def notable(self) -> bool:
        """Whether libraries, links or accessible formats differ, and not only copies."""
        return bool(self.came or self.left or self.relinked or self.reformed)


NONE = Differences({})


def stored_rows(numbers: Collection[int]) -> dict[int, Rows]:
    """Return the stored holdings of these books."""
    rows: defaultdict[int, dict[int, Row]] = defaultdict(dict)
    for number, library, copies, link, kind, packed in select_in(Holding, _COLUMNS, "manifestation_id", numbers):
        rows[number][library] = Row(copies, link, kind, bytes(packed))
    return dict(rows)


def rows_of(holdings: Sequence[Held]) -> Rows:
    """Return holdings as they are stored."""
    return {
        held.library.pk: Row(held.count, held.link.url, held.link.kind, pack_encoded(pack_copies(held.copies)))
        for held in holdings
    }


def compare(now: Rows, before: Rows) -> Differences:
    """Return what has to be written. Writes nothing."""
    if not before:  # a new book
        return Differences(now, came=frozenset(now))
    written = {library: row for library, row in now.items() if before.get(library) != row}
    relinked = any(library in before and before[library].link != row.link for library, row in written.items())
    reformed = any(_formats(before[library]) != _formats(row) for library, row in written.items() if library in before)
    return Differences(written, frozenset(now.keys() - before), frozenset(before.keys() - now), relinked, reformed)


def _formats(row: Row) -> frozenset[str]:
    return accessible_in(unpack_encoded(row.packed))


def write_differences(differences: Mapping[int, Differences], writes: Writes) -> None:
    """Write the differences of these books, and for each library how many books it holds."""
    written = [
        (number, library, row.copies, row.link, row.link_kind, row.packed)
        for number, own in differences.items()
        for library, row in sorted(own.written.items())
    ]
    writes.upsert(Holding, _COLUMNS, written, unique=_KEYS)
    left = [(number, library) for number, own in differences.items() for library in sorted(own.left)]
    writes.delete(Holding, _KEYS, left)
    counts: Counter[int] = Counter()
    for own in differences.values():
        counts.update(own.came)
        counts.subtract(own.left)
    writes.add(Library, "holdings", [(count, library) for library, count in counts.items() if count])


def drop_holdings(numbers: Collection[int], writes: Writes) -> None:
    """Remove all holdings of books that have no members any more."""
    stored = select_in(Holding, _KEYS, "manifestation_id", numbers)
    left: defaultdict[int, set[int]] = defaultdict(set)
    for number, library in stored:
        left[number].add(library)
    write_differences({number: Differences({}, left=frozenset(own)) for number, own in left.items()}, writes)
