"""How strictly the records of one provider are checked: a profile, and the rules that are switched for it. Pure."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from metadata.catalogue import RULES, family_of
from metadata.issue import Issue, Severity
from metadata.validation.xsd.check import Schemas


class Profile(enum.StrEnum):
    """Whose practice the severities follow."""

    NDL = "ndl"  # the guideline of NDL Search
    IRDB = "irdb"  # the practice of IRDB
    LAX = "lax"  # providers that know neither, mostly foreign oai_dc


# Families of codes that speak of what came instead of a record, or of the way it came; of the formats' own codes,
# those that are found before there is a record.
_WITHOUT_RECORD = frozenset({"xml", "oai", "file", "harvest", "rs"})
_UNREAD = frozenset({"json.E001", "json.E003"})
_RANKS = {severity: place for place, severity in enumerate(Severity)}  # worst first


def is_switchable(code: str) -> bool:
    """Whether a rule may count less than it does, or be off: only one about a record that could be read."""
    return code in RULES and family_of(code) not in _WITHOUT_RECORD and code not in _UNREAD


def may_count_as(code: str, outcome: Severity | None) -> bool:
    """Whether a rule may be switched to this; None: off. Where nothing could be read it can only count more."""
    return is_switchable(code) or (outcome is not None and code in RULES and _is_worse(outcome, RULES[code].severity))


def _is_worse(one: Severity, other: Severity) -> bool:
    return _RANKS[one] < _RANKS[other]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A profile with exceptions. switches: by code the severity that counts instead; None: the rule is off.

    schemas: those that records are checked against besides; None: they are not.
    """

    profile: Profile = Profile.NDL
    switches: Mapping[str, Severity | None] = field(default_factory=dict)
    schemas: Schemas | None = None

    def severity(self, code: str) -> Severity | None:
        """What a finding counts as here; None: it is not told. Codes of earlier versions count as information."""
        if code in self.switches and may_count_as(code, self.switches[code]):
            return self.switches[code]
        rule = RULES.get(code)
        if rule is None:
            return Severity.INFORMATION
        return rule.profiles.get(self.profile, rule.severity)

    def told(self, issues: Iterable[Issue]) -> tuple[Issue, ...]:
        """The issues without those whose rule is off."""
        return tuple(issue for issue in issues if self.severity(issue.code) is not None)

    def refuses(self, issues: Iterable[Issue]) -> bool:
        """Whether one of the issues forbids registering the record."""
        return any(self.severity(issue.code) is Severity.RECORD_ERROR for issue in issues)


DEFAULT = Policy()
