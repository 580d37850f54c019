"""Our half of `benchmarks.harvest`: one process that harvests, aggregates and indexes, with timers."""

import json
import sys
import time
from typing import Any

import django

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402

import aggregator.aggregate as aggregation  # noqa: E402
import aggregator.indexing as indexing  # noqa: E402
import harvesting.harvest as running  # noqa: E402
import harvesting.outcomes as outcomes  # noqa: E402
import harvesting.rows as rows  # noqa: E402
import harvesting.transports.oai_asking as transport  # noqa: E402
from aggregator.models import Manifestation  # noqa: E402
from aggregator.search import get_index  # noqa: E402
from benchmarks.stages import Stages, peak_mb, timed  # noqa: E402
from harvesting.fetch import Fetcher  # noqa: E402
from harvesting.harvest import create_harvest, harvest  # noqa: E402
from harvesting.models import Feed, Harvest, Repository  # noqa: E402
from harvesting.registration import register  # noqa: E402


def measure(url: str, prefix: str, stages: Stages | None) -> dict[str, Any]:
    """CPU seconds of each phase, and of each stage where timers are wanted."""
    call_command("migrate", verbosity=0)
    get_index()
    if stages:
        wrap(stages)
    feed = Feed(base_url=url, metadata_prefix=prefix)
    register(Repository(name="benchmark", number="R900000000"), [feed])  # as the records say
    wall = time.perf_counter()
    run, harvested = timed(lambda: harvest(create_harvest(feed)))
    assert run.state == Harvest.State.SUCCEEDED, (run.state, run.code, run.facts)
    _done, aggregated = timed(lambda: sum(aggregation.aggregate_pending()))
    _done, indexed = timed(lambda: sum(indexing.index_pending()))
    wall = time.perf_counter() - wall
    seconds = dict(stages.seconds) if stages else {}
    feed.refresh_from_db()
    _run, unchanged = timed(lambda: harvest(create_harvest(feed, full=True)))
    return {
        "received": run.received,
        "harvest": harvested,
        "aggregate": aggregated,
        "index": indexed,
        "unchanged": unchanged,
        "wall": wall,
        "stages": seconds,
        "peak_mb": peak_mb(),
        "manifestations": Manifestation.objects.exclude(record=b"").count(),
    }


def wrap(stages: Stages) -> None:
    """Which function belongs to which stage."""
    stages.wrap(Fetcher, "fetch", "fetch")
    stages.wrap(transport, "read_envelope", "parse")
    stages.wrap(transport, "read_page", "split")
    stages.wrap(outcomes, "read_element", "read")
    stages.wrap(rows, "pack_payload", "compress")
    stages.wrap(outcomes, "pack_record", "compress")
    stages.wrap(running, "store_batch", "store")
    stages.wrap(aggregation, "unpack_record", "load")
    stages.wrap(aggregation, "features", "features")
    stages.wrap(aggregation, "match_keys", "keys")
    stages.wrap(aggregation, "solve", "match")
    stages.wrap(aggregation, "merge", "merge")
    stages.wrap(aggregation, "pack_record", "compress")
    stages.wrap(aggregation, "upsert", "write groups")
    stages.wrap(aggregation, "gather", "neighbours")
    stages.wrap(rows, "upsert", "write records")
    stages.wrap(aggregation, "aggregate_batch", "aggregate")
    stages.wrap(indexing, "unpack_record", "load")
    stages.wrap(indexing, "document", "document")
    stages.wrap(indexing, "_write", "index")


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], Stages() if "--stages" in sys.argv else None)))
