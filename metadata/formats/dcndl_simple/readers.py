"""Readers that only DC-NDL (Simple) has: for literals whose scheme is in xsi:type."""

from typing import NamedTuple

from lxml import etree

from metadata.formats.dcndl.readers import resource
from metadata.formats.dcndl_simple.literals import loose_subject, scheme_of
from metadata.record import Subject
from metadata.xml.parsing import text

_SPELLINGS = {"ndlsh": "NDLSH", "bsh": "BSH"}


class TypedDate(NamedTuple):
    """element: the local name; scheme: the xsi:type, "" if there is none."""

    element: str
    scheme: str
    value: str


def typed_date(element: etree._Element) -> TypedDate | None:
    value = text(element)
    return TypedDate(etree.QName(element).localname, scheme_of(element), value) if value else None


def typed_identifier(element: etree._Element) -> tuple[str, str] | None:
    """Return (scheme, text as sent)."""
    value = text(element) or resource(element)
    return (scheme_of(element), value) if value else None


def typed_subject(element: etree._Element) -> Subject | None:
    """Read a class or heading by its xsi:type; without one, by its form ("NDC9:913.6"), else as a keyword."""
    value = loose_subject(element)
    if value is None or value.scheme not in _SPELLINGS:
        return value
    return Subject(value=value.value, scheme=_SPELLINGS[value.scheme])
