"""Issues by severity, out of the stocks that are taken behind harvests; no issue is counted here.

Each process remembers the newest stock of each provider, and asks for those taken since.
"""

import threading
import time
from collections import Counter

from django.db.models import Max

from harvesting.models import IssueCount
from metadata.issue import Severity

FORGOTTEN = 3600.0  # seconds after which all are read again: a provider may have been erased


class Stocks:
    """Repository -> issues by severity, as of the newest stock that was read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[int, Counter[str]] = {}
        self._newest = 0
        self._begun = 0.0

    def sums(self) -> Counter[str]:
        with self._lock:
            if not self._begun or time.monotonic() - self._begun > FORGOTTEN:
                self._of, self._newest, self._begun = {}, 0, time.monotonic()
            self._read()
            return sum(self._of.values(), Counter())

    def _read(self) -> None:
        stocks = IssueCount.objects.order_by("pk")
        if self._newest:
            rows = stocks.filter(pk__gt=self._newest)
        else:
            rows = stocks.filter(pk__in=stocks.order_by().values("repository").annotate(last=Max("pk")).values("last"))
        for pk, repository, counts in rows.values_list("pk", "repository", "counts"):
            self._of[repository] = Counter()
            for _code, severity, issues, *_more in counts:
                self._of[repository][severity] += issues
            self._newest = max(self._newest, pk)


_STOCKS = Stocks()


def issues_by_severity() -> dict[str, float]:
    """Every severity with its count."""
    sums = _STOCKS.sums()
    return {each.value: float(sums[each.value]) for each in Severity}
