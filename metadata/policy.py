"""How strictly the records of one provider are validated: a profile, and exceptions for single rules. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from metadata.catalogue import RULES, family_of
from metadata.enrichment.rules import RuleSet
from metadata.issue import Issue, Profile, Severity
from metadata.validation.xsd.check import Schemas

__all__ = ["DEFAULT", "Policy", "Profile", "is_switchable", "may_count_as"]


# Families of rules about responses without a usable record and about the transport, and single codes of other families
# with the same meaning: no record could be read.
_WITHOUT_RECORD = frozenset({"xml", "oai", "file", "harvest", "rs"})
_UNREAD = frozenset({"json.E001", "json.E003"})
_OF_HAND_OVER = "thesis"  # family of rules that say what a service needs; they find no issues of records
_RANKS = {severity: rank for rank, severity in enumerate(Severity)}  # worst first


def is_switchable(code: str) -> bool:
    """Whether a rule may be made less severe or switched off: not if it means that no record could be read."""
    return code in RULES and family_of(code) not in {*_WITHOUT_RECORD, _OF_HAND_OVER} and code not in _UNREAD


def may_count_as(code: str, outcome: Severity | None) -> bool:
    """Whether a rule may be switched to this severity (None: off). Rules that are not switchable: only a worse one."""
    known = code in RULES and family_of(code) != _OF_HAND_OVER
    return is_switchable(code) or (outcome is not None and known and _is_worse(outcome, RULES[code].severity))


def _is_worse(one: Severity, other: Severity) -> bool:
    return _RANKS[one] < _RANKS[other]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A profile with exceptions. switches: rule code -> the severity that counts instead, None for a rule that is off.

    schemas: the official XML schemas that records are checked against as well; None: no check against schemas.
    enrichment: the rules by which staff correct the records before they are checked; None: there have never been any.
    """

    profile: Profile = Profile.NDL
    switches: Mapping[str, Severity | None] = field(default_factory=dict)
    schemas: Schemas | None = None
    enrichment: RuleSet | None = None

    def severity(self, code: str) -> Severity | None:
        """The severity of an issue with this code; None: its rule is off. Unknown, older codes count as information."""
        if code in self.switches and may_count_as(code, self.switches[code]):
            return self.switches[code]
        rule = RULES.get(code)
        if rule is None:
            return Severity.INFORMATION
        return rule.profiles.get(self.profile, rule.severity)

    def reported(self, issues: Iterable[Issue]) -> tuple[Issue, ...]:
        """Return the issues without those whose rule is off."""
        return tuple(issue for issue in issues if self.severity(issue.code) is not None)

    def refuses(self, issues: Iterable[Issue]) -> bool:
        """Whether one of the issues forbids registering the record."""
        return any(self.severity(issue.code) is Severity.RECORD_ERROR for issue in issues)


DEFAULT = Policy()
