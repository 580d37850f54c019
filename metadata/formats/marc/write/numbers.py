"""Numbers as MARC 21: which scheme goes into which field. Reading is in marc_identifiers."""

from collections.abc import Iterator

from metadata.formats.dcndl.write import hyphenated
from metadata.formats.marc.identifiers import AGENCIES, SOURCED, SYSTEMS
from metadata.formats.marc.links import WEB
from metadata.formats.marc.write.fields import Datafield, Subfields
from metadata.record import BibliographicRecord, Identifier

_SET = [("q", "set")]
_ISBN = frozenset({"ISBN", "SetISBN"})
_ISSN = {"ISSN": ("a", "y"), "ISSNL": ("l", "m")}


def control_number(record: BibliographicRecord) -> tuple[str, str]:
    """001 and 003: the number that the record came with, else that of an agency, else what the record is named by."""
    local = next((each.value for each in record.source_identifiers if not each.scheme), "")
    if local:
        return local, ""
    found = _of_agency(record)
    return (found.value, SYSTEMS[found.scheme]) if found else (record.uri if record.uri.startswith(WEB) else "", "")


def _of_agency(record: BibliographicRecord) -> Identifier | None:
    """The number that stands in 001 for its agency: NDL's, else that of OCLC."""
    if any(not each.scheme and each.value for each in record.source_identifiers):
        return None
    wanted = (each for scheme in AGENCIES.values() for each in record.identifiers if each.scheme == scheme)
    return next(wanted, None)


def numbers(record: BibliographicRecord) -> Iterator[Datafield]:
    """The prices stand with the ISBNs, in their order."""
    prices = list(record.prices)
    own = _of_agency(record)
    for each in record.identifiers:
        if each is not own:
            price = [("c", prices.pop(0))] if each.scheme in _ISBN and prices else []
            yield _number(each, price)
    for price_alone in prices:
        yield Datafield("020", "  ", [("c", price_alone)])
    for each in record.invalid_identifiers:
        yield _wrong(each)


def _number(each: Identifier, price: Subfields) -> Datafield:
    text = each.printed or hyphenated(each)
    if each.scheme in _ISBN:
        return Datafield("020", "  ", [("a", text), *(_SET if each.scheme == "SetISBN" else []), *price])
    if each.scheme in _ISSN:
        return Datafield("022", "  ", [(_ISSN[each.scheme][0], text)])
    if each.scheme == "USMARCNO":
        return Datafield("010", "  ", [("a", text)])
    if each.scheme in SYSTEMS:
        return Datafield("035", "  ", [("a", f"({SYSTEMS[each.scheme]}){each.printed or each.value}")])
    if not each.scheme and each.value.startswith("("):
        return Datafield("035", "  ", [("a", each.value)])
    return _sourced(each.scheme, "a", text)


def _sourced(scheme: str, code: str, text: str) -> Datafield:
    if scheme == "JPNO":
        return Datafield(SOURCED[scheme][0], "  ", [(code, text), ("2", SOURCED[scheme][1])])
    if not scheme:
        return Datafield("024", "8 ", [(code, text)])
    return Datafield("024", "7 ", [(code, text), ("2", scheme.lower())])


def _wrong(each: Identifier) -> Datafield:
    if each.scheme in _ISBN:
        return Datafield("020", "  ", [("z", each.value), *(_SET if each.scheme == "SetISBN" else [])])
    if each.scheme in _ISSN:
        return Datafield("022", "  ", [(_ISSN[each.scheme][1], each.value)])
    if each.scheme == "USMARCNO":
        return Datafield("010", "  ", [("z", each.value)])
    return _sourced(each.scheme, "z", each.value)
