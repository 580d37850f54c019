"""The embedded queue server: reachable by its URL only, whatever the path of the data folder."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from aggregator.deployment import embedded_valkey
from tests.paths import ROOT


@pytest.fixture(params=["data", "データ with a space", "long-" * 25])
def server(request, tmp_path: Path):
    folder = tmp_path / request.param
    process = subprocess.Popen([sys.executable, "-m", "aggregator.deployment.embedded_valkey", str(folder)], cwd=ROOT)
    deadline = time.monotonic() + 60
    while not embedded_valkey.answers(folder):
        assert process.poll() is None, "the server has ended"
        assert time.monotonic() < deadline, "the server does not answer"
        time.sleep(0.02)
    yield folder
    process.terminate()
    process.wait(60)
    shutil.rmtree(embedded_valkey.socket_path(folder).parent, ignore_errors=True)


def test_the_queue_server_keeps_every_job_in_memory_and_has_no_port(server: Path):
    connection = redis.from_url(embedded_valkey.url(server))
    assert connection.ping()
    expected = {"maxmemory-policy": "noeviction", "port": "0", "save": "", "appendonly": "no"}
    assert connection.config_get(*expected) == expected
    connection.close()


def test_only_the_owner_can_use_the_socket(server: Path):
    assert embedded_valkey.socket_path(server).stat().st_mode & 0o077 == 0


def test_without_a_server_nothing_answers(tmp_path: Path):
    assert not embedded_valkey.answers(tmp_path)


def test_each_data_folder_has_a_socket_of_its_own(tmp_path: Path):
    long = tmp_path / ("long-" * 25)
    paths = {embedded_valkey.socket_path(folder) for folder in (tmp_path, long, long / "2")}
    assert len(paths) == 3
    assert max(len(str(path)) for path in paths) <= embedded_valkey.MAX_SOCKET_PATH
