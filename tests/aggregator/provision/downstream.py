"""Another instance, empty at first, that harvests this one."""

import json
import os
import subprocess
import sys
from pathlib import Path

from aggregator.provision.contents import all_terms, contents
from aggregator.provision.listing import find
from harvesting.records.compression import unpack_record
from metadata.formats import CROSSWALKS
from metadata.policy import DEFAULT
from metadata.reading import read
from metadata.record import encode_record
from tests.paths import ROOT

# Another instance: harvests, then says what it has.
READ = """
import django, json, sys
django.setup()
from harvesting.records.compression import unpack_record
from harvesting.models import SourceRecord
from metadata.record import encode_record
rows = SourceRecord.objects.filter(repository__number=sys.argv[1])
for name, deleted, packed in rows.values_list("identifier", "deleted", "record"):
    print(json.dumps([name, deleted, encode_record(unpack_record(bytes(packed))).hex() if packed else ""]))
"""

TOLD = """
import django, sys
django.setup()
from harvesting.models import Feed, Harvest
for run in Harvest.objects.filter(feed__repository__number=sys.argv[1]):
    print(run.pk, run.kind, run.from_date, run.requests, run.repeats, run.exhaustive, run.observations)
for feed in Feed.objects.filter(repository__number=sys.argv[1]):
    print(feed.watermark, feed.memory)
"""


class Downstream:
    """An empty instance of this program that harvests ours, as a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self._environment = kept | {
            "AGGREGATOR_DATA": str(folder),
            "DJANGO_SETTINGS_MODULE": "aggregator.settings",
            "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
            "HARVEST_MIN_PAUSE": "0",
        }
        self._run("manage.py", "migrate", "--verbosity", "0")

    def register(self, base_url: str, *more: str) -> str:
        said = self._run("manage.py", "register", "--name", "上流", "--base-url", base_url, "--json", *more)
        number: str = json.loads(said)["number"]
        return number

    def harvest(self, number: str, *more: str) -> dict[str, tuple[bool, str]]:
        """Identifier -> whether it is deleted, and what the record says."""
        run = json.loads(self._run("manage.py", "harvest", number, "--json", *more))
        print(json.dumps(run, ensure_ascii=False), self._run("-c", TOLD, number))  # shown where a test fails
        assert run["state"] == "succeeded" and run["rejected"] == 0, run
        lines = [json.loads(line) for line in self._run("-c", READ, number).splitlines()]
        return {name: (deleted, said) for name, deleted, said in lines}

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def upstream(name: str) -> str:
    """What another instance reads of a record of ours: through the format and back."""
    entry = find(name)
    assert entry is not None
    given = contents([entry.item], all_terms())[entry.item]
    again = read(CROSSWALKS["dcndl"].write(unpack_record(given.packed)), "dcndl", DEFAULT).record
    assert again is not None
    return encode_record(again).hex()
