"""Fencing: a worker writes to a run only while it holds it, that is, while nobody has claimed the run after it.

Every claim increases the run's fence, so that the writes of a worker that was thought dead are refused.
"""

from typing import Any

from django.utils import timezone

from core.database.batches import update_one
from harvesting.models import Harvest
from harvesting.runs.lease import LEASE
from harvesting.runs.lifecycle import lease_lost


def write_fenced(run: Harvest, **columns: Any) -> None:
    """Set columns of a running harvest and renew its lease. The first statement in every transaction of a worker.

    Raises TransportError "run.lease_lost" if another worker has the run; the transaction must then be rolled back.
    """
    columns["lease_until"] = timezone.now() + LEASE
    if not update_one(Harvest, columns, id=run.pk, fence=run.fence, state=Harvest.State.RUNNING):
        raise lease_lost()
    for name, value in columns.items():
        setattr(run, name, value)
