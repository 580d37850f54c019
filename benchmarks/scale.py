"""The cost of storing and matching when the catalogue is large: bytes per row, look-ups, batches, queries.

    python3 run.py bench scale --records 1000000
    DATABASE_URL=postgres://…/empty python3 run.py bench scale --records 1000000,10000000 --storage

Rows are copied by SQL from a small real catalogue (`benchmarks/scale_template.py`, `benchmarks/scale_fill.py`). With several numbers, the catalogue
is measured at one size and then grows to the next. --storage leaves out the tables for redistribution. --keep keeps
the database and continues with the one of an earlier run, even where it was killed; otherwise everything in it is
removed. Figures are medians
of CPU time, including that of PostgreSQL's process for this connection, and of the time on the clock.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--records", default="100000", help="how many, or several steps separated by commas")
PARSER.add_argument("--storage", action="store_true", help="only the tables of storing and matching")
PARSER.add_argument("--keep", action="store_true", help="keep the database, and continue with an existing one")
PARSER.add_argument("--fill-only", action="store_true", help="fill the tables without measuring")
PARSER.add_argument("--folder", default="", help="folder of the SQLite file")
OPTIONS = PARSER.parse_args()
FOLDER = OPTIONS.folder or tempfile.mkdtemp(prefix="benchmark-scale-")
os.environ |= {"AGGREGATOR_DATA": FOLDER, "DJANGO_SETTINGS_MODULE": "aggregator.settings", "LOG_LEVEL": "ERROR"}
Path(FOLDER).mkdir(parents=True, exist_ok=True)

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from benchmarks import scale_fill, scale_measures, scale_template  # noqa: E402
from benchmarks.scale_sizes import report_sizes  # noqa: E402
from benchmarks.scale_template import MATCHING, PROVISION, RECORDS, STORAGE, table  # noqa: E402
from harvesting.models import SourceRecord  # noqa: E402

TABLES = (*STORAGE, *MATCHING, *(() if OPTIONS.storage else PROVISION))


def main() -> None:
    prepare()
    for step in map(int, OPTIONS.records.split(",")):
        fill(step)
        if not OPTIONS.fill_only:
            measure()
    if not OPTIONS.keep:
        remove()


def prepare() -> None:
    with connection.cursor() as cursor:
        known = connection.introspection.table_names(cursor)
    if "scale_copies" in known:
        return
    if table(SourceRecord) in known:
        sys.exit("This database is in use: name an empty one.")
    call_command("migrate", verbosity=0)
    begun = time.perf_counter()
    scale_template.make_template()
    scale_fill.make_tables()
    print(f"{connection.vendor}: {RECORDS:,} records made, {time.perf_counter() - begun:.0f} s", flush=True)


def fill(records: int) -> None:
    """Grow the catalogue to this many records in all, or finish what an earlier run has begun."""
    scale_fill.add_copies(records // RECORDS - 1 - scale_fill.copies_made())
    begun = time.perf_counter()
    for done in scale_fill.fill(TABLES):
        print(f"{time.perf_counter() - begun:8.0f} s {done}", flush=True)
    connection.close()


def measure() -> None:
    records = scale_template.one(f"SELECT COUNT(*) FROM {table(SourceRecord)}")
    print(f"\n{connection.vendor}, {records:,} records, load {os.getloadavg()[0]:.0f}")
    scale_measures.report_batches()
    scale_measures.forget_inserted()
    scale_measures.report_queries()
    rows = {table(model): scale_template.one(f"SELECT COUNT(*) FROM {table(model)}") for model in TABLES}
    print(f"bytes a record: {report_sizes(rows, records):,}", flush=True)


def remove() -> None:
    """Remove the SQLite folder, or every table of the PostgreSQL database."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for name in connection.introspection.table_names(cursor):
                cursor.execute(f'DROP TABLE "{name}" CASCADE')
    connection.close()
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
