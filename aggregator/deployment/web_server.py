"""The command line of the web server granian, for all ways of running the site. No Django."""

import os
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
PORT = 8000
WORKERS = 2
# While one search runs and two others wait for it, one thread is left for other pages. By default granian uses one
# thread per connection, up to 512.
THREADS = 4
LOG = Path(__file__).with_name("granian-log.json")  # gives granian's log lines the same format as the site's own
# During a reload the old process keeps serving for this long beside the new one. Loading takes two seconds, on a very
# busy machine thirty, and while both of two processes are loading no request is answered.
LOADING_SECONDS = 30
KILL_SECONDS = 20  # seconds that a process has to finish its current requests when it must end
COUNTS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client: the folder of the shared counts of a server
WEB_SERVER = (
    *("granian", "--log-level", "warning", "--log-config", str(LOG), "--interface", "wsgi", "--no-ws"),
    *("--host", HOST, "--workers", str(WORKERS), "--blocking-threads", str(THREADS)),
    *("--respawn-failed-workers", "--respawn-interval", str(LOADING_SECONDS)),
    *("--workers-kill-timeout", str(KILL_SECONDS)),
)
APPLICATION = "aggregator.wsgi:application"


def command(host: str, port: int, workers: int, threads: int) -> list[str]:
    options = ("--host", host, "--port", str(port), "--workers", str(workers), "--blocking-threads", str(threads))
    return [sys.executable, "-m", *WEB_SERVER, *options, APPLICATION]


def exec_server(host: str, port: int, workers: int, threads: int) -> NoReturn:
    """Replace this process by granian. SIGHUP then restarts the server's processes one by one; SIGTERM ends them."""
    program = command(host, port, workers, threads)
    os.chdir(ROOT)
    os.environ[COUNTS_VARIABLE] = str(counts_folder(port))
    os.execv(program[0], program)


def counts_folder(port: int) -> Path:
    """Return an empty folder, owned by this user, for the request counts of the server on this port."""
    folder = Path(tempfile.gettempdir()) / f"aggregator-{os.getuid()}-web-{port}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        sys.exit(f"{folder} belongs to another user")
    for file in folder.glob("*.db"):
        file.unlink()
    return folder


if __name__ == "__main__":
    exec_server(HOST, int(sys.argv[1]), WORKERS, THREADS)
