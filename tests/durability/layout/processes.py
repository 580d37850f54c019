"""The processes of `run.py serve` on a data folder of its own, and kills of them. No Django."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from aggregator.deployment.launch import BACKGROUND_PROCESSES
from aggregator.deployment.supervisor import RESTART_WINDOW, RESTARTS
from tests.durability.cluster import Cluster
from tests.durability.site import answers, wait_for
from tests.durability.stage import children, kill
from tests.paths import ROOT

START_SECONDS = 300.0  # for a slow machine
PAUSE = 2.0  # seconds until a layout that has ended is started again, as systemd does
ALL_WINDOW = 180.0  # seconds, within which run.py itself is killed once: it takes a while until it harvests again
CHILDREN = frozenset({"queue", "web", *BACKGROUND_PROCESSES})
# What is killed, and how often. A job is the process that a worker forks for one; "all" is run.py itself. If a process
# of a connection is killed, PostgreSQL ends all others too and recovers.
WEIGHTS = {
    "job of worker": 20,
    "worker": 6,
    "job of aggregation": 6,
    "aggregation": 4,
    "web": 2,
    "process of web": 2,
    "dispatcher": 2,
    "quick": 1,
    "queue": 2,
    "connection of database": 2,
    "database": 1,
    "all": 0.5,
}


@dataclass(slots=True)
class Layout:
    """`run.py serve` in a folder. starts: how often it was started. database: None = SQLite.

    deaths: name of a child -> when it was killed, in monotonic seconds. Fewer than would make the supervisor give up.
    is_up: every child has been there since the last start; before that nothing is killed.
    """

    environment: dict[str, str]
    folder: Path
    port: int
    database: Cluster | None = None
    process: "subprocess.Popen[bytes] | None" = None
    starts: int = 0
    ended_at: float = 0.0
    is_up: bool = False
    deaths: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder.parent / f"{self.folder.name}.log"

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.keep()
        if not wait_for(lambda: answers(self.url), START_SECONDS):
            raise RuntimeError(self.log.read_text(errors="replace")[-3000:])

    def keep(self) -> None:
        """Start what has ended again, it or its database: the only help, which systemd gives in an installation."""
        if self.database and not self.database.lives():
            with suppress(RuntimeError):  # memory is still in use by what was killed: the next time
                self.database.start()
        if self.process and self.process.poll() is None:
            return
        if self.process and not self.ended_at:
            self.ended_at = time.monotonic()
        if self.process and time.monotonic() < self.ended_at + PAUSE:
            return
        command = [sys.executable, "-m", "aggregator.deployment.launch", "serve", "--port", str(self.port)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.ended_at, self.is_up = 0.0, False
        self.starts += 1
        kept = ("all", "database")
        self.deaths = defaultdict(list, {name: self.deaths[name] for name in kept})

    def strike(self, rng: random.Random) -> str:
        """Kill something that is alive. Return what was killed, "" if there was nothing."""
        victims = self.victims()
        if not victims:
            return ""
        (name,) = rng.choices(list(victims), [WEIGHTS[name] for name in victims])
        if self.database and name == "database":
            self.database.kill()
        for pid in victims[name]:
            kill(pid)
        self.deaths[name].append(time.monotonic())
        return name

    def victims(self) -> dict[str, list[int]]:
        """Return what may be killed now -> its processes."""
        if not (self.process and self.process.poll() is None):
            return {}
        named = {name_of(pid): pid for pid in children(self.process.pid)}
        self.is_up = self.is_up or named.keys() >= CHILDREN
        if not self.is_up:
            return {}
        found = {"all": [self.process.pid]}
        if self.database and self.database.lives():
            pid = self.database.pid()
            found |= {"database": [pid], "connection of database": children(pid)[-1:]}
        for name in CHILDREN & named.keys():
            inner = descendants(named[name])
            found[name] = [named[name], *inner]
            found[f"process of {name}" if name == "web" else f"job of {name}"] = inner[:1]
        return {name: pids for name, pids in found.items() if pids and name in WEIGHTS and self._may_die(name)}

    def _may_die(self, name: str) -> bool:
        longest, most = (ALL_WINDOW, 1) if name in ("all", "database") else (RESTART_WINDOW + 10, RESTARTS - 1)
        soon = time.monotonic() - longest
        self.deaths[name] = [death for death in self.deaths[name] if death > soon]
        return " of " in name or len(self.deaths[name]) < most

    def end(self) -> None:
        """End everything, with what killed parents have left behind."""
        if self.process:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(60)
        for pid in self.left():
            kill(pid)

    def left(self) -> list[int]:
        """Return the processes of the folder, whoever their parent is."""
        own = f"AGGREGATOR_DATA={self.folder}".encode()
        return [pid for pid in all_pids() if pid != os.getpid() and own in read(pid, "environ").split(b"\0")]


def name_of(pid: int) -> str:
    """Return the supervisor's name for a child; "" for another process."""
    words = read(pid, "cmdline").decode(errors="replace").split("\0")
    for name, arguments in BACKGROUND_PROCESSES.items():
        if any(word.endswith("manage.py") for word in words) and set(arguments) <= set(words):
            return name
    if any("granian" in word or word.endswith("web_server") for word in words):
        return "web"
    return "queue" if any("valkey" in word for word in words) else ""


def descendants(pid: int) -> list[int]:
    return [process for child in children(pid) for process in (child, *descendants(child))]


def all_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def end_with_driver() -> None:
    """End as by Ctrl-C when asked to end, so that the site is ended too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
