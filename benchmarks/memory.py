"""How much memory a harvest takes: one page of 64 MiB, and a run of N records in ordinary pages.

    .venv/bin/python -m benchmarks.memory --records 1000000

Each run has its own process, provider and empty data folder. Growth is the highest resident memory after the run
less the highest after a small run of the same kind, which has loaded all the code.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SMALL = 2_000
LARGE_PAGE = 14_200  # made-up records that come to just under 64 MiB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000, help="of the long run; 0 leaves it out")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    runs = [("one large page", LARGE_PAGE, LARGE_PAGE)]
    if options.records:
        runs.append(("long run", options.records, 200))
    for name, records, page_size in runs:
        figures = measure(records, page_size)
        if options.json:
            print(json.dumps({"suite": "memory", "case": name, **figures}))
        else:
            print(
                f"{name}: {figures['received']} records, largest page {figures['page_mib']:.1f} MiB, "
                f"memory grew by {figures['growth_mib']:.0f} MiB to {figures['peak_mib']:.0f} MiB"
            )


def measure(records: int, page_size: int) -> dict[str, Any]:
    """Growth in MiB of a harvest of so many records in pages of that size."""
    with provider(SMALL, 200) as small, provider(records, page_size) as large, tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "AGGREGATOR_DATA": folder,
            "HARVEST_MIN_PAUSE": "0",
            "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
            "DJANGO_SETTINGS_MODULE": "aggregator.settings",
        }
        environment.pop("DATABASE_URL", None)
        command = [sys.executable, "-m", "benchmarks.memory_ours", small, large]
        done = subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def provider(records: int, page_size: int) -> Iterator[str]:
    """A provider of made-up records in a process of its own; yields its base URL."""
    options = ["--records", str(records), "--port", "0", "--page-size", str(page_size), "--json"]
    command = [sys.executable, str(ROOT / "manage.py"), "sampleprovider", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout
            yield str(json.loads(process.stdout.readline())["base_url"])
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
