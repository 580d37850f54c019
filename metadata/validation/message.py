"""The type of the entries in the tables of rule messages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from metadata.issue import Severity

NO_PROFILES: Mapping[str, Severity | None] = MappingProxyType({})


class RuleText(NamedTuple):
    """The texts of one rule. ja, en: what is wrong, where, and what was done. remedy: how to correct it at the source.

    source: the standard or guideline that the rule follows. profiles: the severity in a profile ("ndl", "irdb", "lax")
    if it differs; None: not checked there. example: a made-up piece of a record with the issue, as a provider sends it.
    """

    severity: Severity
    ja: str
    en: str
    remedy_ja: str = ""
    remedy_en: str = ""
    source: str = ""
    profiles: Mapping[str, Severity | None] = NO_PROFILES
    example: str = ""
