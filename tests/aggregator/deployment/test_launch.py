"""The two commands as a person runs them: the demo from an empty database, and the server until it is stopped."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from aggregator.deployment import launch
from aggregator.deployment.launch import LaunchError
from tests.database import fill
from tests.paths import ROOT

pytestmark = pytest.mark.xdist_group("launch")  # parallel demos would take each other's ports
OWN = ("AGGREGATOR_DATA", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PUBLIC_URL")


@pytest.fixture(autouse=True)
def fresh_shell(monkeypatch):
    """Removes the environment variables that the test suite itself sets."""
    for name in [name for name in os.environ if name in OWN or name.startswith("HARVEST_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def environment(fresh_shell, tmp_path: Path) -> dict[str, str]:
    """An environment with an empty data folder whose path has a space and Japanese characters."""
    return {**os.environ, "AGGREGATOR_DATA": str(tmp_path / "データ with a space"), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def start(environment):
    """A function that starts `aggregator.deployment.launch` on an empty, migrated database.

    Processes that still run after the test are ended.
    """
    fill(Path(environment["AGGREGATOR_DATA"], "aggregator.sqlite3"))
    started = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "aggregator.deployment.launch", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.terminate()
        process.communicate(timeout=60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((launch.HOST, 0))
        return probe.getsockname()[1]


def status(port: int, path: str) -> int:
    connection = http.client.HTTPConnection(launch.HOST, port, timeout=10)
    connection.request("GET", path)
    code = connection.getresponse().status
    connection.close()
    return code


@pytest.mark.slow
def test_the_demo_prints_the_counts_and_exits_0(start):
    output, errors = start("demo", "--no-serve").communicate(timeout=600)
    counts = dict(re.findall(r"^(Harvested|Merged|Indexed): (\d+)", output, re.MULTILINE))
    assert set(counts) == {"Harvested", "Merged", "Indexed"}, errors
    assert int(counts["Harvested"]) > int(counts["Merged"]) == int(counts["Indexed"]) > 0


@pytest.mark.slow
@pytest.mark.sample
def test_the_server_answers_and_leaves_nothing_behind(start):
    port = free_port()
    process = start("serve", "--port", str(port))
    assert any(f"Open http://127.0.0.1:{port}/" in line for line in process.stdout)
    children = psutil.Process(process.pid).children(recursive=True)
    assert status(port, "/") == 200
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(children) >= 4  # queue, worker, dispatcher, web
    assert not psutil.wait_procs(children, timeout=60)[1]


def test_a_second_launch_in_one_data_folder_is_refused(tmp_path: Path):
    with launch.lock_data_folder(tmp_path), pytest.raises(LaunchError, match="AGGREGATOR_DATA"):
        launch.lock_data_folder(tmp_path)


def test_a_data_folder_that_cannot_be_written_is_named_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LaunchError, match="AGGREGATOR_DATA"):
        launch.lock_data_folder(tmp_path / "file" / "data")


def test_a_port_in_use_is_refused_and_another_is_suggested():
    with socket.socket() as taken:
        taken.bind((launch.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LaunchError, match=rf"Port {port} .*--port \d+"):
            launch.require_free(port)


def test_the_sample_provider_uses_the_next_free_port():
    with socket.socket() as taken:
        taken.bind((launch.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert launch.first_free(range(port, port + 50)) > port


def test_variables_that_the_user_has_set_are_kept(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://queue.example.jp/0")
    options = launch.parser().parse_args(["demo", "--port", "8001"])
    environment = launch.environment(tmp_path, options)
    assert environment["REDIS_URL"] == "redis://queue.example.jp/0"
    assert environment["HARVEST_ALLOWED_NETWORKS"] == "127.0.0.0/8:8400-8499"


def test_the_demo_can_harvest_its_provider_beside_networks_that_the_user_has_set(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HARVEST_ALLOWED_NETWORKS", "10.0.0.0/8")
    environment = launch.environment(tmp_path, launch.parser().parse_args(["demo"]))
    assert environment["HARVEST_ALLOWED_NETWORKS"] == "10.0.0.0/8,127.0.0.0/8:8400-8499"


def test_serving_opens_no_internal_network(tmp_path: Path):
    options = launch.parser().parse_args(["serve", "--port", "8001"])
    environment = launch.environment(tmp_path, options)
    assert "HARVEST_ALLOWED_NETWORKS" not in environment
    assert "HARVEST_MIN_PAUSE" not in environment


class RecordingSupervisor:
    """Notes what would be started, and is stopped at once."""

    def __init__(self) -> None:
        self.started: dict[str, list[str]] = {}

    def start(self, name: str, command: list[str], reload_signal: signal.Signals | None = None) -> None:
        self.started[name] = command

    def watch(self) -> None:
        raise launch.Stopped


@pytest.mark.parametrize("folder", ["", "/srv/backups"])
def test_the_server_makes_backups_if_a_folder_is_named(monkeypatch, folder, capsys):
    monkeypatch.setenv("BACKUP_FOLDER", folder)
    monkeypatch.setattr(launch, "wait_until", lambda child, ready: None)
    supervisor = RecordingSupervisor()
    assert launch.serve_pages(supervisor, launch.parser().parse_args(["serve"])) == 0
    command = supervisor.started.get("backup", [])
    assert command[2:] == (["backup", "--folder", folder, "--repeat"] if folder else [])
