"""Child processes: start, watch, restart, end. Independent of what the processes do; no Django."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType

RESTARTS = 5  # restarts of a child within RESTART_WINDOW; after more deaths the supervisor gives up
RESTART_WINDOW = 60.0
TERMINATE_AGAIN_SECONDS = 20.0  # until a second SIGTERM; by then a harvest has stored its current page
KILL_SECONDS = 25.0  # until SIGKILL to the whole process group
POLL_SECONDS = 0.1
PR_SET_PDEATHSIG = 1  # prctl(2), Linux


class Stopped(Exception):
    """This process was asked to end, by Ctrl-C, SIGTERM or a closed terminal."""


@dataclass(slots=True)
class Child:
    """A process to keep alive. log: the file of its output; None: the output of this process.

    reload_signal: the signal that makes it load new code, either by itself (SIGHUP) or by ending and being restarted
    (SIGTERM); None: it keeps running. is_reloading: it was asked to end for that.
    deaths: when it was found dead. restart_at: when to restart it; 0 while it is alive. Both in monotonic seconds.
    """

    name: str
    command: list[str]
    process: subprocess.Popen[bytes]
    log: Path | None = None
    reload_signal: signal.Signals | None = None
    is_reloading: bool = False
    deaths: list[float] = field(default_factory=list)
    restart_at: float = 0.0

    def log_tail(self) -> str:
        """Return the last lines of its log, for an error message."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").split("\n") if self.log else []
        return "\n".join([f"({self.log})", *lines[-8:]]) if lines else ""


class Supervisor:
    """Starts and watches children; `with Supervisor(…)` ends every child and grandchild at its end.

    log_folder: the children write there, one file per child; None: they write where this process writes.
    report: called with (name, exit code, whether it is given up) when a child dies, and with None as code when it is
    asked to reload.
    reload_on_hangup: SIGHUP reloads the children; otherwise it ends everything, since the terminal was closed.
    """

    def __init__(
        self, environment: dict[str, str], log_folder: Path | None, report: Callable[[str, int | None, bool], None]
    ):
        self.environment = environment
        self.log_folder = log_folder
        self.report = report
        self.children: list[Child] = []
        self.reload_on_hangup = False
        self._reload_is_due = False

    def __enter__(self) -> "Supervisor":
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, raise_stopped)
        signal.signal(signal.SIGHUP, self._on_hangup)
        return self

    def __exit__(self, *_error: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # already ending; a second Ctrl-C must not interrupt that
        self.stop()

    def _on_hangup(self, number: int, frame: FrameType | None) -> None:
        if not self.reload_on_hangup:
            raise_stopped(number, frame)
        self._reload_is_due = True

    def start(self, name: str, command: list[str], reload_signal: signal.Signals | None = None) -> Child:
        log = self.log_folder / f"{name}.log" if self.log_folder else None
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_bytes(b"")
        child = Child(name, command, spawn(command, self.environment, log), log, reload_signal)
        self.children.append(child)
        return child

    def run(self, command: list[str], **more_environment: str) -> int:
        """Run a command to its end, with the output of this process. Return its exit code."""
        step = Child("step", command, spawn(command, {**self.environment, **more_environment}, None))
        self.children.append(step)
        code = step.process.wait()
        self.children.remove(step)
        return code

    def watch(self) -> Child:
        """Keep the children alive. Return the first child that keeps dying; ends otherwise only by Stopped."""
        while True:
            if self._reload_is_due:
                self._reload_is_due = False
                self.reload()
            for child in self.children:
                if self.restart_if_dead(child):
                    return child
            time.sleep(POLL_SECONDS)

    def reload(self) -> None:
        """Let the children load new code. A child that must be restarted for this finishes its current work first."""
        for child in self.children:
            if child.reload_signal is None or child.process.poll() is not None:
                continue
            self.report(child.name, None, False)
            child.is_reloading = child.reload_signal == signal.SIGTERM
            child.process.send_signal(child.reload_signal)

    def restart_if_dead(self, child: Child) -> bool:
        """Restart the child if it is dead, after a longer pause each time. Return whether it is given up, because it
        died more than RESTARTS times within RESTART_WINDOW.
        """
        now = time.monotonic()
        if child.restart_at:
            if now >= child.restart_at:
                child.process, child.restart_at = spawn(child.command, self.environment, child.log), 0.0
            return False
        code = child.process.poll()
        if code is None:
            return False
        end_group(child.process, signal.SIGKILL)
        if child.is_reloading:
            child.process, child.is_reloading = spawn(child.command, self.environment, child.log), False
            return False
        child.deaths = [death for death in child.deaths if now - death < RESTART_WINDOW] + [now]
        given_up = len(child.deaths) > RESTARTS
        self.report(child.name, code, given_up)
        child.restart_at = now + 0.25 * 2 ** len(child.deaths)
        return given_up

    def stop(self) -> None:
        """End all children within KILL_SECONDS: SIGTERM, after a while a second SIGTERM, then SIGKILL."""
        processes = [child.process for child in reversed(self.children)]
        started = time.monotonic()
        for until in (TERMINATE_AGAIN_SECONDS, KILL_SECONDS):
            for process in processes:
                if process.poll() is None:
                    process.terminate()
            wait_for(processes, started + until)
        for process in processes:
            end_group(process, signal.SIGKILL)
            process.wait()
        self.children.clear()


def raise_stopped(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def spawn(command: list[str], environment: dict[str, str], log: Path | None) -> subprocess.Popen[bytes]:
    """Start a process in its own session: Ctrl-C then reaches only this process, which ends its children in order."""
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(log.open("ab")) if log else None
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output and subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(end_with_parent, os.getpid()) if sys.platform == "linux" else None,  # noqa: PLW1509  (one thread here)
        )


def end_with_parent(parent: int) -> None:
    """Ask the Linux kernel to end this child when its parent dies, so that a killed supervisor leaves none behind.

    If the parent has died already, the kernel would never do so: the child ends at once.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


def wait_for(processes: list[subprocess.Popen[bytes]], until: float) -> None:
    while any(process.poll() is None for process in processes) and time.monotonic() < until:
        time.sleep(POLL_SECONDS / 2)


def end_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the process group of a child, which includes the processes that the child has left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS raises the latter for a group of zombies
        os.killpg(process.pid, number)
