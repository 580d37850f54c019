"""Writes DC-NDL(RDF) in other versions than that of `write`, for programs that ask NDL Search for them.

dcndl_v1 has one item at most. dcndl_v3, a draft, differs in this: who digitised a book, and when, is said of the copy;
the title of the journal that contains an article is a node with volume, number and pages. The elements that the draft
adds for material forms, relation designators and collections are left out: their names are not public. Reading knows
all versions.
"""

from collections.abc import Sequence

from msgspec import structs

from metadata.formats.dcndl import write as version2
from metadata.formats.dcndl.write_nodes import in_language, literal_title
from metadata.record import BibliographicRecord, Host, Item
from metadata.xml.writing import NOTHING, Xml, leaf, node

_DIGITISED = "dateDigitized"
_NAME = "dcndl:publicationName"
_PARTS = (
    ("dcndl:publicationVolume", "volume"),
    ("dcndl:number", "number"),
    ("dcndl:issue", "issue"),
    ("dcndl:pageRange", "pages"),
)


def write_1(record: BibliographicRecord) -> bytes:
    """Return a complete rdf:RDF with one item at most."""
    return write_all_1([record])[0]


def write_all_1(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write_1`, for many at once."""
    return version2.write_all([structs.replace(record, items=record.items[:1]) for record in records])


def write_3(record: BibliographicRecord) -> bytes:
    """Return a complete rdf:RDF in the shape of version 3."""
    return write_all_3([record])[0]


def write_all_3(records: Sequence[BibliographicRecord]) -> list[bytes]:
    """The same as `write_3`, for many at once."""
    return version2.whole(list(map(_with_digital_copy, records)), _host_as_node)


def _with_digital_copy(record: BibliographicRecord) -> BibliographicRecord:
    """Return the record with who digitised the book, and when, in its only copy, or else in one more copy."""
    dates = tuple(date.value for date in record.other_dates if date.type == _DIGITISED)
    publishers = record.digitized_publishers
    if not dates and not publishers:
        return record
    others, copy = (record.items[:-1], record.items[-1]) if len(record.items) == 1 else (record.items, Item())
    copy = structs.replace(copy, publishers=(*copy.publishers, *publishers), dates=(*copy.dates, *dates))
    return structs.replace(
        record,
        items=(*others, copy),
        digitized_publishers=(),
        other_dates=tuple(date for date in record.other_dates if date.type != _DIGITISED),
    )


def _host_as_node(host: Host) -> list[Xml]:
    """Return the publication that contains the resource as a node, before its titles in other languages."""
    titles = [written for other in host.titles if (written := literal_title(_NAME, other))]
    own, links = _publication(host), version2.host_links(host)
    return [own, *titles, *links] if titles else [*links, own]


def _publication(host: Host) -> Xml:
    parts = [(name, getattr(host, field)) for name, field in _PARTS if getattr(host, field)]
    if not host.title and not parts:
        return NOTHING
    written = [leaf(name, value) for name, value in (("rdf:value", host.title), *parts) if value]
    return node(_NAME, (node("rdf:Description", written),), in_language(host.language))
