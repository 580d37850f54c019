"""A provider is harvested into the database of `bench scale`: what does a record cost on top of a large catalogue?

    DATABASE_URL=postgres://…/scale python3 run.py bench scale_harvest --records 50000 --folder FOLDER

FOLDER is the data folder, with the search index that takes the new books: not one that `bench search_growth` is still
growing. The first 10,000 records describe books of the template; the others match each other. A run adds a provider of
its own, so it can be repeated. Seconds of CPU contain those of PostgreSQL's process for this connection.
"""

import argparse
import os
from collections.abc import Callable
from typing import Any

from benchmarks.children import provider

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--records", type=int, default=50_000)
PARSER.add_argument("--folder", default="", help="data folder of the site; must be given")
OPTIONS = PARSER.parse_args()
os.environ |= {
    "AGGREGATOR_DATA": OPTIONS.folder,
    "DJANGO_SETTINGS_MODULE": "aggregator.settings",
    "LOG_LEVEL": "ERROR",
    "HARVEST_MIN_PAUSE": "0",
    "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
}

from benchmarks.ours import harvested  # noqa: E402  # isort: skip  # sets Django up

from aggregator.grouping.aggregate import aggregate_pending  # noqa: E402
from aggregator.indexing.build import index_pending  # noqa: E402
from aggregator.merging.stage import merge_pending  # noqa: E402
from aggregator.models import Manifestation  # noqa: E402
from aggregator.provision.resourcesync.changes import update_resources  # noqa: E402
from aggregator.provision.stamping import stamp_pending  # noqa: E402
from benchmarks.scale_measures import Cost  # noqa: E402
from harvesting.models import Feed, Repository  # noqa: E402
from harvesting.registry.registration import register  # noqa: E402


def main() -> None:
    if not OPTIONS.folder:
        PARSER.error("--folder: name the data folder of the site")
    with provider(OPTIONS.records) as url:
        feed = Feed(base_url=url, metadata_prefix="dcndl")
        register(Repository(name="harvested", approved=True), [feed])
        books = Manifestation.objects.order_by("-pk").values_list("pk", flat=True)[0]
        print(f"{'':24}{'µs CPU':>8}{'µs clock':>9}{'log bytes':>10}   a record; load {os.getloadavg()[0]:.1f}")
        report("harvested", lambda: harvested(feed))
    steps = {
        "matched": aggregate_pending,
        "merged": merge_pending,
        "stamped": stamp_pending,
        "taken over (ResourceSync)": update_resources,
        "indexed": index_pending,
    }
    for name, work in steps.items():
        report(name, lambda work=work: sum(int(done) for done in work()))
    print(f"{Manifestation.objects.filter(pk__gt=books).exclude(record=b'').count():,} new books")


def report(name: str, work: Callable[[], Any]) -> None:
    cpu, clock, log = (figure / OPTIONS.records for figure in Cost().of(work))
    print(f"{name:26}{cpu * 1e6:8.0f}{clock * 1e6:9.0f}{log:10.0f}", flush=True)


if __name__ == "__main__":
    main()
