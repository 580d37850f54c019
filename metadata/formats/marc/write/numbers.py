"""Writes identifiers as MARC 21: which scheme goes into which field. Reading is in
`metadata.formats.marc.identifiers`.
"""

from collections.abc import Iterator

from metadata.formats.common.codes import number_text
from metadata.formats.marc.identifiers import AGENCIES, SOURCED, SYSTEMS
from metadata.formats.marc.links import WEB
from metadata.formats.marc.write.fields import Datafield, Subfields, datafield
from metadata.record import BibliographicRecord, Identifier

_SET = [("q", "set")]
_ISBN = frozenset({"ISBN", "SetISBN"})
_ISSN = {"ISSN": ("a", "y"), "ISSNL": ("l", "m")}


def control_number(record: BibliographicRecord) -> tuple[str, str]:
    """Return 001 and 003 of a record, "" if unknown.

    001 is the number at the site that redistributes the record, with the domain of the site in 003; else the number
    that the record came with, else that of an agency, else the record's URI.
    """
    if record.control_number.value:
        return record.control_number.value, record.control_number.scheme
    local = next((identifier.value for identifier in record.source_identifiers if not identifier.scheme), "")
    if local:
        return local, ""
    own = _agency_number(record)
    return (own.value, SYSTEMS[own.scheme]) if own else (record.uri if record.uri.startswith(WEB) else "", "")


def _agency_number(record: BibliographicRecord) -> Identifier | None:
    """Return the number for 001 that an agency (named in 003) assigned: NDL's, else OCLC's.

    None if there is none, or if 001 holds another number.
    """
    if record.control_number.value:
        return None
    if any(not identifier.scheme and identifier.value for identifier in record.source_identifiers):
        return None
    candidates = (
        identifier for scheme in AGENCIES.values() for identifier in record.identifiers if identifier.scheme == scheme
    )
    return next(candidates, None)


def numbers(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield the fields of all identifiers. Prices are added to the fields of the ISBNs, in order."""
    prices = list(record.prices)
    own = _agency_number(record)
    for identifier in record.identifiers:
        if identifier is not own:
            price = [("c", prices.pop(0))] if identifier.scheme in _ISBN and prices else []
            yield _number(identifier, price)
    yield from _number_at_provider(record)
    for price_without_isbn in prices:
        yield datafield("020", "  ", [("c", price_without_isbn)])
    for identifier in record.invalid_identifiers:
        yield _wrong(identifier)


def _number_at_provider(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 035 with the number that a provider's record came with, where 001 has that of our site."""
    if record.control_number.value and not record.sources and record.repository_number:
        for identifier in record.source_identifiers:
            if not identifier.scheme:
                yield datafield("035", "  ", [("a", f"({record.repository_number}){identifier.value}")])


def _number(identifier: Identifier, price: Subfields) -> Datafield:
    text = number_text(identifier)
    if identifier.scheme in _ISBN:
        return datafield("020", "  ", [("a", text), *(_SET if identifier.scheme == "SetISBN" else []), *price])
    if identifier.scheme in _ISSN:
        return datafield("022", "  ", [(_ISSN[identifier.scheme][0], text)])
    if identifier.scheme == "USMARCNO":
        return datafield("010", "  ", [("a", text)])
    if identifier.scheme in SYSTEMS:
        return datafield(
            "035", "  ", [("a", f"({SYSTEMS[identifier.scheme]}){identifier.printed or identifier.value}")]
        )
    if not identifier.scheme and identifier.value.startswith("("):
        return datafield("035", "  ", [("a", identifier.value)])
    return _sourced(identifier.scheme, "a", text)


def _sourced(scheme: str, code: str, text: str) -> Datafield:
    if scheme == "JPNO":
        return datafield(SOURCED[scheme][0], "  ", [(code, text), ("2", SOURCED[scheme][1])])
    if not scheme:
        return datafield("024", "8 ", [(code, text)])
    return datafield("024", "7 ", [(code, text), ("2", scheme.lower())])


def _wrong(identifier: Identifier) -> Datafield:
    if identifier.scheme in _ISBN:
        return datafield("020", "  ", [("z", identifier.value), *(_SET if identifier.scheme == "SetISBN" else [])])
    if identifier.scheme in _ISSN:
        return datafield("022", "  ", [(_ISSN[identifier.scheme][1], identifier.value)])
    if identifier.scheme == "USMARCNO":
        return datafield("010", "  ", [("z", identifier.value)])
    return _sourced(identifier.scheme, "z", identifier.value)
