"""What matching would make of records that are not stored: with which of the catalogue they would stand. Reads only.

The same keys, the same comparisons and the same thresholds as the aggregation (`aggregator.grouping.neighbourhood`),
but each record is looked at by itself, and nothing is written: no key, no census, no group.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from aggregator.grouping.crowds import KeyCounts, Kind
from aggregator.grouping.rows import new_row, stored_rows
from aggregator.grouping.ruling_rows import in_force
from aggregator.grouping.suspects import Suspects
from aggregator.matching import JOIN, REVIEW, Comparisons, Evidence, extract_features
from aggregator.matching.explain import text
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

MOST_COMPARED = 50  # records of the catalogue that one record is compared with: those that share most keys with it

JOINS, ASKED, NEW = "joins", "asked", "new"


@dataclass(frozen=True, slots=True)
class Known:
    """A record of the catalogue, as people recognise it."""

    public_id: str
    title: str
    volume: str
    issued: str
    repository: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What would become of one record. number: its place among the records, from 1. known: None of a new one."""

    number: int
    outcome: str
    known: Known | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def words(self) -> list[str]:
        """What speaks for it and against it, in the language of the page."""
        return [text(each, get_language() or "") for each in self.evidence]


def expected(records: Sequence[BibliographicRecord | None]) -> list[Expected]:
    """Of each record that can be registered: whether it would join one that is there, staff be asked, or it be new."""
    rulings = in_force()
    # Below zero: numbers that no stored record has.
    fresh = {-number: new_row("", extract_features(each), rulings) for number, each in enumerate(records, 1) if each}
    census = KeyCounts(Kind.CROWDED_KEY)
    census.look_up(key for row in fresh.values() for key in row.keys)
    rows, met = dict(fresh), {}
    for number, row in fresh.items():
        shared = Counter(pk for key in row.keys for pk in sorted(census.now.get(key, ())))
        met[number] = [pk for pk, _keys in shared.most_common(MOST_COMPARED)]
    rows.update({pk: row for pk, _group, row in stored_rows(sorted({pk for each in met.values() for pk in each}))})
    suspects = Suspects()
    suspects.look_up(rows.values())
    comparisons = Comparisons(lambda pk: rows[pk].features, suspects.now)
    best = {number: _best(number, [pk for pk in met[number] if pk in rows], comparisons) for number in fresh}
    known = _known({pk for pk, _score in best.values() if pk})
    return [_expected(number, *best[number], known, comparisons) for number in sorted(fresh, reverse=True)]


def _best(number: int, others: Sequence[int], comparisons: Comparisons[int]) -> tuple[int, float]:
    """Whom it agrees with most, and how much; (0, 0.0) for nobody."""
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
    found = {}
    for source in sources.only("public_id", "record", "repository__name", "repository__name_en", "repository__number"):
        record = unpack_record(bytes(source.record))
        found[source.pk] = Known(source.public_id, record.title, record.volume, record.issued, source.repository.label)
    return found
