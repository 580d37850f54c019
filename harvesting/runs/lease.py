"""The lease by which a worker holds a run, renewed by a heartbeat.

It expires by itself, so that another worker can continue the run of a dead worker within 90 seconds.
"""

import logging
import threading
import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from django.db import DatabaseError, connection
from django.utils import timezone

from harvesting.models import Harvest

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)  # dispatcher and queue add up to 30 seconds until the next worker starts
# How far the clocks of two machines may differ. A lease that ends even later was set by a clock that was wrong.
CLOCK_TOLERANCE = timedelta(minutes=10)
BEAT = 15.0  # seconds; several beats may be missed before the lease expires
LONGEST_SILENCE = 45.0  # seconds without a renewal, after which a worker stops: earlier than another may take the run


class Heartbeat:
    """Renews the lease of a claimed run in a thread of its own, whatever the run itself waits for.

    Used as `with Heartbeat(run):`. Renews only while the worker holds the run (same fence, still running).
    """

    def __init__(self, run: Harvest) -> None:
        self._own_run = {"pk": run.pk, "fence": run.fence, "state": Harvest.State.RUNNING}
        self._stopped = threading.Event()
        self._taken = False
        self._renewed_at = time.monotonic()
        self._thread = threading.Thread(target=self._beat, name=f"lease-{run.pk}", daemon=True)

    @property
    def lost(self) -> bool:
        """Whether the worker does not hold the run any more, or could not renew the lease for so long that another
        worker may soon take the run.
        """
        return self._taken or time.monotonic() - self._renewed_at > LONGEST_SILENCE

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def _beat(self) -> None:
        """Renew the lease until stopped. The thread has its own database connection, which it closes at the end."""
        try:
            while not self._stopped.wait(BEAT):
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        started = time.monotonic()
        try:
            renewed = Harvest.objects.filter(**self._own_run).update(lease_until=timezone.now() + LEASE)
        except DatabaseError as error:
            logger.warning("the lease of harvest %s was not renewed: %s", self._own_run["pk"], error)
            connection.close()  # it may be dead; the next beat opens a new one
            return
        self._renewed_at = started
        self._taken = not renewed
