"""The aggregator's side of `benchmarks.harvest`: a process that harvests, aggregates and indexes, with timers."""

import json
import sys
import time

from benchmarks.children import Figures

from benchmarks.ours import empty_database, harvested, new_feed  # isort: skip  # sets Django up

import aggregator.grouping.aggregate as aggregation
import aggregator.grouping.claim as claiming
import aggregator.indexing.build as indexing
import harvesting.harvest.run as running
import harvesting.records.decisions as outcomes
import harvesting.records.writing as rows
import harvesting.transports.oai_pmh.recognition as recognition
import harvesting.transports.oai_pmh.requests as transport
from aggregator.merging import stage as merging
from aggregator.models import Manifestation
from aggregator.search import get_index
from benchmarks.stages import Stages, peak_mb, timed
from harvesting.http.fetch import Fetcher


def measure(url: str, prefix: str, stages: Stages | None) -> Figures:
    """Return the CPU seconds of each phase and, with `stages`, of each stage."""
    empty_database()
    get_index()
    if stages:
        wrap(stages)
    wall = time.perf_counter()
    run, seconds = harvested(new_feed(url, prefix))
    _done, aggregated = timed(lambda: sum(aggregation.aggregate_pending()) + sum(merging.merge_pending()))
    _done, indexed = timed(lambda: sum(indexing.index_pending()))
    return {
        "received": run.received,
        "harvest": seconds,
        "aggregate": aggregated,
        "index": indexed,
        "wall": time.perf_counter() - wall,
        "stages": dict(stages.seconds) if stages else {},
        "peak_mb": peak_mb(),
        "manifestations": Manifestation.objects.exclude(record=b"").count(),
    }


def wrap(stages: Stages) -> None:
    """Count the time of the aggregator's functions under the names of stages."""
    stages.wrap(Fetcher, "fetch", "fetch")
    stages.wrap(transport, "read_envelope", "parse")
    stages.wrap(recognition, "parse", "parse")
    stages.wrap(transport, "read_page", "split")
    stages.wrap(outcomes, "read_all", "read")
    stages.wrap(rows, "pack_payload", "compress")
    stages.wrap(outcomes, "pack_encoded", "compress")
    stages.wrap(rows, "upsert", "write records")
    stages.wrap(running, "store_batch", "store, the rest")
    stages.wrap(claiming, "unpack_record", "load")
    stages.wrap(aggregation, "gather", "neighbours")
    stages.wrap(aggregation, "_solve", "match")
    stages.wrap(aggregation, "write_groups", "write groups")
    stages.wrap(aggregation, "aggregate_batch", "aggregate, the rest")
    stages.wrap(merging, "_step", "merge")
    stages.wrap(indexing, "unpack_record", "load")
    stages.wrap(indexing, "document", "document")
    stages.wrap(indexing, "_write", "index, the rest")


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], Stages() if "--stages" in sys.argv else None)))
