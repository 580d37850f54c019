"""RQ's worker and job, as our queues need them."""

import signal
from collections.abc import Callable
from typing import Any, ClassVar

from rq import Worker
from rq.job import Job as QueuedJob


class HarvestWorker(Worker):
    """When asked to stop, it also asks the running job to stop, so that the run releases its lease at once.

    RQ's own worker waits for the job and kills it at the second signal; then nobody could go on with the run until its
    lease has expired.
    """

    def handle_warm_shutdown_request(self) -> None:
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            self.kill_horse(signal.SIGTERM)


class RefusedJob(Exception):
    """A job in the queue names a function that is not one of ours: somebody else writes into the queue."""


class ListedJob(QueuedJob):
    """A job that calls only listed functions. RQ's own calls whatever function of any module the queue names.

    functions: their dotted names.
    """

    functions: ClassVar[frozenset[str]] = frozenset()
    success_callback = failure_callback = stopped_callback = None  # our jobs have no callbacks

    @property
    def func(self) -> Callable[..., Any]:
        """The function. Raises RefusedJob."""
        if self.func_name not in self.functions or self.instance:
            raise RefusedJob(f"The queue has a job for {self.func_name!r}, which is none of the functions of our jobs.")
        function: Callable[..., Any] = super().func
        return function
