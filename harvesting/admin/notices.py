"""What a run counted and noticed, for the pages about it."""

from collections.abc import Mapping

from django.utils.text import Truncator
from django.utils.translation import ngettext

from harvesting.messages import describe, happened
from harvesting.models import Harvest, RecordIssue

COUNTS = ("received", "created", "updated", "unchanged", "deleted", "rejected", "held", "swept")


def notices_of(run: Harvest) -> list[tuple[str, str]]:
    """Each finding of the run as a sentence, and how often it was made ("" for once)."""
    found = []
    for code, notice in run.notices.items():
        count = int(notice.get("count", 1))
        times = ngettext("(%(count)s time)", "(%(count)s times)", count) % {"count": count} if count > 1 else ""
        found.append((describe(code, notice.get("facts", {})), times))
    return found


def issues_of(run: Harvest) -> str:
    """How many issues of each severity, in words; "" for none."""
    names = dict(RecordIssue.SEVERITIES)
    return ", ".join(f"{names.get(severity, severity)}: {count}" for severity, count in run.issue_counts.items())


def what_happened(code: str, facts: Mapping[str, str | int], most: int = 0) -> str:
    """The first half of a message, where the page itself says what can be done. most: characters, 0 = all."""
    text = happened(code, facts)
    return Truncator(text).chars(most) if most else text
