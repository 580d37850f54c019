"""Runs work in forks of this process, silently, within limits of time."""

import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress

PATIENCE = 600  # seconds by the clock, since a fork may wait for something that never comes
BUSY = 20  # times as many seconds by the clock as the tests took without a mutant: the machine may be busy
SPARE = 10  # seconds of the processor for a test, besides TIMES as many as it took without a mutant
TIMES = 10


def in_fork(work: Callable[[], int], seconds: float) -> int:
    """Do the work in a fork of this process. Return its result; 1 if it does not end in time or dies.

    seconds: that it usually takes at most.
    """
    pid = os.fork()
    if not pid:
        _work_alone(work)
    end = time.monotonic() + PATIENCE + BUSY * seconds
    pause = 0.002
    while time.monotonic() < end:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return 1


def allow(seconds: float) -> None:
    """End this process if what follows takes far more time of the processor than usual: it does not end by itself."""
    limit = int(time.process_time() + SPARE + TIMES * seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _work_alone(work: Callable[[], int]) -> None:
    """Do the work in this fork, and end it."""
    result = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        result = work()
    finally:
        os._exit(result)
