"""Starts what the benchmarks compare: providers of generated records, and child processes that measure.

A child process runs a module of this package in an empty data folder and prints its figures as JSON on its last line.
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
    """Serve generated records in a process of its own, on a free port. Yields the base URL."""
    options = ["--records", str(records), "--port", "0", "--page-size", str(page_size), "--json"]
    with _served([str(ROOT / "manage.py"), "sampleprovider", *options]) as url:
        yield url


@contextmanager
def union_catalogue(records: int) -> Iterator[str]:
    """Serve the records of `benchmarks.union` in a process of its own, on a free port. Yields the base URL."""
    with _served(["-c", "from benchmarks.union import serve; serve()", str(records)]) as url:
        yield url


@contextmanager
def varied_titles(records: int) -> Iterator[str]:
    """Serve the records of `benchmarks.varied` in a process of its own, on a free port. Yields the base URL."""
    with _served(["-c", "from benchmarks.varied import serve; serve()", str(records)]) as url:
        yield url


@contextmanager
def _served(program: list[str]) -> Iterator[str]:
    with subprocess.Popen([sys.executable, *program], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout
            yield str(json.loads(process.stdout.readline())["base_url"])
        finally:
            process.terminate()


def run_child(module: str, *arguments: str, keep_database: bool = False) -> Figures:
    """Run `python -m benchmarks.MODULE …` and return its figures. It uses SQLite, or DATABASE_URL if keep_database."""
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
    """Format CPU seconds as microseconds per record."""
    return f"{seconds * 1e6 / max(records, 1):.1f} µs CPU a record"


def last_line(ratio: float, name: str = "ratio to Sickle") -> None:
    """Print the last line of a comparison: the name of the ratio and its value."""
    print(f"{name}: {ratio:.2f}")
