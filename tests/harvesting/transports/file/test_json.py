"""JSON Lines, as the export writes them and as others might."""

import json

import pytest

from harvesting.types import TransportError
from metadata.reading import read
from tests.harvesting.transports.files import batches, codes, issues, records, titles, write


def line(number: int, **other: object) -> str:
    record = {"titles": [{"value": f"本{number}"}], "issued": "2000"}
    return json.dumps({"identifier": f"oai:x:{number}", "record": record, **other}, ensure_ascii=False) + "\n"


def test_a_line_is_a_record_with_its_header(tmp_path):
    found = batches(write(tmp_path, line(1, datestamp="2026-01-01", sets=["a"], prefix="dcndl", id="R1-I1")))
    (record,) = records(found)
    assert (record.identifier, record.datestamp, record.set_specs) == ("oai:x:1", "2026-01-01", ("a",))
    assert titles(found) == ["本1"]


def test_deletions_come_back(tmp_path):
    found = batches(write(tmp_path, '{"identifier":"oai:x:1","deleted":true}\n'))
    assert [record.deleted for record in records(found)] == [True]


def test_a_record_without_anything_around_it_is_read(tmp_path):
    found = batches(write(tmp_path, '\ufeff{"titles":[{"value":"猫"}],"uri":"https://x.example.jp/1"}\n\n'))
    assert records(found)[0].identifier == "https://x.example.jp/1"
    assert titles(found) == ["猫"]


def test_a_record_without_titles_is_told_so(tmp_path):
    found = batches(write(tmp_path, '{"uri":"https://x.example.jp/1","issued":"2000"}\n'))
    assert "json.E005" in [each.code for each in read(records(found)[0].payload, "json").issues]


@pytest.mark.parametrize(
    "broken",
    [
        "{broken}\n",
        '{"identifier":1}\n',
        '{"record":{"titles":' + "[" * 100_000 + "\n",
        '{"a":"' + "x" * 17_000_000 + '"}\n',
    ],
    ids=["form", "type", "depth", "length"],
)
def test_a_broken_line_is_rejected_alone(tmp_path, broken):
    found = batches(write(tmp_path, line(1) + broken + line(3)), full=True)
    assert titles(found) == ["本1", "本3"]
    assert issues(found) == ["file.E003"]
    assert codes(found) == ["file.unnamed"]
    assert not found[-1].exhaustive


def test_a_last_line_that_breaks_off_is_a_named_failure(tmp_path):
    with pytest.raises(TransportError) as caught:
        batches(write(tmp_path, line(1) + line(2)[:-10]))
    assert caught.value.code == "file.cut"


def test_a_killed_run_goes_on_behind_what_is_stored(tmp_path):
    path = write(tmp_path, "".join(map(line, range(450))))
    found = batches(path)
    rest = batches(path, resumption_token=found[1].resumption_token)
    assert [record.identifier for record in records(rest)] == [f"oai:x:{n}" for n in range(400, 450)]


def test_a_file_that_changed_is_read_from_its_start(tmp_path):
    path = write(tmp_path, "".join(map(line, range(450))))
    token = batches(path)[0].resumption_token
    write(tmp_path, "".join(map(line, range(451))))
    assert len(records(batches(path, resumption_token=token))) == 451
