"""RQ worker that, when asked to stop, also asks the running job to stop, so that the run releases its lease at once.

RQ's own worker waits for the job and kills it at the second signal; then nobody could go on with the run until its
lease has expired.
"""

import signal

from rq import Worker


class HarvestWorker(Worker):
    """For `manage.py rqworker --worker-class core.work.worker.HarvestWorker`."""

    def handle_warm_shutdown_request(self) -> None:
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            self.kill_horse(signal.SIGTERM)
