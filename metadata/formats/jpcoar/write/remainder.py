"""What a record says beyond the elements of JPCOAR, as texts for its descriptions; and its type as a term of JPCOAR."""

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

type Labelled = tuple[str, str]  # a label and a text
_NOT_KNOWN = frozenset({"other", "und", "unknown", ""})


def remainder(record: BibliographicRecord) -> list[str]:
    """Return the texts, each with a label."""
    texts = _types(record) + _further_values(record)
    texts += [("言語", name) for name in record.languages if not language_code(name) and name.lower() not in _NOT_KNOWN]
    if record.version_type not in VERSION_TYPES:
        texts.append(("出版タイプ", record.version_type))
    if record.host.pages and not page_numbers(record.host.pages)[0]:
        texts.append(("ページ", record.host.pages))
    for relation in record.relations:
        if relation.term and relation.term not in RELATION_TYPES:
            texts.append((relation.term, relation.label or relation.uri or relation.number))
    return [f"{label} : {text}" for label, text in texts if text]


def _types(record: BibliographicRecord) -> list[Labelled]:
    return [
        ("資料種別", _type_name(kind))
        for position, kind in enumerate(record.material_types)
        if position or type_term(kind) == "other"
    ]


def _further_values(record: BibliographicRecord) -> list[Labelled]:
    """Return the values after the first, of elements that JPCOAR has only once."""
    granted = [date.value for date in record.other_dates if date.type == "dateGranted"]
    texts = [("学位授与番号", number) for number in record.dissertation_numbers[1:]]
    texts += [("学位授与年月日", date) for date in granted[1:]]
    for registration in record.registrations[1:]:
        texts.append((f"DOI({registration.scheme})", registration.printed or registration.value))
    for funding in record.fundings:
        for identifier in funding.funder.identifiers[1:]:
            texts.append((f"助成機関の識別子({identifier.scheme})", identifier.value))
    return texts


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
