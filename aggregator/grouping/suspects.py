"""Which ISBNs stand on different books, before and after a batch; kept true in MatchAlarm. Decides nothing itself."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from aggregator.grouping.crowds import KeyCounts, ring
from aggregator.grouping.rows import Row
from aggregator.matching import suspect_isbns
from aggregator.models import MatchAlarm
from core.database.batches import select_in
from core.database.deferred_writes import Writes

SUSPECT = MatchAlarm.Kind.SUSPECT_ISBN


@dataclass(slots=True)
class Suspects:
    """ISBN -> why it says less than another, before the batch and now. known: those that were looked up."""

    known: set[int] = field(default_factory=set)
    before: dict[str, str] = field(default_factory=dict)
    now: dict[str, str] = field(default_factory=dict)

    def look_up(self, rows: Iterable[Row]) -> None:
        """Those of rows that the batch does not touch."""
        unknown = {isbn for row in rows for isbn in row.bears} - self.known
        found = {str(isbn): reason for isbn, reason in _standing(unknown).items()}
        self.known |= unknown
        self.before |= found
        self.now |= found

    def judge(self, isbns: KeyCounts, rows: Mapping[int, Row], writes: Writes) -> set[int]:
        """Those that the batch touches, anew. rows: all their bearers now. Returns the ISBNs that stand otherwise now.

        One that a crowd bears is suspect, whoever they are.
        """
        touched = {isbn for isbn in isbns.touched if isbn > 0}
        before = _standing(touched)
        bearers = {pk for isbn in touched - isbns.crowds for pk in isbns.now[isbn]}
        found = suspect_isbns(rows[pk].features for pk in bearers)
        now = {isbn: found[str(isbn)] for isbn in touched - isbns.crowds if str(isbn) in found}
        now.update(dict.fromkeys(touched & isbns.crowds, "suspect"))
        self.known |= touched
        self.before |= {str(isbn): reason for isbn, reason in before.items()}
        self.now |= {str(isbn): reason for isbn, reason in now.items()}
        ring(writes, SUSPECT, {isbn: isbns.counts[isbn] for isbn in now}, before.keys() - now.keys(), now)
        return {isbn for isbn in touched if before.get(isbn) != now.get(isbn)}


def _standing(isbns: Collection[int]) -> dict[int, str]:
    return dict(select_in(MatchAlarm, ("number", "reason"), "number", isbns, kind=SUSPECT))
