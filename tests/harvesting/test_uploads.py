"""Uploaded files: kept apart, under names nobody chooses."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from harvesting import uploads


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def test_a_file_is_kept_as_it_came():
    path = uploads.store(SimpleUploadedFile("目録.csv", b"abc"))
    assert path.read_bytes() == b"abc"
    assert path.is_absolute()
    assert path.name == "目録.csv"
    assert uploads.is_upload(str(path))


def test_the_same_name_twice_is_no_clash():
    first, second = (uploads.store(SimpleUploadedFile("a.csv", text)) for text in (b"1", b"2"))
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "..", "", "/etc/passwd", "C:\\x\\y", ".bashrc", "a\0b", "<script>.xml", "x" * 500, "\u202e"],
)
def test_no_name_leads_anywhere(name):
    kept = uploads.stored_name(name)
    assert kept
    assert Path(kept).name == kept
    assert not kept.startswith(".")
    assert len(kept) <= uploads.LONGEST_NAME
    assert not set("<>\0/\\") & set(kept)


def test_only_uploads_are_discarded(tmp_path):
    path = uploads.store(SimpleUploadedFile("a.csv", b"abc"))
    other = tmp_path / "other.csv"
    other.touch()
    for each in (str(other), f"{uploads.folder()}/../other.csv", f"{uploads.folder()}/a/b", ""):
        uploads.discard(each)
    assert other.exists()
    assert path.exists()
    uploads.discard(str(path))
    assert not path.parent.exists()
