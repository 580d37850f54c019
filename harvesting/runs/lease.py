"""Holding a run: a lease that a heartbeat renews, so that a dead worker's run is free again within 90 seconds."""

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

LEASE = timedelta(seconds=60)  # with the dispatcher and the queue, 90 until the next worker has it
BEAT = 15.0  # seconds; several beats may be missed before the lease is out
LONGEST_SILENCE = 45.0  # seconds without a renewal; then this worker stops before another takes the run


class Heartbeat:
    """`with Heartbeat(run):` renews the lease of a claimed run, whatever the run waits for.

    It renews only what the run still holds (same fence, still running). `lost` tells that it is not held any more,
    or that the database was not reached for so long that another worker may soon take it.
    """

    def __init__(self, run: Harvest) -> None:
        self._held = {"pk": run.pk, "fence": run.fence, "state": Harvest.State.RUNNING}
        self._over = threading.Event()
        self._taken = False
        self._renewed = time.monotonic()
        self._thread = threading.Thread(target=self._beat, name=f"lease-{run.pk}", daemon=True)

    @property
    def lost(self) -> bool:
        return self._taken or time.monotonic() - self._renewed > LONGEST_SILENCE

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        """A thread has a database connection of its own; it is closed with it."""
        try:
            while not self._over.wait(BEAT):
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        asked_at = time.monotonic()
        try:
            renewed = Harvest.objects.filter(**self._held).update(lease_until=timezone.now() + LEASE)
        except DatabaseError as error:
            logger.warning("the lease of harvest %s was not renewed: %s", self._held["pk"], error)
            connection.close()  # perhaps it is dead; the next beat gets a new one
            return
        self._renewed = asked_at
        self._taken = not renewed
