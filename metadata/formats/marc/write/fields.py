"""A MARC field to write: tag, indicators, subfields, and its reading in 880."""

from collections.abc import Sequence

import msgspec

from metadata.xml.parsing import has_text

type Subfields = Sequence[tuple[str, str]]


class Datafield(msgspec.Struct, frozen=True, gc=False):
    """A data field with its other scripts.

    indicators: both, for the field and its 880s. reading: the subfields of the reading; "" keeps the position of a
    subfield without one. romanised: the subfields in Latin letters, for an 880 of their own.
    """

    tag: str
    indicators: str
    subfields: Subfields
    reading: Subfields = ()
    romanised: Subfields = ()

    @property
    def has_reading(self) -> bool:
        return any(has_text(text) for _, text in self.reading)
