"""Suspect ISBNs (those on different books) before and after a batch, stored in MatchAlarm.

The decision itself is made by `matching.suspect_isbns`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from aggregator.grouping.crowds import KeyCounts, update_alarms
from aggregator.grouping.rows import Row
from aggregator.matching import suspect_isbns
from aggregator.models import MatchAlarm
from core.database.batches import select_in
from core.database.deferred_writes import Writes

SUSPECT = MatchAlarm.Kind.SUSPECT_ISBN


@dataclass(slots=True)
class Suspects:
    """ISBN -> why it counts less than others, before the batch and now. known: the ISBNs that were looked up."""

    known: set[int] = field(default_factory=set)
    before: dict[str, str] = field(default_factory=dict)
    now: dict[str, str] = field(default_factory=dict)

    def look_up(self, rows: Iterable[Row]) -> None:
        """Load the state of ISBNs that the batch does not touch."""
        unknown = {isbn for row in rows for isbn in row.bears} - self.known
        reasons = {str(isbn): reason for isbn, reason in _stored_reasons(unknown).items()}
        self.known |= unknown
        self.before |= reasons
        self.now |= reasons

    def update(self, isbns: KeyCounts, rows: Mapping[int, Row], writes: Writes) -> set[int]:
        """Decide anew for the ISBNs that the batch touches; return those whose state changed. rows: all their bearers
        now.

        A crowded ISBN is suspect whoever bears it.
        """
        touched = {isbn for isbn in isbns.touched if isbn > 0}
        before = _stored_reasons(touched)
        bearers = {pk for isbn in touched - isbns.crowds for pk in isbns.holders[isbn]}
        reasons = suspect_isbns(rows[pk].features for pk in bearers)
        current = {isbn: reasons[str(isbn)] for isbn in touched - isbns.crowds if str(isbn) in reasons}
        current.update(dict.fromkeys(touched & isbns.crowds, "suspect"))
        self.known |= touched
        self.before |= {str(isbn): reason for isbn, reason in before.items()}
        self.now |= {str(isbn): reason for isbn, reason in current.items()}
        update_alarms(
            writes, SUSPECT, {isbn: isbns.counts[isbn] for isbn in current}, before.keys() - current.keys(), current
        )
        return {isbn for isbn in touched if before.get(isbn) != current.get(isbn)}


def _stored_reasons(isbns: Collection[int]) -> dict[int, str]:
    return dict(select_in(MatchAlarm, ("number", "reason"), "number", isbns, kind=SUSPECT))
