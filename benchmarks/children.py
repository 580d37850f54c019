"""What the benchmarks start: providers of made-up records, and processes whose figures they compare. Measures nothing.

A child is a module of this package: it gets an empty data folder of its own and prints its figures as JSON, last.
"""

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
PAGE = 200  # records

type Figures = dict[str, Any]


@contextmanager
def provider(records: int, page_size: int = PAGE) -> Iterator[str]:
    """A provider of made-up records in a process of its own, at a free port; yields its base URL."""
    options = ["--records", str(records), "--port", "0", "--page-size", str(page_size), "--json"]
    command = [sys.executable, str(ROOT / "manage.py"), "sampleprovider", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout
            yield str(json.loads(process.stdout.readline())["base_url"])
        finally:
            process.terminate()


def run_child(module: str, *arguments: str, keep_database: bool = False) -> Figures:
    """What `python -m benchmarks.MODULE …` finds. keep_database: DATABASE_URL is its, too; else it has SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "AGGREGATOR_DATA": folder,
            "HARVEST_MIN_PAUSE": "0",
            "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
            "DJANGO_SETTINGS_MODULE": "aggregator.settings",
        }
        if not keep_database:
            environment.pop("DATABASE_URL", None)
        command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
        done = subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def micro(seconds: float, records: int) -> str:
    """Seconds as microseconds a record."""
    return f"{seconds * 1e6 / max(records, 1):.1f} µs CPU a record"


def last_line(ratio: float, name: str = "ratio to Sickle") -> None:
    """The line that every comparison ends with."""
    print(f"{name}: {ratio:.2f}")
