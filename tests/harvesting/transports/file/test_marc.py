"""MARC in ISO 2709: encodings, deletions, and records that are broken or lie."""

import pytest

from harvesting.types import TransportError
from tests.harvesting.transports.files import batches, codes, issues, marc, records, titles, transport, write


def test_records_are_known_by_their_number_and_agency(tmp_path):
    found = batches(write(tmp_path, marc("1", "猫") + marc("2", "犬")))
    assert [record.identifier for record in records(found)] == ["(EXAMPLE)1", "(EXAMPLE)2"]
    assert titles(found) == ["猫", "犬"]
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "marcxml"


def test_marc_8_is_decoded(tmp_path):
    data = marc("1", "CafXX", utf8=False).replace(b"CafXX", b"Caf\xe2e")
    assert titles(batches(write(tmp_path, data))) == ["Café"]


def test_a_registered_encoding_is_believed(tmp_path):
    data = marc("1", "XXXXXX", utf8=False).replace(b"XXXXXX", "坊ちゃ".encode("cp932"))
    assert titles(batches(write(tmp_path, data), source={"encoding": "Shift_JIS"})) == ["坊ちゃ"]


def test_utf_8_under_a_leader_that_says_otherwise_is_told(tmp_path):
    data = marc("1", "XXXXXX", utf8=False).replace(b"XXXXXX", "坊っ".encode())
    found = batches(write(tmp_path, data))
    assert (titles(found), codes(found)) == (["坊っ"], ["file.marc_utf8"])


def test_a_deleted_record_is_a_deletion(tmp_path):
    (record,) = records(batches(write(tmp_path, marc("1", "猫", status="d"))))
    assert (record.deleted, record.payload) == (True, b"")


@pytest.mark.parametrize("length", [b"00030", b"99999", b"abcde"])
def test_a_length_that_lies_takes_no_other_record_along(tmp_path, length):
    data = length + marc("2", "犬")[5:]
    found = batches(write(tmp_path, marc("1", "猫") + data + marc("3", "鳥")))
    assert titles(found) == ["猫", "犬", "鳥"]
    assert "file.marc_length" in codes(found)


def test_a_broken_record_is_rejected_with_its_place(tmp_path):
    first = marc("1", "猫")
    data = marc("2", "犬")
    found = batches(write(tmp_path, first + data[:24] + b"x" * 12 + data[36:] + marc("3", "鳥")), full=True)
    assert titles(found) == ["猫", "鳥"]
    assert issues(found) == ["file.E001"]
    assert records(found)[1].issues[0].field == f"byte {len(first)}"
    assert not found[-1].exhaustive


def test_bytes_that_are_no_utf_8_reject_their_record(tmp_path):
    found = batches(write(tmp_path, marc("1", "猫") + marc("2", "XX").replace(b"XX", b"\xff\xfe") + marc("3", "鳥")))
    assert (titles(found), issues(found)) == (["猫", "鳥"], ["file.E001"])


def test_control_characters_reject_their_record(tmp_path):
    found = batches(write(tmp_path, marc("1", "XX").replace(b"XX", b"\x0b\x0c") + marc("2", "犬")))
    assert (titles(found), issues(found)) == (["犬"], ["file.E001"])


def test_a_file_that_breaks_off_is_a_named_failure(tmp_path):
    with pytest.raises(TransportError) as caught:
        batches(write(tmp_path, marc("1", "猫") + marc("2", "犬")[:-20]))
    assert (caught.value.code, caught.value.permanent) == ("file.cut", True)


def test_blanks_between_and_behind_records_are_harmless(tmp_path):
    assert titles(batches(write(tmp_path, marc("1", "猫") + b"\r\n" + marc("2", "犬") + b"\r\n\x1a"))) == ["猫", "犬"]


def test_a_killed_run_goes_on_behind_what_is_stored(tmp_path):
    path = write(tmp_path, b"".join(marc(str(n), f"本{n}") for n in range(250)))
    found = batches(path)
    assert [len(batch.records) for batch in found] == [200, 50]
    assert records(batches(path, resumption_token=found[0].resumption_token)) == records(found)[200:]


def test_the_real_records_of_ndl_are_all_read(samples):
    found = batches(samples / "marcxml" / "ndl_japanmarc_marc21_233.mrc")
    assert len(titles(found)) == 233
    assert not issues(found)
