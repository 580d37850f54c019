"""Readers of DC-NDL (Simple) that other formats do not have: literals whose scheme stands in xsi:type."""

from typing import NamedTuple

from lxml import etree

from metadata.formats.dcndl.readers import resource
from metadata.formats.dcndl_simple.literals import loose_subject, scheme_of
from metadata.record import Subject
from metadata.xml.parsing import text

_SPELLINGS = {"ndlsh": "NDLSH", "bsh": "BSH"}


class TypedDate(NamedTuple):
    """element: the local name; scheme: of xsi:type, "" where there is none."""

    element: str
    scheme: str
    value: str


def typed_date(element: etree._Element) -> TypedDate | None:
    value = text(element)
    return TypedDate(etree.QName(element).localname, scheme_of(element), value) if value else None


def typed_identifier(element: etree._Element) -> tuple[str, str] | None:
    """(scheme, text as sent)."""
    value = text(element) or resource(element)
    return (scheme_of(element), value) if value else None


def typed_subject(element: etree._Element) -> Subject | None:
    """A class or heading by its xsi:type; without one, by its form ("NDC9:913.6"), else a keyword."""
    found = loose_subject(element)
    if found is None or found.scheme not in _SPELLINGS:
        return found
    return Subject(value=found.value, scheme=_SPELLINGS[found.scheme])
