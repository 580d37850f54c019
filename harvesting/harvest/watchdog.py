"""Ends a run early: at the request of a person, after a signal, when its lease is lost, or in quiet hours.

A page that is being stored is always finished. A page that is being fetched gets a few seconds after SIGTERM, then
the fetch is aborted; the page is requested again when the run is resumed.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import FrameType, TracebackType
from typing import Self

from django.utils import timezone

from core.checkpoints import checkpoint
from core.database.batches import select_in
from harvesting.models import Harvest
from harvesting.runs.lease import Heartbeat
from harvesting.runs.lifecycle import lease_lost
from harvesting.runs.observations import storable_facts
from harvesting.transports.retries import Retry
from harvesting.types import Batch, TransportError

GRACE_PERIOD = 3.0  # seconds for a page that is being fetched when SIGTERM arrives; RQ kills its worker after ten
SHORTEST_SHOWN = 1.0  # seconds until a retry; shorter waits are not worth a write
POLL_INTERVAL = 2.0  # seconds between two checks while the run waits
EXIT_SIGTERM = 128 + signal.SIGTERM  # the exit status by which shells report a process that SIGTERM ended
STOP_CODES = {Harvest.StopRequest.PAUSE: "run.paused", Harvest.StopRequest.CANCEL: "run.cancelled"}
_STOP_REQUEST = str(Harvest._meta.get_field("stop_request").column)
QuietUntil = Callable[[], datetime | None]
GivesWay = Callable[[], bool]
SLICE = 120.0  # seconds after which a run gives way to others that wait
MOST_LOST = 0.1  # share of a slice that the beginning may take, for example to download a file again


def no_quiet_hours() -> None:
    """The default for `quiet`: no quiet hours. For runs that a person started in a terminal and watches."""


def never() -> bool:
    """The default for `gives_way`: the run is executed in one go."""
    return False


class Watchdog:
    """Renews the lease of a run, and raises an exception at the next safe moment when the run must stop.

    Used as `with Watchdog(run) as watchdog:`. quiet: returns until when quiet hours forbid requests to this feed, or
    None. gives_way: whether other runs wait for this worker; looked at after a page when a slice of time is over.
    Raises TransportError "run.…", or KeyboardInterrupt or SystemExit after a signal.
    """

    def __init__(self, run: Harvest, quiet: QuietUntil = no_quiet_hours, gives_way: GivesWay = never) -> None:
        self._pk, self._fence = run.pk, run.fence
        self._heartbeat = Heartbeat(run)
        self._quiet = quiet
        self._gives_way = gives_way
        self._begun = time.monotonic()
        self._slice_ends = self._begun + SLICE
        self._signal = 0
        self._grace_is_over = False
        self._interruptible = False
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
        """Raise if the run must stop now."""
        self._raise_after_signal()
        with self._allow_interruption(False):
            found = select_in(Harvest, (_STOP_REQUEST, "state"), "id", [self._pk], fence=self._fence)
        stop_request, state = found[0] if found else ("", "")
        if state != Harvest.State.RUNNING or self._heartbeat.lost:
            raise lease_lost()
        if stop_request:
            raise TransportError("a person asked for it", STOP_CODES[Harvest.StopRequest(stop_request)], permanent=True)
        until = self._quiet()
        if until:
            seconds = max(1, round((until - timezone.now()).total_seconds()))
            raise TransportError("quiet hours", "run.quiet", permanent=False, retry_after=seconds)

    def sleep(self, seconds: float) -> None:
        """Wait, but raise as soon as the run must stop."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, POLL_INTERVAL))
            self.check()

    def announce(self, retry: Retry) -> None:
        """Store, for the people who watch the run, that a request failed and when it is repeated."""
        if retry.seconds < SHORTEST_SHOWN:
            return
        coming = {
            "code": retry.error.code,
            "facts": storable_facts(retry.error.facts),
            "attempt": retry.attempt,
            "of": retry.of,
            "at": (timezone.now() + timedelta(seconds=retry.seconds)).isoformat(),
        }
        with self._allow_interruption(False):
            Harvest.objects.filter(pk=self._pk, fence=self._fence, state=Harvest.State.RUNNING).update(
                coming_retry=coming
            )

    def watched(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches. Before every batch the method raises if the run must stop."""
        while True:
            self.check()
            checkpoint("harvest.before_fetch")
            batch = self.interruptible(lambda: next(batches, None))
            checkpoint("harvest.after_fetch")
            if batch is None:
                return
            yield batch

    def check_slice(self, beginning: float = 0.0) -> None:
        """Raise if the slice of the run is over and others wait.

        Only to be called when a page has been stored: a run gets on in each of its slices, so a provider that never
        answers is given up as usual. beginning: how long it takes to continue the run, in seconds.
        """
        if time.monotonic() < max(self._slice_ends, self._begun + beginning / MOST_LOST):
            return
        with self._allow_interruption(False):
            gives_way = self._gives_way()
        if gives_way:
            raise TransportError("other runs wait", "run.gave_way", permanent=False)
        self._slice_ends = time.monotonic() + SLICE / 10

    def interruptible[T](self, request: Callable[[], T]) -> T:
        """Call a function that sends a request to the provider; a signal may abort it."""
        with self._allow_interruption(True):
            self._raise_after_signal()
            return request()

    def uninterrupted[**P, T](self, query: Callable[P, T]) -> Callable[P, T]:
        """A function that queries the database, made such that no signal aborts it inside `interruptible`."""

        def protected(*args: P.args, **kwargs: P.kwargs) -> T:
            with self._allow_interruption(False):
                return query(*args, **kwargs)

        return protected

    @contextmanager
    def _allow_interruption(self, allowed: bool) -> Iterator[None]:
        before, self._interruptible = self._interruptible, allowed
        try:
            yield
        finally:
            self._interruptible = before

    def _raise_after_signal(self) -> None:
        if self._signal:
            self._raise()

    def _raise(self) -> None:
        raise KeyboardInterrupt if self._signal == signal.SIGINT else SystemExit(EXIT_SIGTERM)

    def _handle_signals(self) -> None:
        """Handle SIGTERM and SIGINT here until the run ends.

        Python calls a handler when the main thread next runs Python code. A signal that arrives just before the main
        thread starts to wait for the network would only be handled when the network answers. Therefore a second
        thread is notified of every signal at once, through the file descriptor of `signal.set_wakeup_fd`.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            self._restore.callback(signal.signal, number, signal.signal(number, self._on_signal))
        receiving, sending = os.pipe()
        os.set_blocking(sending, False)
        before = signal.set_wakeup_fd(sending, warn_on_full_buffer=False)
        thread = threading.Thread(target=self._interrupt_main_thread, args=[receiving], daemon=True)
        thread.start()
        self._restore.callback(os.close, receiving)
        self._restore.callback(thread.join)
        self._restore.callback(os.close, sending)  # ends the thread
        self._restore.callback(signal.set_wakeup_fd, before)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        first, self._signal = not self._signal, number
        if self._interruptible and (number == signal.SIGINT or self._grace_is_over or not first):
            self._raise()

    def _interrupt_main_thread(self, signals: int) -> None:
        """In a second thread: after a signal and its grace period, interrupt the main thread until it has stopped.

        signals: a file descriptor from which the number of every signal can be read as one byte.
        """
        main = threading.main_thread().ident
        while received := os.read(signals, 1):
            if received[0] not in (signal.SIGTERM, signal.SIGINT) or main is None:
                continue
            self._ended.wait(GRACE_PERIOD if received[0] == signal.SIGTERM else 0)
            self._grace_is_over = True
            while not self._ended.is_set():
                if self._interruptible:
                    signal.pthread_kill(main, received[0])
                self._ended.wait(POLL_INTERVAL)
