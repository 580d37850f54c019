"""The site of a soak test: the processes of `run.py serve` and more workers, with a data folder of their own."""

import contextlib
import http.client
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from benchmarks.soak.clock import VARIABLE

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
WORKERS = 2  # in addition to that of `serve`
# Part of the command line -> name of the process in the report
ROLES = (
    ("valkey", "queue"),
    ("aggregator.deployment.launch", "supervisor"),
    ("granian", "web"),
    ("dispatch", "dispatcher"),
    (" worker ", "worker"),
)


def environment(folder: Path, clock: Path, port: int) -> dict[str, str]:
    """Return the environment of the site's processes."""
    return {
        **os.environ,
        VARIABLE: str(clock),
        "PYTHONPATH": f"{HERE / 'hook'}:{ROOT}",
        "AGGREGATOR_DATA": str(folder),
        "DJANGO_SETTINGS_MODULE": "aggregator.settings",
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
        "HARVEST_MIN_PAUSE": "0",
        "HARVEST_DEADLINE": "5",
        "HARVEST_CONTACT": "soak@example.org",
        "DUMP_DAYS": "0.25",
        "PYTHONUNBUFFERED": "1",
    }


class Site:
    """The processes of the site. log: their common log file. more_workers: in addition to that of `serve`."""

    def __init__(self, variables: dict[str, str], folder: Path, port: int, more_workers: int = WORKERS) -> None:
        self.port, self.log = port, folder / "site.log"
        self.variables, self.more_workers = variables, more_workers
        self._children: list[subprocess.Popen[bytes]] = []
        self.killed = 0

    def start(self) -> None:
        self._spawn("-m", "aggregator.deployment.launch", "serve", "--port", str(self.port))
        end = time.monotonic() + 120
        while not self.answers():
            if self._children[0].poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the site did not start: {self.log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.3)
        for _number in range(self.more_workers):
            self._start_worker()

    def answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        return False

    def stop(self) -> None:
        for child in self._children:
            child.terminate()
        for child in self._children:
            try:
                child.wait(30)
            except subprocess.TimeoutExpired:
                child.kill()

    def look_after(self) -> None:
        """Restart the additional workers that were killed; `serve` restarts its own processes."""
        dead = [child for child in self._children[1:] if child.poll() is not None]
        for child in dead:
            self._children.remove(child)
            self._start_worker()

    def kill_one(self, rng: random.Random) -> str:
        """Kill a worker with its job, the dispatcher or the queue by SIGKILL. Return its role, "" if none runs."""
        found = [entry for entry in self.processes() if entry[0] in ("worker", "dispatcher", "queue")]
        if not found:
            return ""
        name, process = rng.choice(found)
        with contextlib.suppress(psutil.Error):
            for victim in [*process.children(recursive=True), process]:
                victim.send_signal(signal.SIGKILL)
        self.killed += 1
        return name

    def processes(self) -> Iterator[tuple[str, psutil.Process]]:
        """Yield the long-lived processes with their roles."""
        for child in self._children:
            with contextlib.suppress(psutil.Error):
                top = psutil.Process(child.pid)
                for process in [top, *top.children(recursive=True)]:
                    yield from self._named(process)

    def _named(self, process: psutil.Process) -> Iterator[tuple[str, psutil.Process]]:
        with contextlib.suppress(psutil.Error):
            words = " ".join(process.cmdline())
            parent = process.parent()
            if parent and " worker " in words and " worker " in " ".join(parent.cmdline()):
                return  # a job, which runs in a short-lived process of its own
            role = next((name for word, name in ROLES if word in words), "")
            if role:
                yield role, process

    def _start_worker(self) -> None:
        self._spawn("manage.py", "worker", "default")

    def _spawn(self, *command: str) -> None:
        with self.log.open("ab") as log:
            self._children.append(
                subprocess.Popen(
                    [sys.executable, *command],
                    cwd=ROOT,
                    env=self.variables,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
