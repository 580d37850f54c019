"""RQ's worker, except that asked to end it also asks the running job to end: the run gives its lease back at once.

RQ's own waits for the job, and kills it at the second signal; then the run would wait for its lease to run out.
"""

import signal

from rq import Worker


class HarvestWorker(Worker):
    """For `manage.py rqworker --worker-class core.work.worker.HarvestWorker`."""

    def handle_warm_shutdown_request(self) -> None:
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            self.kill_horse(signal.SIGTERM)
