"""Enrichment rules and sets of them: what a provider's records say is corrected, one rule after the other. Pure.

A rule gives the same result for the same record, always. Where its result would not be valid in the field (no date in
the date of publication, too long, too many), the record stays as it was before the rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from metadata.enrichment.fields import FIELDS, Field
from metadata.enrichment.patterns import substitute
from metadata.record import BibliographicRecord

MOST_RULES = 50
MOST_CODES = 5_000
MOST_CONDITIONS = 3  # of a rule

type _Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
type _Text = Annotated[str, msgspec.Meta(max_length=2_000)]
type _Filled = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
type _Code = Annotated[str, msgspec.Meta(max_length=500)]


class _Stored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base of what is stored as JSON."""


class Condition(_Stored, frozen=True, kw_only=True):
    """Only records where a text of this field is, or contains, the value; or where the field is empty, or is not."""

    field: str
    test: Literal["is", "contains", "empty", "filled"]
    value: _Text = ""

    def holds(self, record: BibliographicRecord) -> bool:
        texts = FIELDS[self.field].texts(record)
        if self.test in {"empty", "filled"}:
            return bool(texts) is (self.test == "filled")
        return any(self.value == text if self.test == "is" else self.value in text for text in texts)


class Rule(_Stored, frozen=True, kw_only=True, tag_field="kind"):
    """What all rules have: a name for people, the field that is changed, and the conditions, all of which must hold."""

    name: _Name
    field: str
    conditions: Annotated[tuple[Condition, ...], msgspec.Meta(max_length=MOST_CONDITIONS)] = ()

    def changed(self, record: BibliographicRecord, field: Field) -> BibliographicRecord:
        """Return the record as the rule has it, whether valid or not."""
        raise NotImplementedError

    def targets(self) -> tuple[str, ...]:
        """Return the names of the fields that the rule may change."""
        return (self.field,)


class Fixed(Rule, frozen=True, kw_only=True, tag="fixed"):
    """Give the field this value, instead of its texts or besides them."""

    value: _Filled
    add: bool = False

    def changed(self, record: BibliographicRecord, field: Field) -> BibliographicRecord:
        return field.put(record, (*field.texts(record), self.value) if self.add else (self.value,))


class Replace(Rule, frozen=True, kw_only=True, tag="replace"):
    """Replace a text inside the texts of the field, or a pattern; a text of which nothing remains is removed."""

    find: _Filled
    replacement: _Text = ""
    pattern: bool = False

    def changed(self, record: BibliographicRecord, field: Field) -> BibliographicRecord:
        return field.changed(record, self._replaced)

    def _replaced(self, text: str) -> tuple[str, ...]:
        if self.pattern:
            result = substitute(self.find, self.replacement, text)
        else:
            result = text.replace(self.find, self.replacement)
        if result != text:
            result = result.strip()
        return (result,) if result else ()


class MapCodes(Rule, frozen=True, kw_only=True, tag="codes"):
    """Replace texts that are codes by others; "" removes a code. Texts that are not in the list stay."""

    codes: Annotated[tuple[tuple[_Code, _Code], ...], msgspec.Meta(min_length=1, max_length=MOST_CODES)]

    def changed(self, record: BibliographicRecord, field: Field) -> BibliographicRecord:
        table = _table(self.codes)
        return field.changed(record, lambda text: tuple(filter(None, [table.get(text, text)])))

    def uncovered(self, texts: Sequence[str]) -> list[str]:
        """Return those of the texts that the list does not have, in their order."""
        table = _table(self.codes)
        known = set(table.values())
        return [text for text in texts if text not in table and text not in known]


class Split(Rule, frozen=True, kw_only=True, tag="split"):
    """Split texts at a separator: into several texts of the field; or what follows the first separator goes `into`
    another field.
    """

    separator: Annotated[str, msgspec.Meta(min_length=1, max_length=50)]
    into: str = ""

    def targets(self) -> tuple[str, ...]:
        return (self.field, self.into) if self.into else (self.field,)

    def changed(self, record: BibliographicRecord, field: Field) -> BibliographicRecord:
        if not self.into:
            return field.changed(record, lambda text: self._parts(text) or (text,))
        rest: list[str] = []

        def first(text: str) -> tuple[str, ...]:
            before, _separator, after = text.partition(self.separator)
            if not (before.strip() and after.strip()):
                return (text,)
            rest.append(after.strip())
            return (before.strip(),)

        shortened = field.changed(record, first)
        other = FIELDS[self.into]
        return other.put(shortened, (*other.texts(shortened), *rest)) if rest else record

    def _parts(self, text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split(self.separator) if part.strip())


type AnyRule = Fixed | Replace | MapCodes | Split


@dataclass(frozen=True, slots=True)
class Applied:
    """A record after the rules. names: of the rules that changed it, in their order."""

    record: BibliographicRecord
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a provider in the order in which they are applied. version: of the set, 0 = none was made yet."""

    version: int = 0
    rules: tuple[AnyRule, ...] = ()

    def apply(self, record: BibliographicRecord) -> Applied:
        """Return the record as the rules change it; the same object if they change nothing."""
        names: list[str] = []
        changed = record
        for rule in self.rules:
            result = apply_rule(rule, changed)
            if result != changed:
                names.append(rule.name)
                changed = result
        return Applied(changed, tuple(names)) if changed != record else Applied(record)


def apply_rule(rule: AnyRule, record: BibliographicRecord) -> BibliographicRecord:
    """Return the record as one rule changes it; as it is, if a condition does not hold or the result is not valid."""
    if not all(condition.holds(record) for condition in rule.conditions):
        return record
    result = rule.changed(record, FIELDS[rule.field])
    is_valid = all(
        FIELDS[name].accepts(FIELDS[name].texts(result), FIELDS[name].texts(record)) for name in rule.targets()
    )
    return result if is_valid else record


@lru_cache(maxsize=64)
def _table(codes: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(codes)
