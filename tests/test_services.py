"""`.ci/services`: two runs at once must not drop each other's databases. With stand-ins for PostgreSQL and Redis."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.paths import ROOT

STAND_INS = {
    "pg_lsclusters": "echo '17 main 5432 online'",
    "pg_isready": "exit 0",
    "psql": 'echo psql >>"$LOG"',
    "runuser": 'shift 3; exec "$@"',
    "sudo": 'shift 3; exec "$@"',
    "redis-server": "exec sleep 60",
    "redis-cli": "echo PONG",
}
SECONDS = 30

pytestmark = pytest.mark.skipif(not (shutil.which("bash") and shutil.which("flock")), reason="needs bash and flock")

type Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, script in STAND_INS.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "SERVICES_LOCK": str(tmp_path / "lock"),
        "LOG": str(tmp_path / "log"),
    }

    def start(script: str) -> subprocess.Popen[str]:
        command = ["bash", str(ROOT / ".ci/services"), "sh", "-c", script]
        run = subprocess.Popen(
            command, cwd=tmp_path, env=environment, text=True, stderr=subprocess.PIPE, start_new_session=True
        )
        runs.append(run)
        return run

    runs: list[subprocess.Popen[str]] = []
    yield start
    for run in runs:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()


def test_a_second_run_says_that_it_waits_and_begins_after_the_first(start: Start, tmp_path: Path) -> None:
    first = start('echo first >>"$LOG"; : >started; until [ -e go ]; do sleep 0.05; done; echo done >>"$LOG"')
    _wait_for(tmp_path / "started", first)
    second = start('echo second >>"$LOG"')
    assert second.stderr is not None
    assert "waiting for it to end" in second.stderr.readline()
    before = (tmp_path / "log").read_text()
    (tmp_path / "go").touch()
    assert (first.wait(SECONDS), second.wait(SECONDS)) == (0, 0)
    lines = [line for line in (tmp_path / "log").read_text().splitlines() if line != "psql"]
    assert lines == ["first", "done", "second"]
    assert before.splitlines()[-1] == "first"  # nothing was dropped while the first run used it


def test_a_killed_run_leaves_no_lock(start: Start, tmp_path: Path) -> None:
    first = start(": >started; exec sleep 60")
    _wait_for(tmp_path / "started", first)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait(SECONDS)
    second = start("exit 3")
    second.communicate(timeout=SECONDS)  # it may wait a moment: the kernel ends the children of the first one by one
    assert second.returncode == 3


def _wait_for(file: Path, process: subprocess.Popen[str]) -> None:
    while not file.exists():
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.02)
