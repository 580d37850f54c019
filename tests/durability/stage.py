"""The environment of the trials: settings, a database and a provider of their own, and workers that can be killed.

Django is loaded once; a worker is a fork of this process, which takes milliseconds. Connections are closed before.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import django
import psycopg

from tests.database import migrate
from tests.paths import ROOT

PATIENCE = 40.0  # seconds that a worker may take; longer is a violation


@contextmanager
def stage(*, queue: bool = False) -> Iterator[str]:
    """Load Django on a new database and start the provider. Yields the provider's address.

    queue: use the server that REDIS_URL names; otherwise an embedded one, if a trial starts it.
    """
    if not queue:
        os.environ.pop("REDIS_URL", None)
    with new_site(HARVEST_MIN_PAUSE="0", HARVEST_RETRY_WAIT="0.1", HARVEST_ALLOWED_NETWORKS="127.0.0.0/8"):
        provider = subprocess.Popen(
            [sys.executable, "-m", "tests.durability.provider"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield provider.stdout.readline().strip()
        finally:
            provider.kill()
            provider.wait()


@contextmanager
def new_site(**settings: str) -> Iterator[Path]:
    """Load Django with a new data folder, which is yielded, and a new database. settings: of the environment."""
    folder = tempfile.mkdtemp(prefix="durability-")
    os.environ.update(
        AGGREGATOR_DATA=folder, DJANGO_SETTINGS_MODULE="aggregator.settings", LOG_LEVEL="CRITICAL", **settings
    )
    try:
        with own_database():
            django.setup()
            migrate()
            yield Path(folder)
            disconnect()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def own_database() -> Iterator[None]:
    """Use SQLite in the data folder, or a new database on the server that DATABASE_URL names."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        os.environ.pop("DATABASE_URL", None)
        yield
        return
    name = f"durability_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
    os.environ["DATABASE_URL"] = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    try:
        yield
    finally:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
        os.environ["DATABASE_URL"] = url


def disconnect() -> None:
    """Close all connections before a fork, since parent and child must not share any."""
    from django.db import connections  # noqa: PLC0415  (Django is set up later than this is imported)

    connections.close_all()


def fork(work: Callable[[], Any], **environment: str) -> int:
    """Start a worker process for this work; return its process id. environment: for example, where to kill it."""
    disconnect()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.environ.update(environment)
        work()
        code = 0
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    except BaseException:  # noqa: BLE001  (the child must never return; the parent reads the exit code)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def children(pid: int) -> list[int]:
    """Return the processes of a worker's jobs."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Hung(Exception):
    """A worker did not end."""


def wait(pid: int, seconds: float = PATIENCE) -> int:
    """Return the exit status of a worker, as os.waitpid does. Kills it and raises Hung after this many seconds."""
    return wait_all([pid], seconds)[pid]


def wait_all(pids: Iterable[int], seconds: float = PATIENCE) -> dict[int, int]:
    """Wait for several workers. Frozen workers are resumed, because others may wait for their locks."""
    left, ended = set(pids), {}
    end = time.monotonic() + seconds
    pause = 0.0005
    while left and time.monotonic() < end:
        for pid in list(left):
            done, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
            if done and os.WIFSTOPPED(status):
                os.kill(pid, signal.SIGCONT)
            elif done:
                ended[pid] = status
                left.remove(pid)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if left:
        raise Hung
    return ended


def ended_or_frozen(pid: int, seconds: float) -> str:
    """Wait at most this many seconds for a worker. Return "ended", "frozen" or "working"."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if done:
            return "frozen" if os.WIFSTOPPED(status) else "ended"
        time.sleep(0.001)
    return "working"


def was_killed(status: int) -> bool:
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
