"""Validates records with the rules of their format. Pure; the texts of the rules are in `metadata.catalogue`.

To add a rule: its texts in metadata/formats/<format>/rules.toml, and a function with @rule in rules.py beside it.
"""

from metadata.catalogue import RULES
from metadata.formats.dcndl import rules as rules_dcndl
from metadata.formats.dcndl import rules_items
from metadata.formats.dcndl_simple import rules as rules_dcndl_simple
from metadata.formats.jpcoar import rules as rules_jpcoar
from metadata.formats.json import rules as rules_json
from metadata.formats.junii2 import rules as rules_junii2
from metadata.formats.marc import rules as rules_marc
from metadata.formats.mods import rules as rules_mods
from metadata.formats.oai_dc import rules as rules_oai_dc
from metadata.formats.rss import rules as rules_rss
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import CHECKS, CODES, rule

__all__ = ["RULE_MODULES", "check_rules", "rule"]

RULE_MODULES = (
    rules_dcndl,
    rules_items,
    rules_dcndl_simple,
    rules_oai_dc,
    rules_rss,
    rules_marc,
    rules_mods,
    rules_jpcoar,
    rules_junii2,
    rules_json,
)  # importing them registers their rules
if CODES - RULES.keys():
    raise LookupError(f"no texts for {', '.join(sorted(CODES - RULES.keys()))}")


def check_rules(record: BibliographicRecord, prefix: str) -> list[Issue]:
    """Return the issues that the rules of its format find in the record. prefix: of the format.

    Characters are checked separately, in `metadata.validation.characters`.
    """
    return [issue for check in CHECKS[prefix] for issue in check(record)]
