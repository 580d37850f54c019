"""Kills processes that receive a push, start its run, harvest it or report: `python -m tests.harvesting.pushes.killed`.

Prints for every place what was there after the sender had repeated its request and other processes had gone on. On a
database of its own, because a killed process must leave something behind that another one finds.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from tests.durability import stage

RECORDS = 3
RECEIVING = ("pushes.before_file", "pushes.after_file", "pushes.after_row")
WORKING = (
    "pushes.before_start",
    "pushes.after_start",
    "claim.after",
    "store.after_records",
    "store.after_commit",
    "harvest.end",
    "pushes.after_report",
)


def main() -> None:
    with stage.new_site(HARVEST_MIN_PAUSE="0"):
        print(json.dumps({place: _trial(place) for place in (*RECEIVING, *WORKING)}))


def _trial(place: str) -> dict[str, Any]:
    """Kill a process at a place. Then the sender repeats its request, and other processes do what waits."""
    from harvesting.models import Harvest, Push, SourceRecord  # noqa: PLC0415
    from tests.harvesting.pushes.pushed import lines, live, push, pushing_feed, work_off  # noqa: PLC0415

    feed = pushing_feed()

    def send() -> None:
        push(feed, lines(RECORDS), key="the same", name="books.jsonl")

    if place in RECEIVING:
        _killed(place, send)
    else:
        send()
        _killed(place, work_off)
    send()
    Harvest.objects.filter(feed=feed).update(lease_until=None)  # the lease of the killed worker has ended
    work_off()
    work_off()
    received = Push.objects.get(feed=feed)
    records = SourceRecord.objects.filter(repository=feed.repository)
    return {
        "records": [len(live(feed)), records.count()],
        "runs": [run.state for run in Harvest.objects.filter(feed=feed)],
        "push": received.state,
        "reported": received.report["accepted"],
        "file": received.file,
    }


def _killed(place: str, work: Callable[[], object]) -> None:
    status = stage.wait(stage.fork(work, HARVEST_KILL_AT=place))
    if not stage.was_killed(status):
        sys.exit(f"not killed at {place}: {status}")


if __name__ == "__main__":
    main()
