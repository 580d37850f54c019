"""What a record says beyond the elements of JPCOAR, as texts for its descriptions; and its type as a term of JPCOAR."""

from collections.abc import Iterator

from metadata.formats.jpcoar.terms import (
    RELATION_TYPES,
    REMOVED_TYPES,
    RENAMED_TYPES,
    TERM_OF_NDL,
    VERSION_TYPES,
)
from metadata.formats.jpcoar.write.values import page_numbers
from metadata.record import BibliographicRecord, MaterialType
from metadata.vocabularies.dcndl import MATERIAL_TYPES, language_code, material_type_uri
from metadata.vocabularies.resource_types import RESOURCE_TYPES

_NOT_KNOWN = frozenset({"other", "und", "unknown", ""})


def remainder(record: BibliographicRecord) -> list[str]:
    """Return the texts, each with a label."""
    return [f"{label} : {text}" for label, text in _remainder(record) if text]


def _remainder(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    yield from _types(record)
    yield from _further_values(record)
    for name in record.languages:
        if not language_code(name) and name.lower() not in _NOT_KNOWN:
            yield "言語", name
    if record.version_type not in VERSION_TYPES:
        yield "出版タイプ", record.version_type
    if not page_numbers(record.host.pages)[0]:
        yield "ページ", record.host.pages
    for relation in record.relations:
        if relation.term and relation.term not in RELATION_TYPES:
            yield relation.term, relation.label or relation.uri or relation.number


def _types(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    for position, kind in enumerate(record.material_types):
        if position or type_term(kind) == "other":
            yield "資料種別", _type_name(kind)


def _further_values(record: BibliographicRecord) -> Iterator[tuple[str, str]]:
    """Yield the values after the first, of elements that JPCOAR has only once."""
    for number in record.dissertation_numbers[1:]:
        yield "学位授与番号", number
    for date in [date.value for date in record.other_dates if date.type == "dateGranted"][1:]:
        yield "学位授与年月日", date
    for registration in record.registrations[1:]:
        yield f"DOI({registration.scheme})", registration.printed or registration.value
    for funding in record.fundings:
        for identifier in funding.funder.identifiers[1:]:
            yield f"助成機関の識別子({identifier.scheme})", identifier.value


def type_term(kind: MaterialType) -> str:
    """Return the term of JPCOAR's newest resource types, "other" if there is none."""
    term = RENAMED_TYPES.get(kind.label, kind.label)
    if term in RESOURCE_TYPES and term not in REMOVED_TYPES:
        return term
    return TERM_OF_NDL.get(kind.uri or material_type_uri(kind.label), "other")


def _type_name(kind: MaterialType) -> str:
    known = MATERIAL_TYPES.get(kind.uri)
    name = kind.label or (known.ja if known else kind.uri)
    return "" if name == "other" else name
