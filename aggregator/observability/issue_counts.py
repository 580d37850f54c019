"""Issues by severity, summed from the IssueCount rows that are written after harvests. No issue is counted here.

Every process remembers the newest IssueCount of every provider, and reads only those written since.
"""

import threading
import time
from collections import Counter

from django.db.models import Max

from harvesting.models import IssueCount
from metadata.issue import Severity

REREAD_SECONDS = 3600.0  # after which all are read again, since a provider may have been erased


class IssueTotals:
    """Issues by severity for every provider, as of the newest IssueCount that was read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_provider: dict[int, Counter[str]] = {}
        self._newest = 0
        self._started = 0.0

    def sums(self) -> Counter[str]:
        with self._lock:
            if not self._started or time.monotonic() - self._started > REREAD_SECONDS:
                self._by_provider, self._newest, self._started = {}, 0, time.monotonic()
            self._read()
            return sum(self._by_provider.values(), Counter())

    def _read(self) -> None:
        by_age = IssueCount.objects.order_by("pk")
        if self._newest:
            rows = by_age.filter(pk__gt=self._newest)
        else:
            rows = by_age.filter(pk__in=by_age.order_by().values("repository").annotate(last=Max("pk")).values("last"))
        for pk, repository, counts in rows.values_list("pk", "repository", "counts"):
            self._by_provider[repository] = Counter()
            for _code, severity, issues, *_more in counts:
                self._by_provider[repository][severity] += issues
            self._newest = max(self._newest, pk)


_TOTALS = IssueTotals()


def issues_by_severity() -> dict[str, float]:
    """Return the number of issues of every severity."""
    sums = _TOTALS.sums()
    return {severity.value: float(sums[severity.value]) for severity in Severity}
