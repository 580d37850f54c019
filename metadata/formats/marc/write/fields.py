"""A MARC field to write: tag, indicators, subfields, and its reading in 880."""

from dataclasses import dataclass, field

from metadata.xml.parsing import strip_illegal

Subfields = list[tuple[str, str]]
_CONTROL = frozenset("0236")  # subfields that only qualify others: a field with no others is not written


@dataclass(frozen=True, slots=True)
class Datafield:
    """A data field with its other scripts.

    indicators: both, for the field and its 880s. reading: the subfields of the reading; "" keeps the position of a
    subfield without one. romanised: the subfields in Latin letters, for an 880 of their own.
    """

    tag: str
    indicators: str
    subfields: Subfields
    reading: Subfields = field(default_factory=list)
    romanised: Subfields = field(default_factory=list)

    @property
    def has_content(self) -> bool:
        return any(strip_illegal(text).strip() for code, text in self.subfields if code not in _CONTROL)

    @property
    def has_reading(self) -> bool:
        return any(strip_illegal(text).strip() for _, text in self.reading)
