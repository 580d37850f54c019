"""What a run counted and noticed, for the pages about it; and columns under names for people."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.utils.text import Truncator
from django.utils.translation import gettext_noop, ngettext

from harvesting.alarms import shown as moment
from harvesting.findings import facts_of
from harvesting.messages import describe, happened
from harvesting.models import Harvest, RecordIssue

COUNTS = ("received", "created", "updated", "unchanged", "deleted", "rejected", "held", "swept")


# Words of Django's own pages that its Japanese lacks: named here so that they come into our catalogue, which is asked
# before Django's.
BORROWED = (gettext_noop("- Select an option -"),)


def column(name: str, label: Any, *, boolean: bool | None = None) -> Callable[[Any, Any], Any]:
    """A column of a row under a name for people."""

    @admin.display(description=label, boolean=boolean)
    def shown(_admin: Any, row: Any) -> Any:
        value = getattr(row, name)
        if isinstance(value, datetime):
            return moment(value)  # which Django formats for its own columns only
        return "–" if value in (None, "") else value

    return shown


def notices_of(run: Harvest) -> list[tuple[str, str]]:
    """Each finding of the run as a sentence, and how often it was made ("" for once)."""
    found = []
    for code, notice in facts_of(run).items():
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
