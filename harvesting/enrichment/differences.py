"""What differs between a record and the same record with enrichment rules, field by field. No database access."""

from dataclasses import dataclass

from metadata.enrichment.fields import FIELDS
from metadata.record import BibliographicRecord


@dataclass(frozen=True, slots=True)
class Difference:
    """The texts of a field that differ. field: a key of FIELDS."""

    field: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def differences(before: BibliographicRecord, after: BibliographicRecord) -> tuple[Difference, ...]:
    """Return the fields whose texts differ."""
    return tuple(
        Difference(name, field.texts(before), field.texts(after))
        for name, field in FIELDS.items()
        if field.texts(before) != field.texts(after)
    )
