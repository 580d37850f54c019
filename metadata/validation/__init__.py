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
from metadata.validation.registry import CHECKS, rule

__all__ = ["RULE_MODULES", "check_rules", "rule"]

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


def check_rules(record: BibliographicRecord, prefix: str) -> list[Issue]:
    """What the rules of its format find about the record; its characters are looked at in `characters`."""
    return [issue for check in CHECKS[prefix] for issue in check(record)]
