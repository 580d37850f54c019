"""What our own children begin with: an empty database, a feed, a harvest of it. Importing it sets Django up."""

from typing import Any

import django

django.setup()  # the modules below need Django's apps

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from benchmarks.stages import timed  # noqa: E402
from harvesting.harvest.run import create_harvest, harvest, no_progress  # noqa: E402
from harvesting.models import Feed, Harvest, Repository, SourceRecord  # noqa: E402
from harvesting.registry.registration import register  # noqa: E402

NUMBER = "R900000000"  # as the made-up records say


def empty_database() -> str:
    """The tables, and nothing in them; returns the kind of database."""
    call_command("migrate", verbosity=0)
    assert not SourceRecord.objects.exists(), "the database is not empty"
    return connection.vendor


def new_feed(url: str, prefix: str = "dcndl", number: str = NUMBER) -> Feed:
    feed = Feed(base_url=url, metadata_prefix=prefix)
    register(Repository(name="benchmark", number=number), [feed])
    return feed


def harvested(feed: Feed, progress: Any = no_progress, **how: Any) -> tuple[Harvest, float]:
    """A run that has succeeded, and its CPU seconds. how: as `create_harvest`."""
    feed.refresh_from_db()
    run, seconds = timed(lambda: harvest(create_harvest(feed, **how), progress))
    assert run.state == Harvest.State.SUCCEEDED, (run.state, run.code, run.facts)
    return run, seconds
