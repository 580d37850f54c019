"""The child process of `benchmarks.growth`: one harvest, with the CPU time taken after every tenth."""

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from benchmarks.children import Figures

from benchmarks.ours import empty_database, harvested, new_feed  # isort: skip  # sets Django up

from aggregator.grouping.aggregate import batches
from aggregator.indexing.build import index_pending
from aggregator.merging.stage import merge_pending
from aggregator.search import get_index
from benchmarks.stages import own_mb, peak_mb, timed
from harvesting.models import Harvest


@dataclass
class Tenths:
    """The cost of every tenth. size: records in a tenth; begun: CPU seconds and records at the start of the tenth."""

    size: int
    whole: bool
    begun: tuple[float, int] = (0.0, 0)
    found: list[dict[str, float]] = field(default_factory=list)

    def look(self, run: Harvest, _outcomes: Counter[str]) -> None:
        """Measure the present tenth if its records are complete. Called after each page of the harvest."""
        if run.received < self.size * (len(self.found) + 1) or len(self.found) == 10:
            return
        spent, records = time.process_time() - self.begun[0], run.received - self.begun[1]
        pairs, aggregated = timed(lambda: sum(batch.pairs for batch in batches())) if self.whole else (0, 0.0)
        aggregated += timed(lambda: sum(merge_pending()))[1] if self.whole else 0.0
        books, indexed = timed(lambda: sum(index_pending())) if self.whole else (0, 0.0)
        costs = {"harvest": spent, "aggregate": aggregated, "index": indexed}
        per_record = {name: seconds * 1e6 / records for name, seconds in costs.items()}
        memory = {"peak_mb": peak_mb(), "own_mb": own_mb()}
        shares = {"pairs": pairs / records, "books": books / records}
        self.found.append({"records": run.received, **memory, **per_record, **shares})
        self.begun = (time.process_time(), run.received)


def measure(url: str, records: int, whole: bool) -> Figures:
    vendor = empty_database()
    if whole:
        get_index()
    feed, wall = new_feed(url), time.perf_counter()
    tenths = Tenths(max(1, records // 10), whole, (time.process_time(), 0))
    run, _seconds = harvested(feed, tenths.look)
    wall = time.perf_counter() - wall
    return {"vendor": vendor, "received": run.received, "tenths": tenths.found, "wall": wall}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), "--whole" in sys.argv)))
