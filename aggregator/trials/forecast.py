"""Predicts matches of records that are not stored: which records of the catalogue they would be grouped with.
Read-only.

It uses the keys, comparisons and thresholds of matching (`aggregator.grouping.unstored`), but looks at every record by
itself and writes nothing: no key, no count, no group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from aggregator.grouping.unstored import Compared, compare_unstored
from aggregator.matching import JOIN, Evidence
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
    numbered = {number: record for number, record in enumerate(records, 1) if record}
    compared = compare_unstored(numbered, MOST_COMPARED)
    known = _known({compared.stored[core].example: core for core, _score in compared.best.values() if core})
    return [_expected(number, compared, known) for number in numbered]


def _expected(number: int, compared: Compared, known: dict[int, Known]) -> Expected:
    core, score = compared.best[number]
    if core not in known:
        return Expected(number, NEW)
    outcome = JOINS if score >= JOIN else ASKED
    return Expected(number, outcome, known[core], compared.evidence(number))


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
