"""ISBNs as every format writes them: with 13 digits, whatever the record had before."""

import msgspec

from metadata.formats.common.codes import relation_number
from metadata.record import BibliographicRecord, Identifier, Relation

_PARTS = ("identifiers", "source_identifiers")


def with_normal_numbers(record: BibliographicRecord) -> BibliographicRecord:
    """Return the record as it is after it was written and read. Qualifiers stay: DC-NDL has a description for them."""
    numbers = {name: tuple(map(_number, getattr(record, name))) for name in _PARTS}
    relations = tuple(map(_relation, record.relations))
    return msgspec.structs.replace(record, relations=relations, **numbers)


def _number(identifier: Identifier) -> Identifier:
    is_plain = identifier.scheme in {"ISBN", "SetISBN"} and "(" not in identifier.printed
    return msgspec.structs.replace(identifier, printed="") if is_plain else identifier


def _relation(relation: Relation) -> Relation:
    return msgspec.structs.replace(relation, number=relation_number(relation))
