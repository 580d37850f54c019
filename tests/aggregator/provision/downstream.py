"""A second instance of the site that harvests the first one."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from aggregator.provision.contents import all_terms, contents
from aggregator.provision.listing import find
from harvesting.records.compression import unpack_record
from metadata.formats import CROSSWALKS
from metadata.policy import DEFAULT
from metadata.reading import read
from metadata.record import encode_record
from tests.database import fill
from tests.paths import ROOT

RECORDS = """
SELECT record.identifier, record.deleted, record.record
FROM harvesting_sourcerecord record JOIN harvesting_repository repository ON repository.id = record.repository_id
WHERE repository.number = ?
"""
# Code that prints the harvests and feeds of a provider, for the messages of failed tests.
DESCRIBE = """
import django, sys
django.setup()
from harvesting.models import Feed, Harvest
for run in Harvest.objects.filter(feed__repository__number=sys.argv[1]):
    print(run.pk, run.kind, run.from_date, run.requests, run.repeats, run.exhaustive, run.observations)
for feed in Feed.objects.filter(repository__number=sys.argv[1]):
    print(feed.watermark, feed.memory)
"""


class Downstream:
    """A second, initially empty instance, run as separate processes."""

    def __init__(self, folder: Path) -> None:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self._environment = inherited | {
            "AGGREGATOR_DATA": str(folder),
            "DJANGO_SETTINGS_MODULE": "aggregator.settings",
            "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
            "HARVEST_MIN_PAUSE": "0",
        }
        self._database = folder / "aggregator.sqlite3"
        fill(self._database)

    def register(self, base_url: str, *options: str) -> str:
        output = self._run("manage.py", "register", "--name", "上流", "--base-url", base_url, "--json", *options)
        number: str = json.loads(output)["number"]
        return number

    def harvest(self, number: str, *options: str) -> dict[str, tuple[bool, str]]:
        """Harvest the provider. Return identifier -> (whether it is deleted, the encoded record in hexadecimal)."""
        run = json.loads(self._run("manage.py", "harvest", number, "--json", *options))
        assert run["state"] == "succeeded" and run["rejected"] == 0, (run, self._run("-c", DESCRIBE, number))
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as database:
            rows = database.execute(RECORDS, [number]).fetchall()
        return {
            name: (bool(deleted), encode_record(unpack_record(packed)).hex() if packed else "")
            for name, deleted, packed in rows
        }

    def _run(self, *arguments: str) -> str:
        process = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self._environment, capture_output=True, text=True, check=False
        )
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout


def upstream(name: str) -> str:
    """Return the encoded record that another instance should have: the record of this site, written as DC-NDL and read
    again.
    """
    entry = find(name)
    assert entry is not None
    content = contents([entry.item], all_terms())[entry.item]
    read_again = read(CROSSWALKS["dcndl"].write(content.record()), "dcndl", DEFAULT).record
    assert read_again is not None
    return encode_record(read_again).hex()
