"""Predicts matches of records that are not stored: which records of the catalogue they would be grouped with.
Read-only.

It uses the keys, comparisons and thresholds of matching (`aggregator.grouping.region`), but looks at every record by
itself and writes nothing: no key, no count, no group.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from aggregator.grouping.key_counts import AlarmKind, KeyCounts
from aggregator.grouping.rows import new_row, stored_cores, with_numbers_only
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
    fresh = {
        -number: new_row(with_numbers_only(extract_features(record)))
        for number, record in enumerate(records, 1)
        if record
    }
    key_counts = KeyCounts(AlarmKind.CROWDED_KEY)
    key_counts.look_up({number: row.keys for number, row in fresh.items()})
    rows, candidates = dict(fresh), {}
    for number, row in fresh.items():
        shared = Counter(core for key in sorted(row.keys) for core in sorted(key_counts.partners(number, [key])))
        candidates[number] = [core for core, _keys in shared.most_common(MOST_COMPARED)]
    stored = dict(stored_cores({core for cores in candidates.values() for core in cores}))
    rows.update({core: found.row for core, found in stored.items()})
    suspects = Suspects()
    suspects.look_up(rows.values())
    comparisons = Comparisons(lambda core: rows[core].features, suspects.now)
    best = {
        number: _best(number, [core for core in cores if core in stored], comparisons)
        for number, cores in candidates.items()
    }
    known = _known({stored[core].example: core for core, _score in best.values() if core})
    return [_expected(number, *best[number], known, comparisons) for number in sorted(fresh, reverse=True)]


def _best(number: int, others: Sequence[int], comparisons: Comparisons) -> tuple[int, float]:
    """Return the core with the highest score and that score; (0, 0.0) if none reaches the threshold of review."""
    scores = [(comparisons.score(number, core), -core) for core in others]
    score, core = max(scores, default=(0.0, 0))
    return (-core, score) if score >= REVIEW else (0, 0.0)


def _expected(number: int, pk: int, score: float, known: dict[int, Known], comparisons: Comparisons) -> Expected:
    if pk not in known:
        return Expected(-number, NEW)
    outcome = JOINS if score >= JOIN else ASKED
    return Expected(-number, outcome, known[pk], tuple(comparisons.evidence(number, pk)))


def _known(examples: Mapping[int, int]) -> dict[int, Known]:
    """Return core -> the record that is shown for it. examples: primary key of that record -> core."""
    sources = SourceRecord.objects.filter(pk__in=examples).select_related("repository")
    known = {}
    for source in sources.only("public_id", "record", "repository__name", "repository__name_en", "repository__number"):
        record = unpack_record(bytes(source.record))
        known[examples[source.pk]] = Known(
            source.public_id, record.title, record.volume, record.issued, source.repository.label
        )
    return known
