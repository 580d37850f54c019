"""Enrichment rules as JSON, and the checks that every rule passes before it is stored. Pure.

The document of a rule set is `{"rules": […]}`; each rule has its kind, its name, its field and what the kind needs, see
`metadata.enrichment.rules`.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from metadata.enrichment.fields import FIELDS, is_storable
from metadata.enrichment.patterns import PatternError, check_pattern
from metadata.enrichment.rules import MOST_CODES, MOST_RULES, AnyRule, Fixed, MapCodes, Replace, Split

LARGEST = 2 * 2**20  # bytes of a document


class RuleError(ValueError):
    """A rule, a document or a list of codes that is refused.

    code: the reason, a key of `harvesting.enrichment.wording.PROBLEMS`. name: of the rule. detail: the value that is
    wrong.
    """

    def __init__(self, code: str, name: str = "", detail: str = "") -> None:
        super().__init__(" ".join(filter(None, (code, name, detail))))
        self.code, self.name, self.detail = code, name, detail


def as_json(rules: Iterable[AnyRule]) -> dict[str, Any]:
    """Return the document of these rules."""
    return {"rules": [msgspec.to_builtins(rule) for rule in rules]}


def trusted_rules(document: Any) -> tuple[AnyRule, ...]:
    """Return the rules of a document that was checked when it was stored."""
    return msgspec.convert(document["rules"], tuple[AnyRule, ...])


def read_rules(data: bytes) -> tuple[AnyRule, ...]:
    """Return the rules of a document from outside. Raises RuleError."""
    if len(data) > LARGEST:
        raise RuleError("document_large")
    try:
        document = msgspec.json.decode(data)
        rules = msgspec.convert(document["rules"], tuple[AnyRule, ...])
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeError, KeyError, TypeError, RecursionError) as error:
        raise RuleError("document_wrong", detail=str(error)[:200]) from error
    check_rules(rules)
    return rules


def check_rules(rules: tuple[AnyRule, ...]) -> None:
    """Raise RuleError if these rules cannot be used together."""
    if len(rules) > MOST_RULES:
        raise RuleError("too_many_rules", detail=str(MOST_RULES))
    names = [rule.name for rule in rules]
    for number, rule in enumerate(rules):
        check_rule(rule)
        if rule.name in names[:number]:
            raise RuleError("name_twice", rule.name)


def check_rule(rule: AnyRule) -> None:
    """Raise RuleError if this rule cannot be used."""
    for code, detail in _problems(rule):
        raise RuleError(code, rule.name, detail)


def _problems(rule: AnyRule) -> Iterator[tuple[str, str]]:
    for name in (*rule.targets(), *(condition.field for condition in rule.conditions)):
        if name not in FIELDS:
            yield "field_unknown", name
    if not all(is_storable(text) for text in _texts(msgspec.to_builtins(rule))):
        yield "text_wrong", ""
    for condition in rule.conditions:
        if condition.test in {"is", "contains"} and not condition.value:
            yield "condition_value", condition.field
    yield from _of_kind(rule)


def _of_kind(rule: AnyRule) -> Iterator[tuple[str, str]]:
    match rule:
        case Fixed():
            yield from _of_fixed(rule)
        case Replace():
            yield from _of_replace(rule)
        case MapCodes():
            yield from _of_codes(rule)
        case Split():
            yield from _of_split(rule)


def _of_fixed(rule: Fixed) -> Iterator[tuple[str, str]]:
    field = FIELDS[rule.field]
    if not field.takes(rule.value):
        yield "value_wrong", rule.value
    if rule.add and (field.make is None or field.single):
        yield "cannot_add", rule.field


def _of_replace(rule: Replace) -> Iterator[tuple[str, str]]:
    if not rule.pattern:
        return
    try:
        check_pattern(rule.find, rule.replacement)
    except PatternError as error:
        yield error.code, error.detail


def _of_codes(rule: MapCodes) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for code, text in rule.codes:
        if not code or code in seen:
            yield "code_twice" if code else "code_empty", code
        if text and not FIELDS[rule.field].takes(text):
            yield "value_wrong", text
        seen.add(code)


def _of_split(rule: Split) -> Iterator[tuple[str, str]]:
    field = FIELDS[rule.field]
    if not rule.into and (field.make is None or field.single):
        yield "cannot_split", rule.field
    if rule.into and (FIELDS[rule.into].make is None or rule.into == rule.field):
        yield "cannot_add", rule.into


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def read_codes(text: str) -> tuple[tuple[str, str], ...]:
    """Return a pasted list of codes: a code and its value in each line, separated by a tab or a comma (RFC 4180).

    Raises RuleError for a line that does not have two columns, with the number of the line.
    """
    lines = text.removeprefix("\ufeff").strip("\n\r")
    separator = "\t" if "\t" in lines else ","
    codes: list[tuple[str, str]] = []
    try:
        for number, row in enumerate(csv.reader(io.StringIO(lines), delimiter=separator, strict=True), 1):
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != 2:
                raise RuleError("line_wrong", detail=str(number))
            codes.append((row[0].strip(), row[1].strip()))
    except csv.Error as error:
        raise RuleError("line_wrong", detail=str(error)) from error
    if len(codes) > MOST_CODES:
        raise RuleError("too_many_codes", detail=str(MOST_CODES))
    return tuple(codes)


def write_codes(codes: Iterable[tuple[str, str]]) -> str:
    """Return a list of codes as `read_codes` takes it."""
    out = io.StringIO()
    csv.writer(out, delimiter="\t", lineterminator="\n").writerows(codes)
    return out.getvalue()
