"""A temporary PostgreSQL server that a trial can stop as a power cut would. Needs initdb and pg_ctl."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PLACES = "/usr/lib/postgresql/*/bin/initdb"
NOBODYS = "postgres"  # the user in place of root, which initdb refuses


def programs() -> Path | None:
    """Return the folder of initdb: that on the PATH, else the newest installed; None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    places = sorted(Path("/").glob(PLACES.lstrip("/")))
    return Path(found).parent if found else places[-1].parent if places else None


@dataclass(slots=True)
class Cluster:
    """A PostgreSQL server in a folder of its own. url: that of its database."""

    bin: Path
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgres://{NOBODYS}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        self._run("pg_ctl", "-w", "-t", "120", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self, how: str = "immediate") -> None:
        self._run("pg_ctl", "-w", "-m", how, "stop")

    def make(self) -> None:
        self._run("initdb", "-A", "trust", "-U", NOBODYS, "--locale", "C.UTF-8", "-E", "UTF8")
        self.start()

    def kill(self) -> None:
        """Send SIGKILL to the server and all processes that it has forked."""
        with suppress(ProcessLookupError):
            os.killpg(os.getpgid(self.pid()), signal.SIGKILL)

    def pid(self) -> int:
        """Return the number of the server's process; 0 if it was stopped."""
        file = self.folder / "data" / "postmaster.pid"
        return int(file.read_text().split("\n")[0]) if file.exists() else 0

    def lives(self) -> bool:
        """Return whether the server runs."""
        pid = self.pid()
        return bool(pid) and Path(f"/proc/{pid}/cmdline").exists() and bool(Path(f"/proc/{pid}/cmdline").read_bytes())

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.bin / program), "-D", str(self.folder / "data"), *arguments]
        as_nobody = {"user": NOBODYS} if os.getuid() == 0 else {}
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, **as_nobody)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr or done.stdout}")


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Run a new server and remove it afterwards. Raises RuntimeError if PostgreSQL is not installed."""
    found = programs()
    if found is None:
        raise RuntimeError("initdb and pg_ctl are not installed")
    with tempfile.TemporaryDirectory(prefix="cluster-") as name:
        folder = Path(name)
        if os.getuid() == 0:
            shutil.chown(folder, NOBODYS)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        made = Cluster(found, folder, port)
        try:
            made.make()
            yield made
        finally:
            with suppress(RuntimeError):
                made.stop()
