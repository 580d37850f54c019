"""How strictly the records of one provider are checked: a profile, and the rules that are switched for it. Pure."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from metadata.issue import Issue, Severity
from metadata.validation.catalogue import RULES


class Profile(enum.StrEnum):
    """Whose practice the severities follow."""

    NDL = "ndl"  # the guideline of NDL Search
    IRDB = "irdb"  # the practice of IRDB
    LAX = "lax"  # providers that know neither, mostly foreign oai_dc


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A profile with exceptions. switches: by code the severity that counts instead; None: the rule is off."""

    profile: Profile = Profile.NDL
    switches: Mapping[str, Severity | None] = field(default_factory=dict)

    def severity(self, code: str) -> Severity | None:
        """What a finding counts as here; None: it is not told. Codes of earlier versions count as information."""
        if code in self.switches:
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
