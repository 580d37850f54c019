"""The texts of the validation rules. They are in TOML files, whose keys docs/how-to/add-a-rule.md explains."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from metadata.issue import Profile, Severity
from metadata.text.tables import Text, check_pair, entries_of, read_table

_OFF = "off"  # instead of a severity, because TOML has no None
_NUMBER = re.compile("[EWNI][0-9]{3}")
_PLACEHOLDERS = frozenset({"field", "value", "result"})


class RuleText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of one rule. ja, en: what is wrong, where, and what was done. remedy: how to correct it at the source.

    …_without_value: the same for an issue that has no value, if it must be worded otherwise. source: the standard or
    guideline that the rule follows. profiles: the severity in a profile if it differs; None: not checked there.
    example: a made-up piece of a record with the issue, as a provider sends it. replaces: codes of earlier rules.
    """

    severity: Severity
    ja: Text
    en: Text
    source: Text
    example: Text
    remedy_ja: str = ""
    remedy_en: str = ""
    without_value_ja: str = ""
    without_value_en: str = ""
    profiles: Mapping[Profile, Severity | None] = {}
    replaces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        found = check_pair("", self.ja, self.en)
        found |= check_pair("remedy_", self.remedy_ja, self.remedy_en)
        found |= check_pair("without_value_", self.without_value_ja, self.without_value_en)
        if unknown := found - _PLACEHOLDERS:
            raise ValueError(f"unknown placeholder {{{min(unknown)}}}")


def rule_texts(path: Path) -> dict[str, RuleText]:
    """Return the rules of a file by their codes. All codes of a file belong to one family."""
    table = read_table(path)
    if len(table) != 1:
        raise ValueError(f"{path}: the codes of a file begin with one family, not with {', '.join(table) or 'none'}")
    [(family, rules)] = table.items()
    if not isinstance(rules, dict):
        raise ValueError(f"{path}: {family} is not the beginning of a code such as {family}.E001")
    wrong = [number for number in rules if not _NUMBER.fullmatch(number)]
    if wrong:
        raise ValueError(f"{path}: {family}.{wrong[0]} is not a code such as {family}.E001")
    texts = entries_of({number: _switched_off(rule) for number, rule in rules.items()}, RuleText, f"{path}: {family}.")
    return {f"{family}.{number}": text for number, text in texts.items()}


def _switched_off(rule: Any) -> Any:
    """Return the rule with None for the profiles in which it is off."""
    if not (isinstance(rule, dict) and isinstance(rule.get("profiles"), dict)):
        return rule
    profiles = {name: None if severity == _OFF else severity for name, severity in rule["profiles"].items()}
    return {**rule, "profiles": profiles}
