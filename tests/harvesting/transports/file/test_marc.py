"""MARC in ISO 2709: encodings, deletions, broken records and wrong leaders."""

import pytest

from harvesting.types import TransportError
from tests.harvesting.transports.files import codes, harvest, issues, marc, records, titles, transport, write


def test_records_are_identified_by_number_and_agency(tmp_path):
    batches = harvest(write(tmp_path, marc("1", "猫") + marc("2", "犬")))
    assert [record.identifier for record in records(batches)] == ["(EXAMPLE)1", "(EXAMPLE)2"]
    assert titles(batches) == ["猫", "犬"]
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "marcxml"


def test_marc_8_is_decoded(tmp_path):
    data = marc("1", "CafXX", utf8=False).replace(b"CafXX", b"Caf\xe2e")
    assert titles(harvest(write(tmp_path, data))) == ["Café"]


def test_the_registered_encoding_is_used(tmp_path):
    data = marc("1", "XXXXXX", utf8=False).replace(b"XXXXXX", "坊ちゃ".encode("cp932"))
    assert titles(harvest(write(tmp_path, data), source={"encoding": "Shift_JIS"})) == ["坊ちゃ"]


def test_utf_8_under_a_marc_8_leader_is_observed(tmp_path):
    data = marc("1", "XXXXXX", utf8=False).replace(b"XXXXXX", "坊っ".encode())
    batches = harvest(write(tmp_path, data))
    assert (titles(batches), codes(batches)) == (["坊っ"], ["file.marc_utf8"])


def test_a_deleted_record_is_a_deletion(tmp_path):
    (record,) = records(harvest(write(tmp_path, marc("1", "猫", status="d"))))
    assert (record.deleted, record.payload) == (True, b"")


@pytest.mark.parametrize("length", [b"00030", b"99999", b"abcde"])
def test_a_wrong_record_length_does_not_affect_other_records(tmp_path, length):
    data = length + marc("2", "犬")[5:]
    batches = harvest(write(tmp_path, marc("1", "猫") + data + marc("3", "鳥")))
    assert titles(batches) == ["猫", "犬", "鳥"]
    assert "file.marc_length" in codes(batches)


def test_a_broken_record_is_rejected_with_its_position(tmp_path):
    first = marc("1", "猫")
    data = marc("2", "犬")
    batches = harvest(write(tmp_path, first + data[:24] + b"x" * 12 + data[36:] + marc("3", "鳥")), full=True)
    assert titles(batches) == ["猫", "鳥"]
    assert issues(batches) == ["file.E001"]
    assert records(batches)[1].issues[0].field == f"byte {len(first)}"
    assert not batches[-1].exhaustive


def test_a_record_with_invalid_utf_8_is_rejected(tmp_path):
    batches = harvest(write(tmp_path, marc("1", "猫") + marc("2", "XX").replace(b"XX", b"\xff\xfe") + marc("3", "鳥")))
    assert (titles(batches), issues(batches)) == (["猫", "鳥"], ["file.E001"])


def test_a_record_with_control_characters_is_rejected(tmp_path):
    batches = harvest(write(tmp_path, marc("1", "XX").replace(b"XX", b"\x0b\x0c") + marc("2", "犬")))
    assert (titles(batches), issues(batches)) == (["犬"], ["file.E001"])


def test_a_truncated_file_raises_file_cut(tmp_path):
    with pytest.raises(TransportError) as caught:
        harvest(write(tmp_path, marc("1", "猫") + marc("2", "犬")[:-20]))
    assert (caught.value.code, caught.value.permanent) == ("file.cut", True)


def test_white_space_between_and_after_records_is_ignored(tmp_path):
    assert titles(harvest(write(tmp_path, marc("1", "猫") + b"\r\n" + marc("2", "犬") + b"\r\n\x1a"))) == ["猫", "犬"]


def test_an_interrupted_run_resumes_after_the_stored_records(tmp_path):
    path = write(tmp_path, b"".join(marc(str(n), f"本{n}") for n in range(250)))
    batches = harvest(path)
    assert [len(batch.records) for batch in batches] == [200, 50]
    assert records(harvest(path, resumption_token=batches[0].resumption_token)) == records(batches)[200:]


def test_all_real_ndl_records_are_read(samples):
    batches = harvest(samples / "marcxml" / "ndl_japanmarc_marc21_233.mrc")
    assert len(titles(batches)) == 233
    assert not issues(batches)
