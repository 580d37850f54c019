"""The shape of an entry in the tables of sentences. Knows no rule."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from metadata.issue import Severity

NO_PROFILES: Mapping[str, Severity | None] = MappingProxyType({})


class RuleText(NamedTuple):
    """ja, en: what, where, what was done. remedy: what to do at the source. source: where the rule comes from.

    profiles: the severity by profile ("ndl", "irdb", "lax") where it is another one there; None: not checked there.
    example: a piece of a record that the rule speaks about, written by us, as the provider would send it.
    """

    severity: Severity
    ja: str
    en: str
    remedy_ja: str = ""
    remedy_en: str = ""
    source: str = ""
    profiles: Mapping[str, Severity | None] = NO_PROFILES
    example: str = ""
