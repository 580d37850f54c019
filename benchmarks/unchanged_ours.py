"""The aggregator's side of `benchmarks.unchanged`: two equal harvests, the second with its writes counted by table."""

import json
import re
import sys
from collections import Counter
from typing import Any

from benchmarks.children import Figures

from benchmarks.ours import empty_database, harvested, new_feed  # isort: skip  # sets Django up

from django.db import connection

WRITE = re.compile(r'\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.IGNORECASE)


def measure(url: str) -> Figures:
    vendor = empty_database()
    feed = new_feed(url)
    _run, first = harvested(feed)
    writes: Counter[str] = Counter()

    def count(execute: Any, statement: str, parameters: Any, many: bool, context: Any) -> Any:
        if written := WRITE.match(statement):
            writes[written[1]] += 1
        return execute(statement, parameters, many, context)

    with connection.execute_wrapper(count):
        run, again = harvested(feed, full=True)
    return {
        "vendor": vendor,
        "received": run.received,
        "unchanged": run.unchanged,
        "first": first,
        "again": again,
        "writes": dict(writes),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
