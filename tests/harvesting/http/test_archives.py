"""ZIP and gzip files: members are read one by one; damaged files get an error code. Hostile files: tests/hostile."""

import gzip
import io
import zipfile

import pytest

from harvesting.http.archives import Archive, ArchiveLimits, is_gzip, is_zip, open_gzip, read_gzip
from harvesting.types import TransportError

MEMBERS = {"manifest.xml": b"<manifest/>", "records/1.xml": b"<r>\xe5\x9b\xb3</r>" * 2000, "図書/oai:二.xml": b""}


def make_zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.seek(0)
    return file


def error_code(file: io.BytesIO, **limits: int) -> str:
    with pytest.raises(TransportError) as caught, Archive(file, ArchiveLimits(**limits)) as archive:
        for name in archive.names():
            archive.read(name)
    assert caught.value.permanent
    return caught.value.code


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_members_are_read_by_name(method: int) -> None:
    with Archive(make_zip(MEMBERS, method)) as archive:
        assert archive.names() == tuple(MEMBERS)
        assert {name: archive.read(name) for name in archive.names()} == MEMBERS
        assert archive.size("manifest.xml") == len(MEMBERS["manifest.xml"])


def test_a_member_can_be_read_in_parts() -> None:
    with Archive(make_zip({"large.xml": b"x" * 600_000})) as archive:
        assert [len(chunk) for chunk in archive.chunks("large.xml")] == [262144, 262144, 75712]


def test_folders_are_not_members() -> None:
    with Archive(make_zip({"records/": b"", "records/1.xml": b"x"})) as archive:
        assert archive.names() == ("records/1.xml",)


def test_the_callers_file_is_not_closed() -> None:
    file = make_zip(MEMBERS)
    with Archive(file):
        pass
    assert not file.closed


def test_the_error_names_a_missing_member() -> None:
    with Archive(make_zip(MEMBERS)) as archive, pytest.raises(TransportError) as caught:
        archive.read("absent.xml")
    assert (caught.value.code, caught.value.facts["member"]) == ("archive.missing", "absent.xml")


def test_the_callers_limits_apply() -> None:
    assert error_code(make_zip(MEMBERS), members=2) == "archive.too_large"
    assert error_code(make_zip(MEMBERS), member_bytes=100) == "archive.too_large"
    assert error_code(make_zip(MEMBERS), total_bytes=20_000) == "archive.too_large"
    with Archive(make_zip(MEMBERS), ArchiveLimits(members=3, member_bytes=20_000, total_bytes=20_011)) as archive:
        assert len(archive.names()) == 3


def test_a_file_that_is_not_an_archive_is_refused() -> None:
    assert error_code(io.BytesIO(b"")) == "archive.damaged"
    assert error_code(io.BytesIO(b"<html>not found</html>" * 100)) == "archive.damaged"


@pytest.mark.parametrize("cut", [1, 30, 100, 300])
def test_a_truncated_archive_is_refused(cut: int) -> None:
    assert error_code(io.BytesIO(make_zip(MEMBERS).getvalue()[:-cut])) == "archive.damaged"


def test_the_kind_of_file_is_recognised_by_its_first_bytes() -> None:
    assert is_zip(make_zip(MEMBERS).read(4))
    assert is_zip(make_zip({}).read(4))
    assert is_gzip(gzip.compress(b"x"))
    assert not is_zip(b"<?xml")
    assert not is_gzip(b"<?xml")


def test_gzip_files_are_unpacked_within_a_limit() -> None:
    content = MEMBERS["records/1.xml"]
    file = gzip.compress(content[:5000]) + gzip.compress(content[5000:])
    assert read_gzip(io.BytesIO(file), len(content)) == content
    with open_gzip(io.BytesIO(file), len(content)) as unpacked:
        assert unpacked.read() == content


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (gzip.compress(bytes(1001), mtime=0), "archive.too_large"),
        (gzip.compress(bytes(500), mtime=0)[:-4], "archive.damaged"),
        (b"\x1f\x8bnonsense", "archive.damaged"),
        (b"", "archive.damaged"),
    ],
)
def test_a_gzip_file_that_is_too_large_or_broken_is_refused(file: bytes, code: str) -> None:
    for unpack in (read_gzip, open_gzip):
        with pytest.raises(TransportError) as caught:
            unpack(io.BytesIO(file), 1000)
        assert (caught.value.code, caught.value.permanent) == (code, True)
