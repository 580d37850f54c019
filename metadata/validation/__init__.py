"""Checking records: rules for each format, and characters for all. Pure; what a code means is in the catalogue.

To add a rule: its sentences in sentences_<format>.py, and a function with @rule in rules_<format>.py.
"""

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation import (
    rules_dcndl,
    rules_dcndl_items,
    rules_dcndl_simple,
    rules_jpcoar,
    rules_json,
    rules_junii2,
    rules_marc,
    rules_mods,
    rules_oai_dc,
    rules_rss,
)
from metadata.validation.characters import check_characters
from metadata.validation.policy import DEFAULT, Policy
from metadata.validation.registry import CHECKS, rule

__all__ = ["RULE_MODULES", "rule", "validate"]

RULE_MODULES = (
    rules_dcndl,
    rules_dcndl_items,
    rules_dcndl_simple,
    rules_oai_dc,
    rules_rss,
    rules_marc,
    rules_mods,
    rules_jpcoar,
    rules_junii2,
    rules_json,
)  # importing them registers their rules


def validate(
    record: BibliographicRecord, prefix: str, elements: dict[str, str], policy: Policy = DEFAULT
) -> tuple[BibliographicRecord, list[Issue]]:
    """The record with its characters mended, and all that its format's rules and the characters gave.

    elements: record field → element of that format, so that messages name what the provider wrote.
    policy: characters are mended only where that is asked for.
    """
    issues = [issue for check in CHECKS[prefix] for issue in check(record)]
    record, found = check_characters(record, elements, policy)
    return record, issues + found
