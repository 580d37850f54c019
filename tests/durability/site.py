"""The processes of a whole site with the settings of an installation, for trials of all of them together."""

import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import requests

from aggregator.deployment import embedded_valkey
from aggregator.deployment.launch import BACKGROUND_PROCESSES
from tests.paths import ROOT

START_SECONDS = 300.0  # for a slow machine


@dataclass(slots=True)
class Site:
    """The processes of a site. url: of its web server."""

    environment: dict[str, str]
    url: str
    folder: Path
    processes: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=900)
        if done.returncode:
            raise RuntimeError(f"{arguments}: {done.stderr[-3000:]}")
        return done.stdout

    def start(self, name: str, *arguments: str) -> None:
        log = (self.folder / f"{name}.log").open("wb")
        command = [sys.executable, "manage.py", *arguments]
        self.processes[name] = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
        )

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def end(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def site(database: str = "", **more: str) -> Iterator[Site]:
    """Run a site on this database ("" for SQLite), with a queue of its own. more: settings."""
    with tempfile.TemporaryDirectory(prefix="outage-") as name:
        folder = Path(name)
        settings = runpy.run_path(str(ROOT / "deploy" / "new_settings.py"))
        lines = settings["settings_in"](settings["new_settings"]("books.example.jp", "harvest@library.example.jp"))
        own = {
            "AGGREGATOR_DATA": str(folder),
            "DATABASE_URL": database or f"sqlite:///{folder}/aggregator.sqlite3",
            "REDIS_URL": embedded_valkey.url(folder),
            "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
            "HARVEST_MIN_PAUSE": "0.2",
            "HARVEST_RETRY_WAIT": "5",
            "LC_ALL": "C.UTF-8",
            **more,
        }
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        port = free_port()
        made = Site({**inherited, **lines, **own}, f"http://127.0.0.1:{port}", folder)
        valkey = [sys.executable, "-m", "aggregator.deployment.embedded_valkey", str(folder)]
        queue = subprocess.Popen(valkey, cwd=ROOT)
        try:
            made.manage("prepare")
            made.start("web", "web", "--port", str(port))
            for process, arguments in BACKGROUND_PROCESSES.items():
                made.start(process, *arguments)
            if not wait_for(lambda: answers(made.url), START_SECONDS):
                raise RuntimeError(made.log("web")[-3000:])
            yield made
        finally:
            made.end()
            queue.terminate()
            queue.wait(60)


def answers(url: str) -> bool:
    try:
        return requests.get(f"{url}/healthz?live", timeout=10).ok
    except requests.RequestException:
        return False


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.5)
    return met
