"""The editions of a work as pages show them: the other editions, and what distinguishes them. Read-only.

A work is only a number that its manifestations share (see `aggregator.grouping.works`). Expressions are not stored:
language, translator and carrier are facets of a work.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from msgspec import structs

from aggregator.matching.features.carriers import kind_and_carrier
from aggregator.matching.features.numbering import volume_form
from aggregator.models import Manifestation
from core.database.batches import fetch_in, select_in
from harvesting.records.compression import unpack_record
from metadata.citations.names import TRANSLATOR, names
from metadata.record import BibliographicRecord

EDITIONS_AT_MOST = 300  # of one work that are returned; `works_of` counts all
_UNKNOWN_YEAR = "9999"
_TABLE = Manifestation._meta.db_table
# As in `books`, Django would need longer to make these statements than the database to answer them.
_COUNTS = f"SELECT work, count(*) FROM {_TABLE} WHERE {{condition}} GROUP BY work"  # noqa: S608 names only
_OF_WORK = (
    f"SELECT id, record FROM {_TABLE} WHERE work = (SELECT work FROM {_TABLE} WHERE {{condition}}) "  # noqa: S608 names only
    f"AND length(record) > 0 ORDER BY id LIMIT {EDITIONS_AT_MOST + 1}"
)


@dataclass(frozen=True, slots=True)
class Work:
    """A work that has several manifestations. number: as in Manifestation.work. count: the number of manifestations."""

    number: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A manifestation of a work. public_id: of its page. carrier: "paper", "digital", … or ""."""

    number: int
    public_id: str
    record: BibliographicRecord
    languages: tuple[str, ...] = ()
    translators: tuple[str, ...] = ()
    carrier: str = ""

    @classmethod
    def of(cls, number: int, public_id: str, record: BibliographicRecord) -> Self:
        carrier = kind_and_carrier(tuple([material_type.uri for material_type in record.material_types]))[1]
        return cls(
            number=number,
            public_id=public_id,
            record=record,
            languages=record.languages,
            translators=translators(record),
            carrier=carrier,
        )


def works_of(numbers: Collection[int]) -> dict[int, Work]:
    """Return manifestation -> its work; a manifestation that is the only one of its work is left out. Two queries."""
    rows = select_in(Manifestation, ("id", "work"), "id", numbers)
    works = {number: work for number, work in rows if work is not None}
    counts = dict(fetch_in(_COUNTS, "work", set(works.values())))
    return {number: Work(work, counts[work]) for number, work in works.items()}


def editions(number: int) -> tuple[Edition, ...]:
    """Return the other manifestations of a manifestation's work, by year and volume, unknown years last.

    One query.
    """
    others = [(pk, packed) for pk, packed in fetch_in(_OF_WORK, "id", [number]) if pk != number][:EDITIONS_AT_MOST]
    shown = [Edition.of(pk, f"M{pk}", unpack_record(bytes(packed))) for pk, packed in others]
    return tuple(sorted(shown, key=_sort_key))


def _sort_key(edition: Edition) -> tuple[object, ...]:
    record = edition.record
    return record.year or _UNKNOWN_YEAR, volume_sort_key(record.volume), record.title, edition.number


def volume_sort_key(volume: str) -> tuple[int, str]:
    """Return the sort key of a volume: 上 before 中 before 下, 2 before 10; without a volume first."""
    form = volume_form(volume) if volume else ""
    digits = "".join(character if character.isdecimal() else " " for character in form).split()
    part = form[-1:] if form[-1:] in _PARTS else ""
    return (int(digits[0]) if digits else 0), _PARTS.get(part, form if not digits else "")


_PARTS = {"前": "1", "上": "1", "中": "2", "後": "3", "下": "3"}


def translators(record: BibliographicRecord) -> tuple[str, ...]:
    """Return the translators' names: from creators and contributors, else from the statement of responsibility."""
    printed = structs.replace(record, creators=(), contributors=())
    for source in (record, printed):
        translated = dict.fromkeys(name.natural for name in names(source) if name.role == TRANSLATOR)
        if translated:
            return tuple(translated)
    return ()


@dataclass(frozen=True, slots=True)
class Facet:
    """A property in which editions differ. name: "language", "translator" or "carrier". counts: (value, editions)."""

    name: str
    counts: tuple[tuple[str, int], ...]


def facets(editions_of_work: Iterable[Edition]) -> tuple[Facet, ...]:
    """Return language, translator and carrier, the most frequent value first; those with one value only are
    left out.
    """
    known = list(editions_of_work)
    counted = ((name, Counter(value for edition in known for value in read(edition))) for name, read in _FACETS.items())
    return tuple(
        Facet(name, tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))
        for name, counts in counted
        if len(counts) > 1
    )


_FACETS: dict[str, Callable[[Edition], Sequence[str]]] = {
    "language": lambda edition: edition.languages,
    "translator": lambda edition: edition.translators,
    "carrier": lambda edition: (edition.carrier,) if edition.carrier else (),
}
