"""Child processes: start, watch, start again, end. Knows processes, not what they are for. No Django."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

RESTARTS = 5  # this many within RESTART_WINDOW, then the whole is given up
RESTART_WINDOW = 60.0
POLITE_SECONDS = 20.0  # a second SIGTERM after these: a page of a harvest has had the time to be stored
PATIENCE_SECONDS = 25.0  # SIGKILL to the whole group after these
POLL_SECONDS = 0.1
PR_SET_PDEATHSIG = 1  # prctl(2), Linux


class Stopped(Exception):
    """Somebody asked this process to end: Ctrl-C, SIGTERM or a closed terminal."""


@dataclass(slots=True)
class Child:
    """A process to keep alive. log: where it writes, None = where we write. ends: when it was found dead.

    renewed_by: the signal that makes it take up new code, by itself (SIGHUP) or by ending and being started again
    (SIGTERM); None: it goes on. leaves: it was asked to end for that.
    """

    name: str
    command: list[str]
    process: subprocess.Popen[bytes]
    log: Path | None = None
    renewed_by: signal.Signals | None = None
    leaves: bool = False
    ends: list[float] = field(default_factory=list)
    again_at: float = 0.0  # 0: alive; these two in monotonic seconds

    def last_words(self) -> str:
        """The end of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").split("\n") if self.log else []
        return "\n".join([f"({self.log})", *lines[-8:]]) if lines else ""


class Supervisor:
    """Leaves nothing behind: `with Supervisor(…)` ends every child and grandchild.

    log_folder: where children write, one file each; None: where this process writes.
    tell: told in words (name, exit code, whether it is given up) when a child dies; without a code: it is renewed.
    hangup_renews: SIGHUP renews the children; else it ends everything, as a closed terminal does.
    """

    def __init__(
        self, environment: dict[str, str], log_folder: Path | None, tell: Callable[[str, int | None, bool], None]
    ):
        self.environment = environment
        self.log_folder = log_folder
        self.tell = tell
        self.children: list[Child] = []
        self.hangup_renews = False
        self._renewal_is_due = False

    def __enter__(self) -> "Supervisor":
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, raise_stopped)
        signal.signal(signal.SIGHUP, self._hung_up)
        return self

    def __exit__(self, *_error: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # already ending; a second Ctrl-C must not break that off
        self.stop()

    def _hung_up(self, number: int, frame: FrameType | None) -> None:
        if not self.hangup_renews:
            raise_stopped(number, frame)
        self._renewal_is_due = True

    def start(self, name: str, command: list[str], renewed_by: signal.Signals | None = None) -> Child:
        log = self.log_folder / f"{name}.log" if self.log_folder else None
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_bytes(b"")
        child = Child(name, command, spawn(command, self.environment, log), log, renewed_by)
        self.children.append(child)
        return child

    def run(self, command: list[str], **more_environment: str) -> int:
        """A step that ends by itself, writing where this process writes. Returns its exit code."""
        step = Child("step", command, spawn(command, {**self.environment, **more_environment}, None))
        self.children.append(step)
        code = step.process.wait()
        self.children.remove(step)
        return code

    def watch(self) -> Child:
        """Keeps the children alive until one cannot be: that one is returned. Stopped ends it otherwise."""
        while True:
            if self._renewal_is_due:
                self._renewal_is_due = False
                self.renew()
            for child in self.children:
                if self.is_hopeless(child):
                    return child
            time.sleep(POLL_SECONDS)

    def renew(self) -> None:
        """All children that can take up new code do; who must end for that finishes its work first."""
        for child in self.children:
            if child.renewed_by is None or child.process.poll() is not None:
                continue
            self.tell(child.name, None, False)
            child.leaves = child.renewed_by == signal.SIGTERM
            child.process.send_signal(child.renewed_by)

    def is_hopeless(self, child: Child) -> bool:
        """Looks after one child: dead, it is started again a little later each time, up to RESTARTS times."""
        now = time.monotonic()
        if child.again_at:
            if now >= child.again_at:
                child.process, child.again_at = spawn(child.command, self.environment, child.log), 0.0
            return False
        code = child.process.poll()
        if code is None:
            return False
        end_group(child.process, signal.SIGKILL)
        if child.leaves:
            child.process, child.leaves = spawn(child.command, self.environment, child.log), False
            return False
        child.ends = [end for end in child.ends if now - end < RESTART_WINDOW] + [now]
        hopeless = len(child.ends) > RESTARTS
        self.tell(child.name, code, hopeless)
        child.again_at = now + 0.25 * 2 ** len(child.ends)
        return hopeless

    def stop(self) -> None:
        """Asks all, asks again, then kills: gone within PATIENCE_SECONDS."""
        processes = [child.process for child in reversed(self.children)]
        asked = time.monotonic()
        for until in (POLITE_SECONDS, PATIENCE_SECONDS):
            for process in processes:
                if process.poll() is None:
                    process.terminate()
            wait_for(processes, asked + until)
        for process in processes:
            end_group(process, signal.SIGKILL)
            process.wait()
        self.children.clear()


def raise_stopped(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def spawn(command: list[str], environment: dict[str, str], log: Path | None) -> subprocess.Popen[bytes]:
    """In a session of its own: Ctrl-C reaches this process only, which ends its children in order."""
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(log.open("ab")) if log else None
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output and subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509  (one thread here)
        )


def end_with_parent() -> None:
    """Even a supervisor that was killed leaves no child behind, where the kernel can do that."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def wait_for(processes: list[subprocess.Popen[bytes]], until: float) -> None:
    while any(process.poll() is None for process in processes) and time.monotonic() < until:
        time.sleep(POLL_SECONDS / 2)


def end_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """What a child has started and left behind is in its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
        os.killpg(process.pid, number)
