"""A record as MARC 21 in MARCXML, readings in 880 as NDL writes them. Reading is in marc.

The marks of ISBD are left out, and leader/18 says so: what a text ends with is its own. Names stand all in 7XX, as
NDL has them: which is the main entry, the record does not know.
"""

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from metadata.formats.marc.codes import COUNTRY_CODES, leader_codes
from metadata.formats.marc.fields import CJK_SCRIPT, LATIN_SCRIPT
from metadata.formats.marc.write.fields import Datafield, Subfields
from metadata.formats.marc.write.links import addresses, holdings, host, relations
from metadata.formats.marc.write.numbers import control_number, numbers
from metadata.formats.marc.write.texts import (
    classes,
    contents,
    edition,
    headings,
    imprint,
    names,
    parts,
    series,
    texts,
    titles,
    types,
)
from metadata.record import BibliographicRecord
from metadata.vocabularies.namespaces import MARC
from metadata.xml.parsing import legal, serialise

SCHEMA = "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
_NSMAP: Any = {None: MARC}  # the stubs know no default namespace
_NO_LANGUAGE = "und"
# Fields whose order says something, by how their numbers begin → where they stand among the others.
_AS_THEY_COME = {"5": "5", "6": "6", "70": "70", "71": "70", "76": "76", "77": "76", "78": "76"}


def write(record: BibliographicRecord) -> bytes:
    """A standalone marc:record."""
    root = etree.Element(f"{{{MARC}}}record", nsmap=_NSMAP)
    _add(root, "leader", f"00000n{leader_codes(record)} a2200000uc 4500")
    number, agency = control_number(record)
    for tag, text in (("001", number), ("003", agency), ("008", _fixed(record))):
        if text:
            _add(root, "controlfield", text, tag=tag)
    fields = [field for writer in WRITERS for field in writer(record) if field.says_something]
    others: list[tuple[str, Datafield, Subfields]] = []
    linked = 0
    for field in sorted(fields, key=_order):
        link = ""
        if field.has_reading or field.romanised:
            linked += 1
            link = f"880-{linked:02}"
            forms = ((CJK_SCRIPT, field.reading if field.has_reading else []), (LATIN_SCRIPT, field.romanised))
            others += [(f"{field.tag}-{linked:02}/{script}", field, form) for script, form in forms if form]
        _datafield(root, field.tag, field, [("6", link), *field.subfields])
    for link, field, form in others:
        _datafield(root, "880", field, [("6", link), *form], keep_empty=True)
    return serialise(root)


def _order(field: Datafield) -> str:
    """By number; notes, subjects, names and links stay in the order of the record, which is that of the writers."""
    return _AS_THEY_COME.get(field.tag[:1]) or _AS_THEY_COME.get(field.tag[:2], field.tag)


def _add(root: etree._Element, name: str, text: str, **attributes: str) -> etree._Element:
    element = etree.SubElement(root, f"{{{MARC}}}{name}", attributes)
    element.text = legal(text)
    return element


def _datafield(
    root: etree._Element, tag: str, field: Datafield, subfields: list[tuple[str, str]], *, keep_empty: bool = False
) -> None:
    attributes = {"tag": tag, "ind1": field.indicators[0], "ind2": field.indicators[1]}
    element = etree.SubElement(root, f"{{{MARC}}}datafield", attributes)
    for code, text in subfields:
        if legal(text).strip() or (keep_empty and code != "6"):
            etree.SubElement(element, f"{{{MARC}}}subfield", {"code": code}).text = legal(text)


def _fixed(record: BibliographicRecord) -> str:
    """008, 40 positions. When the record was made is not known; what depends on the type is not coded (|)."""
    country = COUNTRY_CODES.get(next(iter(record.publication_places), ""), "xx")
    language = next((each for each in record.languages if _is_code(each)), _NO_LANGUAGE)
    return f"{'':6}{_dates(record)}{country:3}{'|' * 17}{language}||"


def _is_code(text: str) -> bool:
    return len(text) == 3 and text.isascii() and text.islower() and text.isalpha()


def _dates(record: BibliographicRecord) -> str:
    """Type of date and two dates, nine positions: a detailed date, a first and a last year, one year, none."""
    year, month, day = (record.issued[start:end] for start, end in ((0, 4), (5, 7), (8, 10)))
    last = next((each.value for each in record.other_dates if each.type == "issued"), "")
    if not year.isdigit() or not year.isascii():
        return f"n{'u' * 8}"
    if len(last) == 4 and last.isdigit() and last.isascii():
        return f"m{year}{last}"
    return f"e{year}{month:2}{day:2}" if month else f"s{year}{'':4}"


def _cataloguing(record: BibliographicRecord) -> Iterator[Datafield]:
    yield Datafield("040", "  ", [("e", record.cataloging_rule)])


def _languages(record: BibliographicRecord) -> Iterator[Datafield]:
    """041 where 008 cannot say it: several languages, an original one, one that is none."""
    in_008 = [*record.languages] == [each for each in record.languages[:1] if _is_code(each) and each not in _UNTOLD]
    if record.original_languages or not in_008:
        codes = [("a", each) for each in record.languages] + [("h", each) for each in record.original_languages]
        yield Datafield("041", "1 " if record.original_languages else "0 ", codes)


_UNTOLD = frozenset({"und", "zxx", "mul"})


def _countries(record: BibliographicRecord) -> Iterator[Datafield]:
    """044 for what 008 has no room for."""
    if list(record.publication_places) != [each for each in record.publication_places[:1] if each in COUNTRY_CODES]:
        yield Datafield("044", "  ", [("c", each.lower()) for each in record.publication_places])


WRITERS: tuple[Callable[[BibliographicRecord], Iterator[Datafield]], ...] = (
    numbers,
    _cataloguing,
    _languages,
    _countries,
    classes,
    titles,
    edition,
    imprint,
    series,
    texts,
    contents,
    headings,
    types,
    names,
    parts,
    host,
    relations,
    holdings,
    addresses,
)
