"""The shape of an entry in the tables of sentences. Knows no rule."""

from typing import NamedTuple

from metadata.issue import Severity


class RuleText(NamedTuple):
    """ja, en: what, where, what was done. remedy: what to do at the source. source: where the rule comes from."""

    severity: Severity
    ja: str
    en: str
    remedy_ja: str = ""
    remedy_en: str = ""
    source: str = ""
