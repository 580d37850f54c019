"""A peer iterating the records of a provider, and nothing else: `python -m benchmarks.peer sickle|scythe URL PREFIX`."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.stages import peak_mb, timed


def sickle(url: str, prefix: str) -> Iterator[Any]:
    from sickle import Sickle  # noqa: PLC0415  the memory of the other one is not to be counted

    return iter(Sickle(url).ListRecords(metadataPrefix=prefix))


def scythe(url: str, prefix: str) -> Iterator[Any]:
    from oaipmh_scythe import Scythe  # noqa: PLC0415

    return iter(Scythe(url).list_records(metadata_prefix=prefix))


PEERS = {"sickle": sickle, "scythe": scythe}

if __name__ == "__main__":
    name, base_url, metadata_prefix = sys.argv[1:4]
    count, seconds = timed(lambda: sum(1 for _record in PEERS[name](base_url, metadata_prefix)))
    print(json.dumps({"records": count, "cpu": seconds, "peak_mb": peak_mb()}))
