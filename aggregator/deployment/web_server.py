"""How the web server is started, wherever it is: granian with our settings. Knows programs and folders; no Django."""

import os
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
PORT = 8000
WORKERS = 2
THREADS = 4  # a search and two that wait for it leave one; granian's own choice is one for each connection, up to 512
LOG = Path(__file__).with_name("granian-log.json")  # its lines look like ours
# So long the process before it goes on beside a new one of a renewal: loading takes two seconds, on a machine that is
# very busy thirty, and nobody listens while both of two are loading.
LOADING_SECONDS = 30
KILL_SECONDS = 20  # for what is being answered when a process ends: nothing is cut off before
COUNTS = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client: where the processes of one server add up their counts
WEB_SERVER = (
    *("granian", "--log-level", "warning", "--log-config", str(LOG), "--interface", "wsgi", "--no-ws"),
    *("--host", HOST, "--workers", str(WORKERS), "--blocking-threads", str(THREADS)),
    *("--respawn-failed-workers", "--respawn-interval", str(LOADING_SECONDS)),
    *("--workers-kill-timeout", str(KILL_SECONDS)),
)
APPLICATION = "aggregator.wsgi:application"


def command(host: str, port: int, workers: int, threads: int) -> list[str]:
    chosen = ("--host", host, "--port", str(port), "--workers", str(workers), "--blocking-threads", str(threads))
    return [sys.executable, "-m", *WEB_SERVER, *chosen, APPLICATION]


def become(host: str, port: int, workers: int, threads: int) -> NoReturn:
    """Replaces this process. Then SIGHUP starts the server's processes anew one by one, SIGTERM ends them in order."""
    program = command(host, port, workers, threads)
    os.chdir(ROOT)
    os.environ[COUNTS] = str(counts_folder(port))
    os.execv(program[0], program)


def counts_folder(port: int) -> Path:
    """An empty folder of this user's for the counts of the server at that port, on this machine."""
    folder = Path(tempfile.gettempdir()) / f"aggregator-{os.getuid()}-web-{port}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        sys.exit(f"{folder} belongs to another user")
    for each in folder.glob("*.db"):
        each.unlink()
    return folder


if __name__ == "__main__":
    become(HOST, int(sys.argv[1]), WORKERS, THREADS)
