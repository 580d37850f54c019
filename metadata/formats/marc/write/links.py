"""Writes the host, related resources and URLs of a record as MARC 21. Reading is in
`metadata.formats.marc.links`.
"""

from collections.abc import Iterator

from metadata.formats.common.codes import relation_number
from metadata.formats.common.pages import with_own_page
from metadata.formats.marc.links import NUMBERS, WEB, is_file
from metadata.formats.marc.write.fields import Datafield, datafield
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
    """Yield 773. Its labelled $g are the place of the article in its host: volume, number, issue, pages."""
    publication = record.host
    place_in_host = (
        ("volume", publication.volume),
        ("number", publication.number),
        ("issue", publication.issue),
        ("pages", publication.pages),
    )
    labelled = [("g", f"{name}:{text}") for name, text in place_in_host if text]
    issn = [("x", f"{number[:4]}-{number[4:]}") for number in publication.issn]
    books = [("z", number.value) for number in publication.identifiers if number.scheme == "ISBN"]
    yield datafield("773", "0 ", [("t", publication.title), *labelled, *issn, *books])


def relations(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield resources with a name or number. Those with only a URL are in 856 (`urls`)."""
    for relation in record.relations:
        if not _is_only_url(relation):
            yield _relation_field(relation)


def _is_only_url(relation: Relation) -> bool:
    """Whether a field 856 can hold everything that the relation says."""
    if not relation.uri.startswith(WEB) or relation.term or relation.number:
        return False
    return relation.type == "relation" or (
        relation.type == "hasFormat" and is_file(relation.uri) and not relation.label
    )


def _relation_field(relation: Relation) -> Datafield:
    """Return the field of a relation. If MARC has no field for its kind, the kind is a first $i in 787.

    A field with $i has the second indicator 8, so that $i is displayed in place of a fixed text.
    """
    kind = [] if relation.type in _TAGS else [("i", relation.type)]
    explanations = [*kind, *([("i", relation.term)] if relation.term else [])]
    number = [(_CODES.get(relation.scheme, "w"), relation_number(relation))] if relation.number else []
    subfields = [*explanations, ("t", relation.label), *number, ("o", relation.uri)]
    return datafield(_TAGS.get(relation.type, "787"), "08" if explanations else "0 ", subfields)


def urls(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 856: pages with the formats, pictures, files, pages about the resource."""
    formats = list(record.formats)
    own_pages = with_own_page(record)
    for uri in own_pages:
        has_format = formats and (uri != record.uri or len(own_pages) == 1)  # the page of a record is no file of it
        yield datafield("856", "40", [("u", uri), *([("q", formats.pop(0))] if has_format else [])])
    for media_type in formats:
        yield datafield("856", "40", [("q", media_type)])
    for uri in record.thumbnails:
        yield datafield("856", "42", [("u", uri), ("3", "Thumbnail")])
    for relation in record.relations:
        if _is_only_url(relation):
            is_own = relation.type == "hasFormat"
            yield datafield("856", "40" if is_own else "42", [("u", relation.uri), ("3", relation.label)])
