"""Who says what of a merged record: each value with the descriptions that give it. Pure; knows no provider by name."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from aggregator.merge.rules import RULES, Rule
from metadata.record import BibliographicRecord, Host

_NO_HOST = Host()


@dataclass(frozen=True, slots=True)
class Statement:
    """One value and the places of the descriptions that say it, in whatever spelling.

    value: of a field of which one value stands, the whole field (a tuple); else one of its values, as the first
    of them has it. kept: the merged record says so too.
    """

    value: Any
    places: tuple[int, ...]
    kept: bool


def statements(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> dict[str, tuple[Statement, ...]]:
    """For every field that somebody fills, what is said of it, what the merged record says first.

    Who leaves a field empty says nothing of it and contradicts nobody.
    """
    filled = [(field, rule) for field, rule in RULES.items() if any(getattr(each, field) for each in records)]
    found = {field: _heard(merged, records, field, rule) for field, rule in filled}
    return {field: heard for field, heard in found.items() if heard}


def record_with(field: str, value: Any) -> BibliographicRecord:
    """A record that says nothing but the value of a voice."""
    said: dict[str, Any] = {field: value if RULES[field].single else (value,)}
    return BibliographicRecord(**said)


def unanimous(heard: Sequence[Statement]) -> bool:
    """All who say anything of the field say the same, or what stands elsewhere in the record."""
    return all(voice.places == heard[0].places and voice.kept for voice in heard)


def _heard(
    merged: BibliographicRecord, records: Sequence[BibliographicRecord], field: str, rule: Rule
) -> tuple[Statement, ...]:
    if rule.judge is None:
        return ()
    said = [_values(record, field, rule) for record in records]
    stands = _values(merged, field, rule)
    key = rule.judge([value for values in (stands, *said) for value in values])
    kept = {key(value): value for value in reversed(stands)}
    known = kept.keys() | {key(value) for value in rule.elsewhere(merged)}
    values: dict[Hashable, Any] = dict(reversed(kept.items()))
    places: dict[Hashable, dict[int, None]] = {each: {} for each in values}
    for place, each in enumerate(said):
        for value in each:
            name = key(value)
            values.setdefault(name, value)
            places.setdefault(name, {})[place] = None
    return tuple(Statement(values[each], tuple(places[each]), each in known) for each in values if places[each])


def _values(record: BibliographicRecord, field: str, rule: Rule) -> Sequence[Any]:
    value = getattr(record, field)
    if rule.single:
        return (value,) if value and value != _NO_HOST else ()
    return [each for part in value for each in rule.apart(part)]
