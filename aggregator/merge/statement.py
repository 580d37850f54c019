"""Which description states which value of a merged record. No database; no rules for providers."""

from collections.abc import Hashable, Sequence
from typing import Any

import msgspec

from aggregator.merge.rules import RULES, Rule
from metadata.record import BibliographicRecord, Host

_NO_HOST = Host()


class Statement(msgspec.Struct, frozen=True, gc=False):
    """One value, and the positions of the descriptions that state it, in whatever spelling.

    value: for a field with a single value the whole field (a tuple), otherwise one of its values, as the first
    description spells it. in_merged: whether the merged record states it too.
    """

    value: Any
    places: tuple[int, ...]
    in_merged: bool


def statements(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> dict[str, tuple[Statement, ...]]:
    """For every field that some description fills, the statements about it, those of the merged record first.

    A description that leaves a field empty states nothing about it and contradicts no other.
    """
    filled = [(field, rule) for field, rule in RULES.items() if any(getattr(record, field) for record in records)]
    by_field = {field: _field_statements(merged, records, field, rule) for field, rule in filled}
    return {field: field_statements for field, field_statements in by_field.items() if field_statements}


def record_with(field: str, value: Any) -> BibliographicRecord:
    """A record with nothing but the value of a statement."""
    fields: dict[str, Any] = {field: value if RULES[field].single else (value,)}
    return BibliographicRecord(**fields)


def unanimous(field_statements: Sequence[Statement]) -> bool:
    """Whether all descriptions that fill the field agree, or state only what the merged record has elsewhere."""
    return all(statement.places == field_statements[0].places and statement.in_merged for statement in field_statements)


def _field_statements(
    merged: BibliographicRecord, records: Sequence[BibliographicRecord], field: str, rule: Rule
) -> tuple[Statement, ...]:
    if rule.make_key is None:
        return ()
    values_by_record = [_values(record, field, rule) for record in records]
    merged_values = _values(merged, field, rule)
    key = rule.make_key([value for values in (merged_values, *values_by_record) for value in values])
    merged_by_key = {key(value): value for value in reversed(merged_values)}
    known = merged_by_key.keys() | {key(value) for value in rule.elsewhere(merged)}
    values: dict[Hashable, Any] = dict(reversed(merged_by_key.items()))
    places: dict[Hashable, dict[int, None]] = {value_key: {} for value_key in values}
    for place, record_values in enumerate(values_by_record):
        for value in record_values:
            value_key = key(value)
            values.setdefault(value_key, value)
            places.setdefault(value_key, {})[place] = None
    return tuple(
        Statement(values[value_key], tuple(places[value_key]), value_key in known)
        for value_key in values
        if places[value_key]
    )


def _values(record: BibliographicRecord, field: str, rule: Rule) -> Sequence[Any]:
    value = getattr(record, field)
    if rule.single:
        return (value,) if value and value != _NO_HOST else ()
    return [part for compound in value for part in rule.split(compound)]
