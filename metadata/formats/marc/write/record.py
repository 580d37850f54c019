"""Writes a record as MARC 21 in MARCXML, with readings in 880 as NDL writes them. Reading is in
`metadata.formats.marc.read`.

ISBD punctuation is omitted, and leader/18 says so: any punctuation at the end of a text belongs to it. All names are
written as 7XX, as in NDL's records, because the record does not say which is the main entry.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter

from metadata.formats.marc.codes import COUNTRY_CODES, leader_codes
from metadata.formats.marc.fields import CJK_SCRIPT, LATIN_SCRIPT
from metadata.formats.marc.holdings import ISIL
from metadata.formats.marc.write.fields import Datafield, datafield, link_to_field, link_to_other_scripts
from metadata.formats.marc.write.fixed import fixed_field, is_language_code
from metadata.formats.marc.write.links import host, relations, urls
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
from metadata.record import BibliographicRecord, Item
from metadata.vocabularies.namespaces import MARC
from metadata.xml.writing import Xml, attribute, attributes, declarations, document, leaf, node, tags

SCHEMA = "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
_TAGS = {tag: attribute("tag", tag) for tag in ("001", "003", "008")}
_NAMESPACE = attributes(declarations({"": MARC}))


def write(record: BibliographicRecord) -> bytes:
    """Return a complete marc:record."""
    return write_all([record])[0]


def write_all(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """Return a complete marc:record for each record."""
    fields: list[list[Datafield]] = [[] for _record in records]
    for writer in WRITERS:
        for record, own in zip(records, fields, strict=True):
            own += writer(record)
    rows = zip(map(_control_fields, records), map(_datafields, fields), strict=True)
    return [document(node("record", [*control, *data], _NAMESPACE)) for control, data in rows]


def _control_fields(record: BibliographicRecord) -> list[Xml]:
    """Return the leader and the control fields."""
    number, agency = control_number(record)
    codes = leader_codes(record)
    texts = ((_TAGS["001"], number), (_TAGS["003"], agency), (_TAGS["008"], fixed_field(record, codes)))
    return [_leader(codes), *[leaf("controlfield", text, own) for own, text in texts if text]]


@lru_cache(maxsize=64)  # most records are books
def _leader(codes: str) -> Xml:
    return leaf("leader", f"00000n{codes} a2200000uc 4500")


def _datafields(fields: Iterable[Datafield]) -> list[Xml]:
    """Return those data fields that have content, in their order, and after them the 880s with the readings of some.

    As pieces: tags and contents.
    """
    pieces: list[Xml] = []
    others: list[Xml] = []
    linked = 0
    written = [field for field in fields if field.content]
    written.sort(key=attrgetter("group"))
    for field in written:
        tag, indicators = field.tag, field.indicators
        start, end = _tags(tag, indicators)
        if not (field.reading or field.romanised):
            pieces += (start, field.content, end)
            continue
        linked += 1
        pieces += (start, link_to_other_scripts(linked), field.content, end)
        start, end = _tags("880", indicators)
        if field.reading:
            others += (start, link_to_field(tag, linked, CJK_SCRIPT), field.reading, end)
        if field.romanised:
            others += (start, link_to_field(tag, linked, LATIN_SCRIPT), field.romanised, end)
    return pieces + others


@lru_cache(maxsize=1024)
def _tags(tag: str, indicators: str) -> tuple[Xml, Xml]:
    return tags("datafield", attributes({"tag": tag, "ind1": indicators[0], "ind2": indicators[1]}))


def _cataloguing(record: BibliographicRecord) -> Iterator[Datafield]:
    yield datafield("040", "  ", [("e", record.cataloging_rule)])


def _languages(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 041 for what 008 cannot hold: several languages, an original language, a code that is no language."""
    in_008 = [*record.languages] == [
        code for code in record.languages[:1] if is_language_code(code) and code not in _NOT_LANGUAGES
    ]
    if record.original_languages or not in_008:
        codes = [("a", code) for code in record.languages] + [("h", code) for code in record.original_languages]
        yield datafield("041", "1 " if record.original_languages else "0 ", codes)


_NOT_LANGUAGES = frozenset({"und", "zxx", "mul"})


def _countries(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 044 for countries that 008 cannot hold."""
    if list(record.publication_places) != [code for code in record.publication_places[:1] if code in COUNTRY_CODES]:
        yield datafield("044", "  ", [("c", code.lower()) for code in record.publication_places])


def holdings(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 852 for each item, and 866 for its issues held, with a link number ($8) where there are several 852.

    The ISIL of a library whose name is in 852$a is in 850, but only if the record has a single library: 850 cannot say
    which 852 it belongs to. All are read in `metadata.formats.marc.holdings`.
    """
    holders = {(item.holding_agent, _isil(item)) for item in record.items}
    if len(holders) == 1:
        ((name, code),) = holders
        yield datafield("850", "  ", [("a", code if code != name else "")])
    several = len(record.items) > 1
    for number, item in enumerate(record.items, start=1):
        link = [("8", str(number))] if several and item.holding_issues else []
        notes = [("z", note) for note in item.notes]
        pages = [("u", uri) for uri in item.see_also]
        place = [("a", item.holding_agent), ("b", item.location), ("h", item.call_number)]
        yield datafield("852", "  ", [*link, *place, *notes, *pages])
        if item.holding_issues:
            yield datafield("866", "  ", [*link, ("a", item.holding_issues)])


def _isil(item: Item) -> str:
    return next((number.value for number in item.holding_agent_identifiers if number.scheme == ISIL), "")


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
    urls,
)
