"""Finds, for records that are not stored, the books of the catalogue that they describe. Read-only.

The keys, comparisons and thresholds are those of matching (`aggregator.grouping.region`), but every record is looked at
by itself, and nothing is written: no key, no count, no group.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aggregator.grouping.key_counts import AlarmKind, KeyCounts
from aggregator.grouping.rows import StoredCore, new_row, stored_cores, with_numbers_only
from aggregator.grouping.suspects import Suspects
from aggregator.matching import REVIEW, Comparisons, Evidence, extract_features
from metadata.record import BibliographicRecord

NOTHING_LIKE_IT = (0, 0.0)


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome for several records. best: number of the record -> the core of the catalogue that is most like it,
    and the score; (0, 0.0) if none reaches the threshold of review. stored: the cores that were compared.
    """

    best: Mapping[int, tuple[int, float]]
    stored: Mapping[int, StoredCore]
    comparisons: Comparisons

    def evidence(self, number: int) -> tuple[Evidence, ...]:
        """Return the evidence for and against the best match of a record that has one."""
        return tuple(self.comparisons.evidence(-number, self.best[number][0]))


def compare_unstored(records: Mapping[int, BibliographicRecord], most: int) -> Compared:
    """Compare each record with the cores that share most keys with it, `most` at most. The numbers are positive.

    A fixed number of queries.
    """
    # Small negative numbers tell these records from cores, whose numbers are hashes of 64 bits.
    fresh = {-number: new_row(with_numbers_only(extract_features(record))) for number, record in records.items()}
    key_counts = KeyCounts(AlarmKind.CROWDED_KEY)
    key_counts.look_up({number: row.keys for number, row in fresh.items()})
    rows, candidates = dict(fresh), {}
    for number, row in fresh.items():
        shared = Counter(core for key in sorted(row.keys) for core in sorted(key_counts.partners(number, [key])))
        candidates[number] = [core for core, _keys in shared.most_common(most)]
    stored = dict(stored_cores({core for cores in candidates.values() for core in cores}))
    rows.update({core: found.row for core, found in stored.items()})
    suspects = Suspects()
    suspects.look_up(rows.values())
    comparisons = Comparisons(lambda core: rows[core].features, suspects.now)
    best = {
        -number: _best(number, [core for core in cores if core in stored], comparisons)
        for number, cores in candidates.items()
    }
    return Compared(best, stored, comparisons)


def _best(number: int, others: Sequence[int], comparisons: Comparisons) -> tuple[int, float]:
    scores = [(comparisons.score(number, core), -core) for core in others]
    score, core = max(scores, default=(0.0, 0))
    return (-core, score) if score >= REVIEW else NOTHING_LIKE_IT
