"""What may end a run early: a person's wish, a signal, a lost lease, quiet hours. Asks the database and the clock.

A page that is being stored is always finished. A page that is being fetched is given a few seconds after SIGTERM,
then the fetch is broken off: it is asked for again when the run goes on.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType, TracebackType
from typing import Any, Self

from django.utils import timezone

from core.checkpoints import checkpoint
from harvesting.models import Harvest
from harvesting.runs.lease import Heartbeat
from harvesting.runs.lifecycle import lost
from harvesting.types import Batch, TransportError

GRACE = 3.0  # seconds for a page that is under way when SIGTERM comes; RQ's worker is killed after ten
STEP = 2.0  # seconds between two looks while the run waits
EXIT_SIGTERM = 128 + signal.SIGTERM  # the shell's convention
WISHES = {Harvest.Wish.PAUSE: "run.paused", Harvest.Wish.CANCEL: "run.cancelled"}
Quiet = Callable[[], datetime | None]


def never_quiet() -> None:
    """For runs that a person watches: quiet hours are not theirs."""


class Vigil:
    """`with Vigil(run) as vigil:` keeps the lease, and raises at the next good moment when the run must stop.

    quiet: tells until when this feed must not be asked, None if it may be.
    Raises TransportError "run.…", or KeyboardInterrupt / SystemExit after a signal.
    """

    def __init__(self, run: Harvest, quiet: Quiet = never_quiet) -> None:
        self._held = Harvest.objects.filter(pk=run.pk, fence=run.fence, state=Harvest.State.RUNNING)
        self._heartbeat = Heartbeat(run)
        self._quiet = quiet
        self._signal = 0
        self._breakable = False
        self._earlier: dict[int, Any] = {}
        self._main = threading.main_thread()
        self._grace = threading.Timer(GRACE, self._break_off)
        self._grace.daemon = True

    def __enter__(self) -> Self:
        self._heartbeat.__enter__()
        if threading.current_thread() is self._main:  # Python hands signals to no other thread
            for number in (signal.SIGTERM, signal.SIGINT):
                self._earlier[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._grace.cancel()
        for number, handler in self._earlier.items():
            signal.signal(number, handler)
        self._heartbeat.__exit__(kind, error, trace)

    def check(self) -> None:
        """Raises if the run must stop here."""
        self._heed_signal()
        with self._breaking(False):
            wish = self._held.values_list("wish", flat=True).first()
        if wish is None or self._heartbeat.lost:
            raise lost()
        if wish:
            raise TransportError("a person asked for it", WISHES[Harvest.Wish(wish)], permanent=True)
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

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        first, self._signal = not self._signal, number
        if not self._breakable:
            return
        if number == signal.SIGTERM and first:
            self._grace.start()
        else:
            self._raise()

    def _break_off(self) -> None:
        """The time of grace is over: wake the main thread from whatever it waits for."""
        if self._breakable and self._main.ident:
            signal.pthread_kill(self._main.ident, self._signal)
