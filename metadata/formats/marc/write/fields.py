"""A MARC field on its way out: tag, indicators, subfields, and its reading in 880. Knows no record."""

from dataclasses import dataclass, field

from metadata.xml.parsing import legal

Subfields = list[tuple[str, str]]
_CONTROL = frozenset("0236")  # subfields that say nothing by themselves


@dataclass(frozen=True, slots=True)
class Datafield:
    """indicators: both, for the field and its 880s. reading: of the subfields that are read; "" keeps a place.

    romanised: the subfields in Latin letters, for an 880 of their own.
    """

    tag: str
    indicators: str
    subfields: Subfields
    reading: Subfields = field(default_factory=list)
    romanised: Subfields = field(default_factory=list)

    @property
    def says_something(self) -> bool:
        return any(legal(text).strip() for code, text in self.subfields if code not in _CONTROL)

    @property
    def has_reading(self) -> bool:
        return any(legal(text).strip() for _, text in self.reading)
