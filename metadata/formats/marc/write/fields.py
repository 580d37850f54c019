"""A MARC field to write: tag, indicators, subfields, and its reading in 880."""

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase, digits

import msgspec

from metadata.xml.parsing import has_text
from metadata.xml.writing import NOTHING, Xml, attribute, leaf, leaves

type Subfields = Sequence[tuple[str, str]]

_CODES = {code: attribute("code", code) for code in digits + ascii_lowercase}
# Subfields that only qualify others: a field with no others is not written.
_QUALIFIERS = frozenset(_CODES[code] for code in "0236")
# Beginning of the tags of fields whose order has a meaning → sort key of the whole group.
_KEPT_IN_ORDER = {"5": "5", "6": "6", "70": "70", "71": "70", "76": "76", "77": "76", "78": "76"}


class Datafield(msgspec.Struct, frozen=True, gc=False):
    """A data field with its other scripts. The contents are subfields; nothing for what is not written.

    indicators: both, for the field and its 880s. group: the sort key of the field.
    """

    tag: str
    indicators: str
    group: str
    content: Xml
    reading: Xml
    romanised: Xml


def datafield(
    tag: str, indicators: str, subfields: Subfields, reading: Subfields = (), romanised: Subfields = ()
) -> Datafield:
    """Return a field with those subfields that have a text; without content if all of those only qualify others.

    reading: the subfields of the reading; "" keeps the position of a subfield without one. romanised: the subfields in
    Latin letters, for an 880 of their own.
    """
    written = [(_CODES[code], text) for code, text in subfields if has_text(text)]
    if not written or (written[0][0] in _QUALIFIERS and all(code in _QUALIFIERS for code, _text in written)):
        return Datafield(tag, indicators, _group(tag), NOTHING, NOTHING, NOTHING)
    content = leaves("subfield", written)
    if not (reading or romanised):
        return Datafield(tag, indicators, _group(tag), content, NOTHING, NOTHING)
    is_read = [code for code, text in reading if has_text(text)]
    read = _all(reading) if is_read else NOTHING
    return Datafield(tag, indicators, _group(tag), content, read, _all(romanised) if romanised else NOTHING)


def _all(subfields: Subfields) -> Xml:
    return leaves("subfield", [(_CODES[code], text) for code, text in subfields])


@lru_cache(maxsize=1024)
def _group(tag: str) -> str:
    """The sort key of a field: its tag, or that of its group.

    Notes, subjects, names and links have one key for the group, so that they stay in the order of the record.
    """
    return _KEPT_IN_ORDER.get(tag[:1]) or _KEPT_IN_ORDER.get(tag[:2], tag)


@lru_cache(maxsize=128)
def link_to_other_scripts(number: int) -> Xml:
    """Return the subfield by which a field names its 880s, see MARC 21, appendix A. number: that they share."""
    return leaf("subfield", f"880-{number:02}", _CODES["6"])


@lru_cache(maxsize=1024)
def link_to_field(tag: str, number: int, script: str) -> Xml:
    """Return the subfield by which an 880 in a script names the field with this tag. number: that both share."""
    return leaf("subfield", f"{tag}-{number:02}/{script}", _CODES["6"])
