"""Processes of `run.py serve` are killed at random: nothing is lost, nothing is there twice.

`python -m tests.durability.layout 1000` kills any number. It takes minutes, because nobody takes over a run before the
lease of its killed worker has expired; the same kills with short leases are in `test_durability.py`.
"""

import json
import os
import subprocess
import sys

import pytest

from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Repository, SourceRecord
from harvesting.registry.registration import register
from tests.durability.cluster import programs
from tests.durability.layout.agreement import compare, wrong_records
from tests.durability.layout.providers import RECORDS, libraries
from tests.paths import ROOT

POSTGRESQL = pytest.param(
    ("--postgresql",), marks=pytest.mark.skipif(programs() is None, reason="initdb and pg_ctl are not installed")
)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("more", [(), POSTGRESQL])
def test_a_site_whose_processes_are_killed_loses_and_duplicates_nothing(more):
    command = [sys.executable, "-m", "tests.durability.layout", "20", "--libraries", "8", *more]
    environment = {name: value for name, value in os.environ.items() if name != "RELIABILITY_RESULTS"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    (leg,) = map(json.loads, done.stdout.splitlines())
    assert (leg["kills"], leg["violations"]) == (20, [])
    assert leg["during_run"] >= 10


def test_what_is_lost_and_what_is_there_twice_is_named():
    assert list(compare("books", [1, 2, 3], {1, 2, 3})) == []
    assert list(compare("books", [1, 2, 2, 4], [1, 2, 3])) == [
        "books: 1 lost, for example ['3']",
        "books: 2 too many, for example ['2', '4']",
    ]


@pytest.mark.django_db
def test_a_record_that_is_lost_changed_or_revived_is_noticed(settings):
    settings.HARVEST_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with libraries(1) as (library,):
        feed = Feed(base_url=library.url, metadata_prefix="dcndl")
        owners = {register(Repository(name="館"), [feed]).pk: library}
        assert harvest(create_harvest(feed)).received == RECORDS
        assert list(wrong_records(owners)) == []
        SourceRecord.objects.filter(identifier=library.identifier(3)).delete()
        SourceRecord.objects.filter(identifier=library.identifier(5)).update(deleted=True)
        library.publish(7, 2)
    found = list(wrong_records(owners))
    assert [sentence.split(",")[0] for sentence in found] == [
        "records of library0: 3 lost",
        "records of library0: 2 too many",
    ]
