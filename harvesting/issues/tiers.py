"""The quality tier of a provider, A to C, and the three rules whose mending would lift it. Read from the stored counts.

A record counts as faulty if it has an error or a warning that is not ignored.
"""

from collections.abc import Collection
from dataclasses import dataclass

from harvesting.issues.counts import RuleCount, rule_counts
from harvesting.models import IssueCount
from metadata.issue import Severity

# Tier -> the largest shares of records that could not be registered, and of faulty records. The best first.
BOUNDS = {"A": (0.01, 0.10), "B": (0.05, 0.40)}
LAST = "C"
MOST_RULES = 3


@dataclass(frozen=True, slots=True)
class Quality:
    """tier: A, B or C. better: the next better tier, "" for A. to_mend: how many records must be mended for it.

    rules: those with most records, of which nothing is ignored.
    """

    tier: str
    better: str
    to_mend: int
    rules: tuple[RuleCount, ...]


def quality_of(count: IssueCount, ignored: Collection[str] = ()) -> Quality | None:
    """Return the quality of the records of a provider; None if there are none. ignored: rules ignored as a whole."""
    if not count.checked:
        return None
    tiers = [*BOUNDS, LAST]
    tier = next((name for name in BOUNDS if not _excess(count, name)), LAST)
    better = tiers[tiers.index(tier) - 1] if tier != tiers[0] else ""
    rules = [rule for rule in rule_counts(count) if rule.is_error_or_warning and rule.code not in ignored]
    refusing_first = bool(better) and count.unregistered > BOUNDS[better][0] * count.checked
    rules.sort(key=lambda rule: (refusing_first and rule.severity != Severity.RECORD_ERROR, -rule.records, rule.code))
    return Quality(tier, better, _excess(count, better) if better else 0, tuple(rules[:MOST_RULES]))


def _excess(count: IssueCount, tier: str) -> int:
    """How many records must be mended until the provider is in a tier; 0 if it is."""
    unregistered, faulty = (int(bound * count.checked) for bound in BOUNDS[tier])
    return max(0, count.unregistered - unregistered, count.faulty - faulty)
