"""Writing to a run that we hold, and only then. Knows no state but running."""

from typing import Any

from django.utils import timezone

from harvesting.models import Harvest
from harvesting.runs.lease import LEASE
from harvesting.runs.lifecycle import lost


def write_held(run: Harvest, **columns: Any) -> None:
    """Set columns of a running harvest and renew its lease; the first statement of every transaction of a worker.

    Raises TransportError "run.lease_lost" when another worker has the run: then nothing of ours may be written.
    """
    columns["lease_until"] = timezone.now() + LEASE
    held = Harvest.objects.filter(pk=run.pk, fence=run.fence, state=Harvest.State.RUNNING)
    if held.update(**columns) != 1:
        raise lost()
    for name, value in columns.items():
        setattr(run, name, value)
