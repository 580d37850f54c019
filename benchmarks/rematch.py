"""The cost of `rematch` and `reindex` for a whole catalogue, and how long 1,000,000 records would take.

    python3 run.py bench rematch --records 50000
    DATABASE_URL=postgres://…/empty python3 run.py bench rematch --records 50000

The records are those of `benchmarks.descriptions`; filling the database is not counted. Minutes are CPU time of one
process (the search engine has a second thread). This rematch changes nothing, so it leaves no book to index again;
the cost of indexing is measured by `reindex`.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Callable
from itertools import batched, islice

FOLDER = tempfile.mkdtemp(prefix="rematch-benchmark-")
os.environ["AGGREGATOR_DATA"] = FOLDER
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from aggregator.grouping.aggregate import aggregate_pending  # noqa: E402
from aggregator.grouping.rematch import begin_rematch, continue_rematch  # noqa: E402
from aggregator.indexing.build import index_pending, reindex  # noqa: E402
from aggregator.merging.stage import merge_pending  # noqa: E402
from aggregator.models import Manifestation  # noqa: E402
from aggregator.provision.stamping import stamp_pending  # noqa: E402
from benchmarks.descriptions import described  # noqa: E402
from benchmarks.stages import peak_mb, timed  # noqa: E402
from benchmarks.stored import providers, store  # noqa: E402

CHUNK = 10_000
MILLION = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=20_000)
    count = parser.parse_args().records
    try:
        call_command("migrate", verbosity=0)
        owners = providers()
        source = (record for _book, record in islice(described(), count))
        for place, records in enumerate(batched(source, CHUNK)):
            store(records, owners, place * CHUNK)
        print(f"{connection.vendor}, {count} records")
        measure("match, the first time", count, lambda: sum(aggregate_pending()))
        measure("merge, the first time", count, lambda: sum(merge_pending()))
        measure("stamps, the first time", count, lambda: sum(stamp_pending()))
        measure("index, the first time", count, lambda: sum(index_pending()))
        minutes = measure("rematch: matching", count, _match_again) + measure("rematch: stamps", count, _stamp)
        waiting = Manifestation.objects.to_index().count()
        print(f"books to index after it: {waiting} of {Manifestation.objects.exclude(record=b'').count()}")
        print(f"rematch of 1,000,000 records: {minutes:.1f} minutes of CPU")
        minutes = measure("reindex", count, lambda: sum(reindex()))
        print(f"reindex of 1,000,000 records: {minutes:.1f} minutes of CPU; peak {peak_mb():.0f} MB")
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def measure(name: str, count: int, work: Callable[[], object]) -> float:
    """Print the cost per record. Return the minutes for a million records."""
    _done, spent = timed(work)
    print(f"{name:28}{spent / count * 1e6:8.0f} us CPU a record", flush=True)
    return spent / count * MILLION / 60


def _match_again() -> None:
    run, _resumed = begin_rematch()
    for _batch in continue_rematch(run):
        pass
    sum(merge_pending())


def _stamp() -> None:
    for _step in stamp_pending():
        pass


if __name__ == "__main__":
    main()
