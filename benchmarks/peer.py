"""The other side of a comparison: Sickle or oaipmh-scythe iterates the records of a provider and does nothing else.

Other benchmarks start it as `python -m benchmarks.peer sickle|scythe URL PREFIX`.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.stages import peak_mb, timed


def sickle(url: str, prefix: str) -> Iterator[Any]:
    from sickle import Sickle  # noqa: PLC0415  (so that only the chosen library counts for the memory)

    return iter(Sickle(url).ListRecords(metadataPrefix=prefix))


def scythe(url: str, prefix: str) -> Iterator[Any]:
    from oaipmh_scythe import Scythe  # noqa: PLC0415

    return iter(Scythe(url).list_records(metadata_prefix=prefix))


PEERS = {"sickle": sickle, "scythe": scythe}

if __name__ == "__main__":
    name, base_url, metadata_prefix = sys.argv[1:4]
    count, seconds = timed(lambda: sum(1 for _record in PEERS[name](base_url, metadata_prefix)))
    print(json.dumps({"records": count, "cpu": seconds, "peak_mb": peak_mb()}))
