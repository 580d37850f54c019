"""Shared files behave alike in a folder and in a bucket."""

import errno
import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from core import temporary_files
from core.files import shared
from core.files.place import UnknownPlace, bucket_of, storage_of_files

pytestmark = pytest.mark.usefixtures("place")
NAME = "dumps/20261127T030000Z/目録.jsonl.gz"


def written(data: bytes) -> Path:
    path = temporary_files.folder() / "complete"
    path.write_bytes(data)
    return path


def test_a_file_is_moved_and_read_whole_or_in_parts():
    source = written(bytes(range(256)) * 4000)
    shared.put(source, NAME)
    assert not source.exists()
    assert shared.read(NAME) == bytes(range(256)) * 4000
    assert shared.size(NAME) == 1_024_000
    assert b"".join(shared.part(NAME, 0, 1_023_999)) == shared.read(NAME)
    assert b"".join(shared.part(NAME, 255, 257)) == b"\xff\x00\x01"
    assert timezone.now() - timedelta(minutes=1) < shared.modified(NAME) < timezone.now() + timedelta(minutes=1)


def test_a_file_from_another_disk_appears_whole_or_not_at_all(place, settings, monkeypatch):
    if place == "bucket":
        pytest.skip("a bucket has no disk")
    rename, copyfile = Path.replace, shutil.copyfile

    def other_disk(path: Path, target: Path) -> Path:
        if path.parent == temporary_files.folder():
            raise OSError(errno.EXDEV, "other disk")
        return rename(path, target)

    def checked(source: Path, copy: Path) -> None:
        copyfile(source, copy)
        assert shared.size(NAME) == -1

    monkeypatch.setattr(Path, "replace", other_disk)
    monkeypatch.setattr("core.files.folder.shutil.copyfile", checked)
    source = written(b"whole")
    shared.put(source, NAME)
    assert shared.read(NAME) == b"whole"
    assert not source.exists()
    assert shared.files("") == []


def test_an_empty_file_has_no_parts():
    shared.put_bytes(b"", NAME)
    assert shared.size(NAME) == 0
    assert b"".join(shared.part(NAME, 0, -1)) == b""


def test_a_second_file_of_the_same_name_replaces_the_first():
    shared.put_bytes(b"first and longer", NAME)
    shared.put_bytes(b"second", NAME)
    assert shared.read(NAME) == b"second"
    assert shared.files("dumps/20261127T030000Z") == ["目録.jsonl.gz"]


def test_folders_and_files_are_listed_and_deleted():
    for name in ("a/1", "a/2", "a/b/3", "ab/4"):
        shared.put_bytes(b"x", name)
    assert (shared.files("a"), shared.folders("a")) == (["1", "2"], ["b"])
    assert (shared.files("missing"), shared.folders("missing")) == ([], [])
    shared.delete("a/1")
    shared.delete("a/1")
    assert shared.files("a") == ["2"]
    shared.delete_folder("a")
    shared.delete_folder("missing")
    assert (shared.files("a"), shared.folders("a"), shared.files("a/b"), shared.files("ab")) == ([], [], [], ["4"])


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    assert (shared.size(NAME), shared.modified(NAME)) == (-1, None)
    with pytest.raises(FileNotFoundError):
        shared.read(NAME)
    with pytest.raises(FileNotFoundError):
        list(shared.part(NAME, 0, 3))
    with pytest.raises(FileNotFoundError):
        shared.copy(NAME, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_file_can_be_read_by_its_path(tmp_path):
    shared.put_bytes(b"x" * 10_000, NAME)
    path = shared.local(NAME)
    assert path.read_bytes() == b"x" * 10_000
    assert shared.local(NAME) == path
    shared.copy(NAME, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"x" * 10_000


def test_a_local_copy_in_use_is_not_swept_away(place):
    shared.put_bytes(b"x", NAME)
    path = shared.local(NAME)
    day_before = path.stat().st_mtime - 2 * temporary_files.FORGOTTEN
    os.utime(path, (day_before, day_before))
    shared.local(NAME)
    temporary_files.sweep()
    assert path.exists()


def test_a_folder_that_a_killed_process_left_is_swept_away_when_nothing_in_it_is_new():
    left = temporary_files.folder() / "dump-x"
    left.mkdir()
    (left / "merged.jsonl.gz").write_bytes(b"half")
    assert temporary_files.sweep() == 0
    assert temporary_files.sweep(now=timezone.now().timestamp() + temporary_files.FORGOTTEN + 60) == 1
    assert not left.exists()


@pytest.mark.parametrize("url", ["", "books", "https://s3.example.jp/books", "s3://", "s3://key:secret@books"])
def test_other_addresses_name_no_bucket(url):
    with pytest.raises(UnknownPlace):
        bucket_of(url)
    assert storage_of_files(url) == {"BACKEND": "core.files.folder.DataFolder"}


def test_a_bucket_has_a_name_and_the_beginning_of_all_names():
    assert bucket_of("s3://books") == ("books", "")
    assert bucket_of("s3://books/site/one/") == ("books", "site/one")
