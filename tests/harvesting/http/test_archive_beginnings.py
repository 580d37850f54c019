"""The beginning of a ZIP file, of which the directory was not received. What people pack: tests of trials."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvesting.http.archive_beginnings import ArchiveBeginning
from harvesting.http.archives import MIB, ArchiveLimits
from harvesting.types import TransportError
from tests.harvesting.http.test_archives import make_zip

LIMITS = ArchiveLimits()
MEMBERS = {"a/": b"", "a/1.xml": b"<r>1</r>", "a/2.xml": bytes(range(256)) * 4000, "a/3.xml": b"<r>3</r>"}


def read_all(data: bytes, limits: ArchiveLimits = LIMITS) -> dict[str, bytes]:
    with ArchiveBeginning(io.BytesIO(data), limits) as archive:
        return {name: b"".join(archive.chunks(name)) for name in archive.names()}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_whole_as_far_as_the_file_goes(method):
    data = make_zip(MEMBERS, method).getvalue()
    whole = {name: content for name, content in MEMBERS.items() if content}
    assert read_all(data) == whole
    cut = read_all(data[: data.index(b"a/2.xml") + 2000])
    assert list(cut) == ["a/1.xml", "a/2.xml"]
    assert cut["a/1.xml"] == MEMBERS["a/1.xml"]
    assert MEMBERS["a/2.xml"].startswith(cut["a/2.xml"])


def test_an_archive_cut_off_within_a_header_ends_before_it():
    data = make_zip(MEMBERS).getvalue()
    assert list(read_all(data[: data.index(b"a/2.xml") - 10])) == ["a/1.xml"]
    assert read_all(b"PK\x03\x04") == {}


@pytest.mark.parametrize(
    ("members", "limits", "code"),
    [
        ({"../a.xml": b"x"}, LIMITS, "archive.path"),
        ({"a.xml": bytes(9 * MIB)}, LIMITS, "archive.bomb"),
        ({"a.xml": b"xx"}, ArchiveLimits(member_bytes=1), "archive.too_large"),
        ({"a.xml": b"x", "b.xml": b"x"}, ArchiveLimits(members=1), "archive.too_large"),
    ],
)
def test_what_an_archive_may_not_be_its_beginning_may_not_be_either(members, limits, code):
    with pytest.raises(TransportError) as caught:
        read_all(make_zip(members).getvalue(), limits)
    assert caught.value.code == code


@given(st.integers(0, 400), st.binary(max_size=60), st.booleans())
def test_any_bytes_are_read_or_refused(place, damage, streamed):
    data = bytearray(make_zip({"a.xml": b"<r/>" * 50, "b.xml": b"<r/>"}).getvalue())
    if streamed:
        data[6] |= 8
    data[place : place + len(damage)] = damage
    try:
        read_all(bytes(data))
    except TransportError as error:
        assert error.code.startswith("archive.")
