"""The whole path of N DC-NDL records, stage by stage, and Sickle iterating the same records in the same run.

    .venv/bin/python -m benchmarks.harvest --records 100000

Starts its own provider on loopback and its own empty data folder. The provider's own time is not counted.
CPU time is that of one process (user + system); stages are exclusive of each other.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--prefix", default="dcndl", choices=["dcndl", "oai_dc"])
    parser.add_argument("--stages", action="store_true", help="also time each stage (adds about 5 µs a record)")
    options = parser.parse_args()
    compare(options.records, options.prefix, options.stages)


def compare(records: int, prefix: str, stages: bool) -> None:
    provider = subprocess.Popen(
        [
            sys.executable,
            str(ROOT / "manage.py"),
            "sampleprovider",
            "--records",
            str(records),
            "--port",
            "8490",
            "--page-size",
            str(PAGE),
            "--json",
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert provider.stdout
        url = base_url(json.loads(provider.stdout.readline()))
        results = {name: run_child(name, url, prefix, stages) for name in ("sickle", "ours")}
        report(records, results["ours"], results["sickle"])
    finally:
        provider.terminate()


def base_url(announced: Any) -> str:
    """The first base URL that the provider prints."""
    found = announced.get("base_url") or announced["providers"][0]["base_url"]
    return str(found)


def run_child(name: str, url: str, prefix: str, stages: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "AGGREGATOR_DATA": folder,
            "HARVEST_MIN_PAUSE": "0",
            "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8:8400-8499",
            "DJANGO_SETTINGS_MODULE": "aggregator.settings",
        }
        environment.pop("DATABASE_URL", None)
        command = [sys.executable, "-m", f"benchmarks.harvest_{name}", url, prefix, *["--stages"] * stages]
        output = subprocess.run(
            command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        return dict(json.loads(output.splitlines()[-1]))


def report(records: int, own: dict[str, Any], peer: dict[str, Any]) -> None:
    each = 1e6 / max(records, 1)
    print(f"records: {own['received']} ours, {peer['records']} Sickle; {own['manifestations']} books")
    for name in ("harvest", "aggregate", "index", "unchanged"):
        print(f"{name:>10}: {own[name] * each:7.1f} µs CPU a record")
    for stage, seconds in own["stages"].items():
        print(f"{stage:>10}  : {seconds * each:7.1f} µs")
    whole = own["harvest"] + own["aggregate"] + own["index"]
    print(
        f"whole path: {whole * each:.1f} µs CPU a record, {records / own['wall']:.0f} records/s wall, "
        f"peak {own['peak_mb']:.0f} MB"
    )
    print(f"    Sickle: {peer['cpu'] * each:.1f} µs CPU a record, peak {peer['peak_mb']:.0f} MB")
    print(f"harvest to Sickle: {own['harvest'] / peer['cpu']:.2f}")
    print(f"unchanged to Sickle: {own['unchanged'] / peer['cpu']:.2f}")
    print(f"ratio to Sickle: {whole / peer['cpu']:.2f}")


if __name__ == "__main__":
    main()
