"""Predicts matches of records that are not stored: which records of the catalogue they would be grouped with.
Read-only.

It uses the keys, comparisons and thresholds of the aggregation (`aggregator.grouping.region`), but looks at every
record by itself and writes nothing: no key, no count, no group.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from aggregator.grouping.crowds import KeyCounts, Kind
from aggregator.grouping.rows import new_row, stored_rows
from aggregator.grouping.ruling_rows import rulings_in_force
from aggregator.grouping.suspects import Suspects
from aggregator.matching import JOIN, REVIEW, Comparisons, Evidence, extract_features
from aggregator.matching.explain import text
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

MOST_COMPARED = 50  # records of the catalogue that one record is compared with: those with the most keys in common

JOINS, ASKED, NEW = "joins", "asked", "new"


@dataclass(frozen=True, slots=True)
class Known:
    """A record of the catalogue in the few fields by which people recognise it."""

    public_id: str
    title: str
    volume: str
    issued: str
    repository: str


@dataclass(frozen=True, slots=True)
class Expected:
    """The outcome for one record. number: its place among the records, from 1. known: its match, None if it is new."""

    number: int
    outcome: str
    known: Known | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def words(self) -> list[str]:
        """The evidence for and against the match, in the language of the page."""
        return [text(evidence, get_language() or "") for evidence in self.evidence]


def expected(records: Sequence[BibliographicRecord | None]) -> list[Expected]:
    """Return for each record that can be registered: whether it would be grouped with a stored record, wait for review,
    or be new.
    """
    rulings = rulings_in_force()
    # Negative numbers cannot be those of stored records.
    fresh = {
        -number: new_row("", extract_features(record), rulings) for number, record in enumerate(records, 1) if record
    }
    key_counts = KeyCounts(Kind.CROWDED_KEY)
    key_counts.look_up(key for row in fresh.values() for key in row.keys)
    rows, candidates = dict(fresh), {}
    for number, row in fresh.items():
        shared = Counter(pk for key in row.keys for pk in sorted(key_counts.holders.get(key, ())))
        candidates[number] = [pk for pk, _keys in shared.most_common(MOST_COMPARED)]
    stored = {pk for pks in candidates.values() for pk in pks}
    rows.update({pk: row for pk, _group, row in stored_rows(sorted(stored))})
    suspects = Suspects()
    suspects.look_up(rows.values())
    comparisons = Comparisons(lambda pk: rows[pk].features, suspects.now)
    best = {number: _best(number, [pk for pk in candidates[number] if pk in rows], comparisons) for number in fresh}
    known = _known({pk for pk, _score in best.values() if pk})
    return [_expected(number, *best[number], known, comparisons) for number in sorted(fresh, reverse=True)]


def _best(number: int, others: Sequence[int], comparisons: Comparisons[int]) -> tuple[int, float]:
    """Return the record with the highest score and that score; (0, 0.0) if none reaches the threshold of review."""
    scores = [(comparisons.score(number, pk), -pk) for pk in others]
    score, pk = max(scores, default=(0.0, 0))
    return (-pk, score) if score >= REVIEW else (0, 0.0)


def _expected(number: int, pk: int, score: float, known: dict[int, Known], comparisons: Comparisons[int]) -> Expected:
    if pk not in known:
        return Expected(-number, NEW)
    outcome = JOINS if score >= JOIN else ASKED
    return Expected(-number, outcome, known[pk], tuple(comparisons.evidence(number, pk)))


def _known(pks: set[int]) -> dict[int, Known]:
    sources = SourceRecord.objects.filter(pk__in=pks).select_related("repository")
    known = {}
    for source in sources.only("public_id", "record", "repository__name", "repository__name_en", "repository__number"):
        record = unpack_record(bytes(source.record))
        known[source.pk] = Known(source.public_id, record.title, record.volume, record.issued, source.repository.label)
    return known
