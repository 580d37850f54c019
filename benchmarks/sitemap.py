"""The cost of the sitemap: `python3 run.py bench sitemap --records 1000000`.

Creates its rows by SQL in a temporary folder (SQLite), and requests the index, the first file and the last one.
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import django

FOLDER = tempfile.mkdtemp(prefix="benchmark-sitemap-")
os.environ |= {"AGGREGATOR_DATA": FOLDER, "DJANGO_SETTINGS_MODULE": "aggregator.settings"}
os.environ.pop("DATABASE_URL", None)
Path(FOLDER, "static").mkdir()  # whitenoise warns of a missing one
django.setup()

from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from aggregator.models import Manifestation, Member  # noqa: E402
from benchmarks.rows import fill  # noqa: E402
from harvesting.models import Repository, SourceRecord  # noqa: E402

RECORD = {"public_id": "'R900000001-I' || n", "identifier": "'i' || n", "changed_at": "'2026-01-01 00:00:00'"}
PACKED = {"record": "zeroblob(400)", "payload": "zeroblob(420)", "set_specs": "'[]'"}


def measure(path: str) -> tuple[float, int]:
    """Return the CPU seconds of a request, best of three, and the bytes of the response."""
    client, times, size = Client(headers={"host": "127.0.0.1"}), [], 0
    for _time in range(3):
        start = time.process_time()
        size = len(b"".join(client.get(path)))
        times.append(time.process_time() - start)
    return min(times), size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    records = parser.parse_args().records
    call_command("migrate", verbosity=0)
    repository = Repository.objects.create(number="R900000001", name="x")
    fill(SourceRecord, records, repository_id=str(repository.pk), **RECORD, **PACKED)
    fill(Manifestation, records, record="zeroblob(400)", changed_at="'2026-01-01 00:00:00'")
    fill(Member, records, source_record_id="n", manifestation_id="n")
    last = (records - 1) // 50_000
    for path in ("/sitemap.xml", "/sitemaps/books-0.xml", f"/sitemaps/books-{last}.xml"):
        seconds, size = measure(path)
        print(f"{path}: {seconds * 1000:.1f} ms CPU, {size:,} bytes")
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
