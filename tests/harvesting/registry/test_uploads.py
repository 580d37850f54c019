"""Uploaded files: each in a folder of its own with a random name."""

import gzip
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from core.files import shared
from harvesting.messages import describe
from harvesting.registry import uploads
from harvesting.types import TransportError


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def test_a_file_is_kept_as_it_came():
    name = uploads.store(SimpleUploadedFile("目録.csv", b"abc"))
    path = Path(uploads.local_path(name))
    assert path.read_bytes() == b"abc"
    assert path.is_absolute()
    assert path.name == "目録.csv"
    assert uploads.is_upload(name)
    assert uploads.stored_uploads() == [name]


def test_the_same_name_twice_is_no_clash():
    first, second = (uploads.store(SimpleUploadedFile("a.csv", text)) for text in (b"1", b"2"))
    assert (shared.read(first), shared.read(second)) == (b"1", b"2")


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "..", "", "/etc/passwd", "C:\\x\\y", ".bashrc", "a\0b", "<script>.xml", "x" * 500, "\u202e"],
)
def test_no_name_leads_out_of_the_folder(name):
    kept = uploads.stored_name(name)
    assert kept
    assert Path(kept).name == kept
    assert not kept.startswith(".")
    assert len(kept) <= uploads.LONGEST_NAME
    assert not set("<>\0/\\") & set(kept)


def zipped(members: dict[str, bytes]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


TABLE = "書名,著者\nこころ,夏目漱石\n".encode()
NOISE = bytes(number * 37 % 256 for number in range(5000))


@pytest.mark.parametrize(
    "data",
    [
        TABLE,
        TABLE.decode().encode("cp932"),
        TABLE.decode().encode("utf-16"),
        TABLE.decode().encode("iso2022_jp"),
        b"<collection xmlns='http://www.loc.gov/MARC21/slim'/>",
        b'{"title": "x"}\n',
        b"00714cam a2200205 a 4500001000800000\x1e12345678\x1e\x1d",
        gzip.compress(TABLE, mtime=0),
        zipped({"read.me": NOISE, "a.csv": TABLE}),
    ],
)
def test_a_file_that_may_contain_records_is_accepted_and_left_at_its_start(data):
    upload = SimpleUploadedFile("a", data)
    uploads.check(upload)
    assert upload.read() == data


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}), "Excel or Word"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + NOISE, "Excel or Word"),
        (b"\xff\xd8\xff\xe0" + NOISE, "an image"),
        (b"\x89PNG\r\n\x1a\n" + NOISE, "an image"),
        (b"%PDF-1.7\n" + NOISE, "PDF"),
        (b"<!DOCTYPE html><html><body>x</body></html>", "a web page"),
        (b'[{"title": "x"}]', "one record per line"),
        (NOISE, "neither text nor a known format"),
        (gzip.compress(NOISE, mtime=0), "neither text nor a known format"),
        (zipped({"a.bin": NOISE}), "an archive without"),
        (b"", "empty"),
        (b" \r\n", "empty"),
        (b"PK\x03\x04" + NOISE, "damaged"),
        (b"\x1f\x8b\x08" + NOISE, "damaged"),
    ],
)
def test_a_file_that_cannot_contain_records_is_refused_with_its_kind(data, found):
    with pytest.raises(TransportError) as caught:
        uploads.check(SimpleUploadedFile("報告.docx", data))
    with translation.override("en"):
        assert found in describe(caught.value.code, caught.value.facts)


def test_an_archive_full_of_rubbish_is_not_read_to_its_end():
    members = {f"m{number}.bin": NOISE for number in range(uploads.MOST_MEMBERS)}
    with pytest.raises(TransportError):
        uploads.check(SimpleUploadedFile("a.zip", zipped({**members, "z.csv": TABLE})))


def test_only_uploads_are_discarded(tmp_path):
    name = uploads.store(SimpleUploadedFile("a.csv", b"abc"))
    other = tmp_path / "other.csv"
    other.touch()
    for wrong in (str(other), f"uploads/{'0' * 32}/../../other.csv", "uploads/a/b", ""):
        uploads.discard(wrong)
    assert other.exists()
    assert uploads.stored_uploads() == [name]
    uploads.discard(name)
    assert not shared.folders("uploads")
