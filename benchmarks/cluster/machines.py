"""The hosts of a cluster on which the site runs: every one has the web server and all workers, and a disk of its own."""

import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import requests

from aggregator.deployment.launch import BACKGROUND_PROCESSES
from benchmarks.cluster.hosts import Host
from benchmarks.cluster.search_nodes import ROOT
from benchmarks.cluster.services import wait_until

WEB = 8000  # port
STARTING = 300.0  # seconds for a slow machine


@dataclass(slots=True)
class Machine:
    """A host that runs the site. code: the folder of the program that it runs, which an upgrade changes."""

    host: Host
    environment: Mapping[str, str]
    code: Path = ROOT
    python: str = sys.executable

    @property
    def url(self) -> str:
        return f"http://{self.host.address}:{WEB}"

    def manage(self, *arguments: str) -> str:
        return self.host.run([self.python, str(self.code / "manage.py"), *arguments], self.environment)

    def start(self) -> None:
        self._start("web", "web", "--host", self.host.address, "--port", str(WEB))
        for name, arguments in BACKGROUND_PROCESSES.items():
            self._start(name, *arguments)

    def _start(self, name: str, *arguments: str) -> None:
        self.host.start(name, [self.python, str(self.code / "manage.py"), *arguments], self.environment)

    def stop(self) -> None:
        self.host.stop(*self.host.processes)

    def wait(self) -> float:
        """Wait until the web server answers; return the seconds."""
        return wait_until(self.is_up, f"the web server of {self.host.namespace}", STARTING)

    def is_up(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz?live", timeout=10).ok
        except requests.RequestException:
            return False


def machines(hosts: Sequence[Host], shared: Mapping[str, str], code: Path) -> list[Machine]:
    """Return a machine for every host, not started. shared: the settings that all have, such as the database."""
    tool = runpy.run_path(str(ROOT / "deploy" / "new_settings.py"))
    new = tool["settings_in"](tool["new_settings"]("books.example.jp", "harvest@library.example.jp"))
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    common = {**inherited, **new, **shared, "LC_ALL": "C.UTF-8", "LOG_LEVEL": "WARNING"}
    common["ALLOWED_HOSTS"] = ",".join(host.address for host in hosts)
    return [Machine(host, {**common, "AGGREGATOR_DATA": str(_private(host))}, code) for host in hosts]


def _private(host: Host) -> Path:
    folder = host.folder / "data"
    folder.mkdir(mode=0o700)
    return folder
