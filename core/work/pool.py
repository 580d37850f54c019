"""A few threads for questions to other machines: few at a time in all, one at a time for each host. No Django.

A thread is started when there is work for it and ends when there is none, so that nothing runs between questions, and
a process may be forked or ended at any time: what was not answered is asked again.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable

logger = logging.getLogger(__name__)

type Job = Callable[[], None]


class Pool:
    """threads: at a time. most_waiting: jobs that may wait; further ones are refused. leave: called by every thread
    before it ends, to release what it has opened (a database connection). most_of_host: jobs for one host that may
    wait, so that a slow host does not take the places of all others; 0 = as many as there are places.
    """

    def __init__(self, threads: int, most_waiting: int, leave: Job = lambda: None, most_of_host: int = 0) -> None:
        self._threads = threads
        self._most_waiting = most_waiting
        self._most_of_host = most_of_host or most_waiting
        self._leave = leave
        self._waiting: deque[tuple[str, Job]] = deque()
        self._busy: set[str] = set()  # hosts that are being asked
        self._running = 0
        self._lock = threading.Lock()

    def submit(self, host: str, job: Job) -> bool:
        """Run a job as soon as a thread and its host are free. False if too many are waiting."""
        with self._lock:
            of_host = sum(other == host for other, _job in self._waiting)
            if len(self._waiting) >= self._most_waiting or of_host >= self._most_of_host:
                return False
            self._waiting.append((host, job))
            if self._running >= self._threads or host in self._busy:
                return True  # the thread that finishes first takes it
            self._running += 1
        try:
            threading.Thread(target=self._work, name="question", daemon=True).start()
        except RuntimeError:  # no more threads on this machine
            with self._lock:
                self._running -= 1
                taken = (host, job) not in self._waiting
                if not taken:
                    self._waiting.remove((host, job))
            return taken
        return True

    def _work(self) -> None:
        try:
            while task := self._next():
                self._run(*task)
        finally:
            self._leave()

    def _next(self) -> tuple[str, Job] | None:
        """Take the first waiting job whose host is free; without one, this thread ends."""
        with self._lock:
            for place, (host, job) in enumerate(self._waiting):
                if host not in self._busy:
                    del self._waiting[place]
                    self._busy.add(host)
                    return host, job
            self._running -= 1
            return None

    def _run(self, host: str, job: Job) -> None:
        try:
            job()
        except Exception:  # the thread goes on with the next job
            logger.exception("question to %s", host)
        finally:
            with self._lock:
                self._busy.discard(host)
