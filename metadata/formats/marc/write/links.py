"""The publication around a record, related resources, pages and copies as MARC 21. Reading is in marc_links."""

from collections.abc import Iterator

from metadata.formats.marc.links import NUMBERS, WEB, is_file
from metadata.formats.marc.write.fields import Datafield
from metadata.record import BibliographicRecord, Relation

_TAGS = {
    "isPartOf": "760",
    "hasPart": "774",
    "isVersionOf": "765",
    "hasVersion": "775",
    "hasFormat": "776",
    "replaces": "780",
    "isReplacedBy": "785",
    "source": "786",
    "relation": "787",
}
_CODES = {scheme: code for code, scheme in NUMBERS.items()}


def host(record: BibliographicRecord) -> Iterator[Datafield]:
    """773; where in it the article stands, each in a labelled $g."""
    found = record.host
    where = (("volume", found.volume), ("number", found.number), ("issue", found.issue), ("pages", found.pages))
    places = [("g", f"{name}:{text}") for name, text in where if text]
    issn = [("x", f"{each[:4]}-{each[4:]}") for each in found.issn]
    books = [("z", each.value) for each in found.identifiers if each.scheme == "ISBN"]
    yield Datafield("773", "0 ", [("t", found.title), *places, *issn, *books])


def relations(record: BibliographicRecord) -> Iterator[Datafield]:
    """Resources by name or number; those that have only an address follow in 856."""
    for each in record.relations:
        if not _is_address(each):
            yield _link(each)


def _is_address(each: Relation) -> bool:
    """Whether a field 856 says all of it."""
    if not each.uri.startswith(WEB) or each.term or each.number:
        return False
    return each.type == "relation" or (each.type == "hasFormat" and is_file(each.uri) and not each.label)


def _link(each: Relation) -> Datafield:
    """With a first $i where no field is made for the kind of relation; it shows in place of a fixed text (ind2 8)."""
    kind = [] if each.type in _TAGS else [("i", each.type)]
    said = [*kind, *([("i", each.term)] if each.term else [])]
    number = [(_CODES.get(each.scheme, "w"), each.number)] if each.number else []
    subfields = [*said, ("t", each.label), *number, ("o", each.uri)]
    return Datafield(_TAGS.get(each.type, "787"), "08" if said else "0 ", subfields)


def addresses(record: BibliographicRecord) -> Iterator[Datafield]:
    """856: pages with the formats, pictures, files, what is about the resource."""
    formats = list(record.formats)
    for uri in record.see_also:
        yield Datafield("856", "40", [("u", uri), *([("q", formats.pop(0))] if formats else [])])
    for media_type in formats:
        yield Datafield("856", "40", [("q", media_type)])
    for uri in record.thumbnails:
        yield Datafield("856", "42", [("u", uri), ("3", "Thumbnail")])
    for each in record.relations:
        if _is_address(each):
            is_own = each.type == "hasFormat"
            yield Datafield("856", "40" if is_own else "42", [("u", each.uri), ("3", each.label)])


def holdings(record: BibliographicRecord) -> Iterator[Datafield]:
    for item in record.items:
        notes = [("z", each) for each in item.notes]
        pages = [("u", each) for each in item.see_also]
        where = [("a", item.holding_agent), ("b", item.location), ("h", item.call_number)]
        yield Datafield("852", "  ", [*where, *notes, *pages])
    if len(record.items) == 1:
        yield Datafield("866", "  ", [("a", record.items[0].holding_issues)])
