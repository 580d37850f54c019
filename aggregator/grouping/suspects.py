"""Suspect ISBNs (those on different books) before and after a batch, stored in MatchAlarm.

The decision itself is made by `matching.suspect_isbns`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from aggregator.grouping.key_counts import update_alarms
from aggregator.grouping.rows import Row
from aggregator.matching import suspect_isbns
from aggregator.matching.comparison.compare import OF_VOLUME
from aggregator.models import MatchAlarm
from core.database.batches import select_in
from core.database.deferred_writes import Writes

SUSPECT, MISTAKEN = MatchAlarm.Kind.SUSPECT_ISBN, MatchAlarm.Kind.MISTAKEN_ISBN


@dataclass(slots=True)
class Suspects:
    """Which of the ISBNs that a batch meets are suspect. now: ISBN -> why it counts less than others.

    known: the ISBNs that need not be looked up again.
    """

    known: set[int] = field(default_factory=set)
    now: dict[str, str] = field(default_factory=dict)

    def look_up(self, rows: Iterable[Row]) -> None:
        """Load the stored reasons for ISBNs of these rows; `update` provides those that the batch touches."""
        unknown = {isbn for row in rows for isbn in row.bears} - self.known
        reasons = {str(isbn): reason for isbn, (reason, _records) in _stored_reasons(unknown).items()}
        self.known |= unknown
        self.now |= reasons

    def update(
        self, asked: Mapping[int, Collection[int]], rows: Mapping[int, Row], records: Mapping[int, int], writes: Writes
    ) -> set[int]:
        """Decide anew for the ISBNs that the batch touches; return those whose state changed.

        asked: touched ISBN -> the cores that decide about it. rows, records: the row and the number of records of each
        of these cores.
        """
        touched = asked.keys()
        before = _stored_reasons(touched)
        cores = sorted(set().union(*asked.values()))
        reasons = suspect_isbns([rows[core].features for core in cores], [records[core] for core in cores], cores)
        current = {isbn: reasons[str(isbn)] for isbn in touched if str(isbn) in reasons}
        counts = {isbn: sum([records[core] for core in asked[isbn]]) for isbn in current}
        self.known |= touched
        self.now |= {str(isbn): reason for isbn, reason in current.items()}
        for kind in (SUSPECT, MISTAKEN):
            own = {isbn for isbn, reason in current.items() if _kind(reason) == kind}
            raised = {isbn: counts[isbn] for isbn in own if before.get(isbn) != (current[isbn], counts[isbn])}
            ended = {isbn for isbn, (reason, _records) in before.items() if _kind(reason) == kind} - own
            update_alarms(writes, kind, raised, ended, current)
        return {isbn for isbn in touched if before.get(isbn, ("", 0))[0] != current.get(isbn, "")}


def _kind(reason: str) -> MatchAlarm.Kind:
    return MISTAKEN if reason.startswith(OF_VOLUME) else SUSPECT


def _stored_reasons(isbns: Collection[int]) -> dict[int, tuple[str, int]]:
    columns = ("number", "reason", "records")
    rows = [row for kind in (SUSPECT, MISTAKEN) for row in select_in(MatchAlarm, columns, "number", isbns, kind=kind)]
    return {isbn: (reason, records) for isbn, reason, records in rows}
