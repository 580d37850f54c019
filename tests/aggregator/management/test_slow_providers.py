"""While a slow provider occupies a worker, the records of others, and its own so far, are matched and found.

The same with thirty providers and real processes: `tests/durability/test_thirty.py`.
"""

from contextlib import ExitStack

import pytest

from aggregator.jobs import AGGREGATION
from aggregator.models import Member
from harvesting.harvest.run import create_harvest, harvest
from harvesting.jobs import HARVESTS
from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.registry.registration import register
from tests.durability.thirty import PAGE, RECORDS, provider

pytestmark = pytest.mark.django_db
QUICK = 3


def test_a_slow_harvest_holds_up_neither_other_providers_nor_matching():
    with ExitStack() as stack:
        runs = []
        for number in range(QUICK + 1):
            address = stack.enter_context(provider(number, slow=False))
            feed = Feed(base_url=address, metadata_prefix="dcndl")
            register(Repository(name=f"{number}館"), [feed])
            runs.append(create_harvest(feed))
        slow, during = runs[0], []

        def others(run: Harvest, _counts: object) -> None:
            """What the other workers do between the first and the second page of the slow provider."""
            if not during:
                during.append(run.state)
                HARVESTS.do_waiting()
                AGGREGATION.do_waiting()
                during.extend([SourceRecord.objects.count(), Member.objects.count()])

        harvest(slow, progress=others)
    assert during == [Harvest.State.RUNNING, QUICK * RECORDS + PAGE, QUICK * RECORDS + PAGE]
    slow.refresh_from_db()
    assert (slow.state, slow.received) == (Harvest.State.SUCCEEDED, RECORDS)
