"""Temporary files are made in the folder that is set, on a disk, and those of killed processes are removed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings

from core import temporary_files
from core.temporary_files import FORGOTTEN, named, spooled, sweep, unnamed, use
from tests.paths import ROOT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary_files, "_folder", None)
    use(tmp_path / "tmp")
    return tmp_path / "tmp"


def open_files(folder: Path) -> list[str]:
    """The files of this folder that this process has open, also those without a name."""
    links = (str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink())
    return [target for target in links if target.startswith(str(folder))]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc shows the open files")
def test_a_large_file_is_in_the_folder_and_has_no_name(folder):
    with spooled(10) as small, spooled(10) as large, unnamed() as other:
        small.write(b"x")
        large.write(b"x" * 100)
        other.write(b"x")
        assert len(open_files(folder)) == 2
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("size", [0, 10, 100])
def test_the_content_is_everything_that_was_written_in_memory_or_not(folder, size):
    with spooled(10) as file:
        file.write(b"x" * size)
        file.seek(0)
        assert file.content() == b"x" * size


def test_content_in_memory_is_not_copied(folder):
    with spooled(1000) as file:
        file.write(b"x" * 1000)
        assert file.content() is file.content()


def test_a_named_file_is_gone_when_it_is_closed(folder):
    with named(".xml") as file:
        assert Path(file.name).parent == folder
    assert list(folder.iterdir()) == []


def test_the_folder_is_closed_to_others(folder):
    with unnamed():
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_file_of_a_killed_process_is_removed_after_a_day(folder):
    code = (
        f"from pathlib import Path; from core.temporary_files import *; use(Path({str(folder)!r})); "
        "file = named('.xml'); print('made', flush=True); import time; time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"made\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(list(folder.iterdir())) == 1
    assert sweep() == 0
    assert sweep(time.time() + FORGOTTEN + 60) == 1
    assert list(folder.iterdir()) == []


def test_harvests_use_a_folder_of_the_data_folder():
    assert Path(settings.TEMPORARY_FOLDER) == Path(settings.DATA_DIR) / "tmp"
    code = "import django; django.setup(); from core import temporary_files; print(temporary_files._folder)"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "aggregator.settings", "TEMPORARY_FOLDER": "/srv/large"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout == "/srv/large\n"
