"""The child process of `benchmarks.reread`: a harvest and two rereads of its records."""

import json
import sys
import time
from io import StringIO
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks.children import Figures

from benchmarks.ours import empty_database, harvested, new_feed  # isort: skip  # sets Django up

from django.core.management import call_command

from harvesting.models import SourceRecord
from harvesting.records.compression import pack_record
from metadata.record import BibliographicRecord

OLD = pack_record(BibliographicRecord())  # an empty record, as if an earlier crosswalk had read no field


def measure(url: str) -> Figures:
    vendor = empty_database()
    run, seconds = harvested(new_feed(url))
    unchanged = reread()
    SourceRecord.objects.update(record=OLD)
    rereads = {"nothing changed": unchanged, "all changed": reread()}
    return {"vendor": vendor, "received": run.received, "harvest": seconds, "rereads": rereads}


def reread() -> dict[str, float]:
    """Return seconds on the clock ("wall"), all CPU seconds ("cpu") and those of the writing process ("writer")."""
    out, wall, own, others = StringIO(), time.perf_counter(), time.process_time(), _children()
    call_command("reread", json=True, stdout=out)
    writer = time.process_time() - own
    wall = time.perf_counter() - wall
    changed = json.loads(out.getvalue())["changed"]
    return {"wall": wall, "cpu": writer + _children() - others, "writer": writer, "changed": changed}


def _children() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
