"""Pushes for tests: a provider that pushes, its files, and the dispatcher and worker in one call."""

import io
import json
from typing import Any

from harvesting.dispatcher import take_pushes, waiting_harvests
from harvesting.harvest.run import harvest
from harvesting.models import Feed, Harvest, Push, Repository, SourceRecord
from harvesting.pushes import receiving
from harvesting.pushes.receiving import Sent
from harvesting.registry.registration import register

Content = Push.Content


def pushing_feed(**fields: Any) -> Feed:
    """The feed of a new live provider that pushes its records."""
    feed = Feed(
        **{"protocol": "push", "base_url": "", "metadata_prefix": "", "schedule": Feed.Schedule.MANUAL, **fields}
    )
    register(Repository(name="見本町立図書館", state="live"), [feed])
    return feed


def line(name: str, title: str = "", **other: object) -> str:
    """A record of JSON Lines."""
    record = {"titles": [{"value": title or f"本{name}"}], "issued": "2000"}
    return json.dumps({"identifier": f"oai:x:{name}", "record": record, **other}, ensure_ascii=False) + "\n"


def lines(number: int, title: str = "") -> bytes:
    return "".join(line(str(place), title) for place in range(number)).encode()


def push(feed: Feed, body: bytes, content: str = Content.CHANGES, **sent: str) -> Push:
    """Receive a body, as the interface does."""
    with receiving.spooled(io.BytesIO(body), len(body), receiving.MAX_BYTES) as spooled:
        return receiving.receive(feed, spooled, Sent(content=Content(content), **sent))[0]


def work_off() -> list[Harvest]:
    """Let the dispatcher and a worker do what waits, round after round; return the runs."""
    runs = []
    while True:
        take_pushes()
        waiting = waiting_harvests()
        if not waiting:
            return runs
        runs += [harvest(run) for run in waiting]


def live(feed: Feed) -> set[str]:
    """The identifiers of the provider's registered records, without their common beginning."""
    records = SourceRecord.objects.filter(repository=feed.repository, deleted=False).exclude(payload_hash=b"")
    return {identifier.removeprefix("oai:x:") for identifier in records.values_list("identifier", flat=True)}
