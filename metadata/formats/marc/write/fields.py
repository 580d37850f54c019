"""A MARC field to write: tag, indicators, subfields, and its reading in 880."""

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase, digits

import msgspec

from metadata.xml.parsing import has_text
from metadata.xml.writing import NOTHING, Xml, attribute, leaf, together

type Subfields = Sequence[tuple[str, str]]

_QUALIFIERS = frozenset("0236")  # subfields that only qualify others: a field with no others is not written
_CODES = {code: attribute("code", code) for code in digits + ascii_lowercase}


class Datafield(msgspec.Struct, frozen=True, gc=False):
    """A data field with its other scripts. The contents are subfields; nothing for what is not written.

    indicators: both, for the field and its 880s.
    """

    tag: str
    indicators: str
    content: Xml = NOTHING
    reading: Xml = NOTHING
    romanised: Xml = NOTHING


def datafield(
    tag: str, indicators: str, subfields: Subfields, reading: Subfields = (), romanised: Subfields = ()
) -> Datafield:
    """Return a field with those subfields that have a text; without content if all of those only qualify others.

    reading: the subfields of the reading; "" keeps the position of a subfield without one. romanised: the subfields in
    Latin letters, for an 880 of their own.
    """
    written: list[Xml] = []
    has_content = False
    for code, text in subfields:
        if has_text(text):
            written.append(leaf("subfield", text, _CODES[code]))
            has_content = has_content or code not in _QUALIFIERS
    if not has_content:
        return Datafield(tag, indicators)
    if not (reading or romanised):
        return Datafield(tag, indicators, together(*written))
    has_reading = any(has_text(text) for _code, text in reading)
    return Datafield(tag, indicators, together(*written), _all(reading) if has_reading else NOTHING, _all(romanised))


def _all(subfields: Subfields) -> Xml:
    return together(*[leaf("subfield", text, _CODES[code]) for code, text in subfields])


@lru_cache(maxsize=1024)
def link(text: str) -> Xml:
    """Return the subfield that links a field and its reading, see MARC 21, appendix A."""
    return leaf("subfield", text, _CODES["6"])
