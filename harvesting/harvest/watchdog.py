"""What may end a run early: a person's wish, a signal, a lost lease, quiet hours. Asks the database and the clock.

A page that is being stored is always finished. A page that is being fetched is given a few seconds after SIGTERM,
then the fetch is broken off: it is asked for again when the run goes on.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType, TracebackType
from typing import Self

from django.utils import timezone

from core.checkpoints import checkpoint
from harvesting.models import Harvest
from harvesting.runs.lease import Heartbeat
from harvesting.runs.lifecycle import lost
from harvesting.types import Batch, TransportError

GRACE = 3.0  # seconds for a page that is under way when SIGTERM comes; RQ's worker is killed after ten
STEP = 2.0  # seconds between two looks while the run waits
EXIT_SIGTERM = 128 + signal.SIGTERM  # the shell's convention
STOP_CODES = {Harvest.StopRequest.PAUSE: "run.paused", Harvest.StopRequest.CANCEL: "run.cancelled"}
Quiet = Callable[[], datetime | None]


def never_quiet() -> None:
    """For runs that a person watches: quiet hours are not theirs."""


class Watchdog:
    """`with Watchdog(run) as watchdog:` keeps the lease, and raises at the next good moment when the run must stop.

    quiet: tells until when this feed must not be asked, None if it may be.
    Raises TransportError "run.…", or KeyboardInterrupt / SystemExit after a signal.
    """

    def __init__(self, run: Harvest, quiet: Quiet = never_quiet) -> None:
        self._held = Harvest.objects.filter(pk=run.pk, fence=run.fence, state=Harvest.State.RUNNING)
        self._heartbeat = Heartbeat(run)
        self._quiet = quiet
        self._signal = 0
        self._grace_is_over = False
        self._breakable = False
        self._ended = threading.Event()
        self._restore = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._heartbeat.__enter__()
        if threading.current_thread() is threading.main_thread():  # Python handles signals in no other thread
            self._handle_signals()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._restore.close()
        self._heartbeat.__exit__(kind, error, trace)

    def check(self) -> None:
        """Raises if the run must stop here."""
        self._heed_signal()
        with self._breaking(False):
            stop_request = self._held.values_list("stop_request", flat=True).first()
        if stop_request is None or self._heartbeat.lost:
            raise lost()
        if stop_request:
            raise TransportError("a person asked for it", STOP_CODES[Harvest.StopRequest(stop_request)], permanent=True)
        until = self._quiet()
        if until:
            seconds = max(1, round((until - timezone.now()).total_seconds()))
            raise TransportError("quiet hours", "run.quiet", permanent=False, retry_after=seconds)

    def sleep(self, seconds: float) -> None:
        """Wait, but not longer than the run may go on."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, STEP))
            self.check()

    def watched(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches; whether the run must stop is looked at before each."""
        while True:
            self.check()
            checkpoint("harvest.before_fetch")
            batch = self.asked(lambda: next(batches, None))
            checkpoint("harvest.after_fetch")
            if batch is None:
                return
            yield batch

    def asked[T](self, question: Callable[[], T]) -> T:
        """The answer to a question to the provider, which a signal may break off."""
        with self._breaking(True):
            self._heed_signal()
            return question()

    @contextmanager
    def _breaking(self, allowed: bool) -> Iterator[None]:
        before, self._breakable = self._breakable, allowed
        try:
            yield
        finally:
            self._breakable = before

    def _heed_signal(self) -> None:
        if self._signal:
            self._raise()

    def _raise(self) -> None:
        raise KeyboardInterrupt if self._signal == signal.SIGINT else SystemExit(EXIT_SIGTERM)

    def _handle_signals(self) -> None:
        """Takes over SIGTERM and SIGINT until the run ends.

        Python calls a handler when the main thread next runs Python code. A signal that arrives just before the main
        thread begins to wait for the network would be handled only when the network answers. Therefore a second
        thread learns of each signal at once, through the file descriptor of `signal.set_wakeup_fd`.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            self._restore.callback(signal.signal, number, signal.signal(number, self._on_signal))
        receiving, sending = os.pipe()
        os.set_blocking(sending, False)
        before = signal.set_wakeup_fd(sending, warn_on_full_buffer=False)
        thread = threading.Thread(target=self._break_off, args=[receiving], daemon=True)
        thread.start()
        self._restore.callback(os.close, receiving)
        self._restore.callback(thread.join)
        self._restore.callback(os.close, sending)  # ends the thread
        self._restore.callback(signal.set_wakeup_fd, before)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        first, self._signal = not self._signal, number
        if self._breakable and (number == signal.SIGINT or self._grace_is_over or not first):
            self._raise()

    def _break_off(self, numbers: int) -> None:
        """Runs in a thread: after a signal and its time of grace, interrupts the main thread until it has stopped.

        numbers: file descriptor that brings the number of each signal as one byte.
        """
        main = threading.main_thread().ident
        while received := os.read(numbers, 1):
            if received[0] not in (signal.SIGTERM, signal.SIGINT) or main is None:
                continue
            self._ended.wait(GRACE if received[0] == signal.SIGTERM else 0)
            self._grace_is_over = True
            while not self._ended.is_set():
                if self._breakable:
                    signal.pthread_kill(main, received[0])
                self._ended.wait(STEP)
