"""Numbers as MARC 21: which scheme goes into which field. Reading is in marc_identifiers."""

from collections.abc import Iterator

from metadata.crosswalks.dcndl_write import hyphenated
from metadata.crosswalks.marc_identifiers import SOURCED, SYSTEMS
from metadata.crosswalks.marc_write_fields import Datafield, Subfields
from metadata.record import BibliographicRecord, Identifier

_SET = [("q", "set")]
_ISBN = frozenset({"ISBN", "SetISBN"})
_ISSN = {"ISSN": ("a", "y"), "ISSNL": ("l", "m")}


def control_number(record: BibliographicRecord) -> tuple[str, str]:
    """001 and 003: the number that the record came with, or NDL's own where it is the first of all."""
    local = _local(record)
    first = record.identifiers[0] if record.identifiers else Identifier(value="")
    if local or first.scheme != "NDLBibID":
        return local, ""
    return first.value, "JTNDL"


def _local(record: BibliographicRecord) -> str:
    return next((each.value for each in record.source_identifiers if not each.scheme), "")


def numbers(record: BibliographicRecord) -> Iterator[Datafield]:
    """The prices stand with the ISBNs, in their order."""
    prices = list(record.prices)
    own = control_number(record)
    for each in record.identifiers:
        if own != (each.value, "JTNDL") or each.scheme != "NDLBibID":
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
