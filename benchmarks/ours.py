"""An empty database, a feed and a harvest, for the child processes that measure the aggregator.

Importing this module sets Django up.
"""

import subprocess
import sys
from typing import Any

import django

from core.work.allocator import limit_freed_memory
from core.work.garbage import loading

with loading():  # like manage.py
    limit_freed_memory()
    django.setup()  # the modules below need Django's apps

from django.db import connection

from benchmarks.children import ROOT
from benchmarks.stages import timed
from harvesting.harvest.run import create_harvest, harvest, no_progress
from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.registry.registration import register

NUMBER = "R900000000"  # the repository number in the generated records


def empty_database() -> str:
    """Create the tables and check that they are empty. Return the kind of database."""
    # In a process of its own, as on a site: it leaves 40 MB behind.
    subprocess.run([sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity=0", "--skip-checks"], check=True)
    assert not SourceRecord.objects.exists(), "the database is not empty"
    return connection.vendor


def new_feed(url: str, prefix: str = "dcndl", number: str = NUMBER) -> Feed:
    feed = Feed(base_url=url, metadata_prefix=prefix)
    register(Repository(name="benchmark", number=number), [feed])
    return feed


def harvested(feed: Feed, progress: Any = no_progress, **how: Any) -> tuple[Harvest, float]:
    """Run a harvest that must succeed. Return the run and its CPU seconds. how: options of `create_harvest`."""
    feed.refresh_from_db()
    run, seconds = timed(lambda: harvest(create_harvest(feed, **how), progress))
    assert run.state == Harvest.State.SUCCEEDED, (run.state, run.code, run.facts)
    return run, seconds
