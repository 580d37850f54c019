"""The peer's half of `benchmarks.harvest`: Sickle iterating the records, nothing else."""

import json
import sys

from sickle import Sickle

from benchmarks.stages import peak_mb, timed

if __name__ == "__main__":
    url, prefix = sys.argv[1:3]
    count, seconds = timed(lambda: sum(1 for _record in Sickle(url).ListRecords(metadataPrefix=prefix)))
    print(json.dumps({"records": count, "cpu": seconds, "peak_mb": peak_mb()}))
