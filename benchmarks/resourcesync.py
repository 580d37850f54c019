"""The cost of ResourceSync for a large catalogue: taking over changes, documents, packages.

    python3 run.py bench resourcesync --records 1000000

Makes up the catalogue of `benchmarks/oai.py` in a temporary folder (SQLite), takes it over into the lists of
ResourceSync, requests the documents, then changes a thousand records and takes those over. --packages also makes all
packages.
"""

import argparse
import shutil
import time
from collections.abc import Callable

from benchmarks.oai import FOLDER, fill  # isort: skip  # sets Django up

from django.core.management import call_command
from django.db import connection
from django.test import Client

from aggregator.models import Provided, Resource, ResourceSet
from aggregator.provision.resourcesync import naming
from aggregator.provision.resourcesync.changes import update_resources
from aggregator.provision.resourcesync.packages import pack

CHANGED = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--packages", action="store_true", help="also make all packages")
    options = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        fill(options.records)
        items = Provided.objects.count()
        print(f"{connection.vendor}, {options.records} records, {items} items")
        measure("taking over all, us of CPU an item", items, lambda: sum(update_resources()))
        report_documents()
        Provided.objects.filter(pk__lte=CHANGED).update(stamp=int(time.time()) + 1)
        Resource.objects.filter(pk__lte=CHANGED).update(sha256=b"before")
        time.sleep(2)
        measure("taking over 1000 changes, us of CPU an item", CHANGED, lambda: sum(update_resources()))
        if options.packages:
            packed: list[int] = []
            measure(
                "packing all, us of CPU a resource", items, lambda: packed.extend(package.count for package in pack())
            )
            print(f"{len(packed)} packages, {sum(packed)} resources")
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def report_documents() -> None:
    client, base = Client(), f"/resourcesync/{naming.MERGED}/"
    last = Resource.objects.filter(origin=0).order_by("-pk").values_list("pk", flat=True)[0] // naming.PART
    print(f"{ResourceSet.objects.count()} sets")
    for path in (
        "/.well-known/resourcesync",
        f"{base}capabilitylist.xml",
        f"{base}resourcelist.xml",
        f"{base}resourcelist-0.xml",
        f"{base}resourcelist-{last}.xml",
        f"{base}changelist.xml",
        f"{base}M1.xml",
    ):
        measure(f"{path}, ms of CPU", 1, lambda path=path: fetch(client, path), 1e3)


def fetch(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200, path
    print(f"{len(response.content):>12} bytes  ", end="")


def measure(name: str, count: int, work: Callable[[], object], unit: float = 1e6) -> None:
    begun = time.process_time()
    work()
    print(f"{(time.process_time() - begun) / count * unit:8.1f}  {name}", flush=True)


if __name__ == "__main__":
    main()
