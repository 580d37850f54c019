"""JSON Lines as written by the export, and other forms of them."""

import json

import pytest

from harvesting.types import TransportError
from metadata.reading import read
from tests.harvesting.transports.files import codes, harvest, issues, records, titles, write


def line(number: int, **other: object) -> str:
    record = {"titles": [{"value": f"本{number}"}], "issued": "2000"}
    return json.dumps({"identifier": f"oai:x:{number}", "record": record, **other}, ensure_ascii=False) + "\n"


def test_a_line_is_a_record_with_its_header(tmp_path):
    batches = harvest(write(tmp_path, line(1, datestamp="2026-01-01", sets=["a"], prefix="dcndl", id="R1-I1")))
    (record,) = records(batches)
    assert (record.identifier, record.datestamp, record.set_specs) == ("oai:x:1", "2026-01-01", ("a",))
    assert titles(batches) == ["本1"]


def test_deletions_are_read(tmp_path):
    batches = harvest(write(tmp_path, '{"identifier":"oai:x:1","deleted":true}\n'))
    assert [record.deleted for record in records(batches)] == [True]


def test_a_record_without_an_envelope_is_read(tmp_path):
    batches = harvest(write(tmp_path, '\ufeff{"titles":[{"value":"猫"}],"uri":"https://x.example.jp/1"}\n\n'))
    assert records(batches)[0].identifier == "https://x.example.jp/1"
    assert titles(batches) == ["猫"]


def test_a_record_without_titles_gets_the_missing_title_issue(tmp_path):
    batches = harvest(write(tmp_path, '{"uri":"https://x.example.jp/1","issued":"2000"}\n'))
    assert "json.E005" in [issue.code for issue in read(records(batches)[0].payload, "json").issues]


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
def test_only_the_broken_line_is_rejected(tmp_path, broken):
    batches = harvest(write(tmp_path, line(1) + broken + line(3)), full=True)
    assert titles(batches) == ["本1", "本3"]
    assert issues(batches) == ["file.E003"]
    assert codes(batches) == ["file.unnamed"]
    assert not batches[-1].exhaustive


def test_an_incomplete_last_line_raises_file_cut(tmp_path):
    with pytest.raises(TransportError) as caught:
        harvest(write(tmp_path, line(1) + line(2)[:-10]))
    assert caught.value.code == "file.cut"


def test_an_interrupted_run_resumes_after_the_stored_records(tmp_path):
    path = write(tmp_path, "".join(map(line, range(450))))
    batches = harvest(path)
    resumed = harvest(path, resumption_token=batches[1].resumption_token)
    assert [record.identifier for record in records(resumed)] == [f"oai:x:{n}" for n in range(400, 450)]


def test_a_changed_file_is_read_from_its_start(tmp_path):
    path = write(tmp_path, "".join(map(line, range(450))))
    token = harvest(path)[0].resumption_token
    write(tmp_path, "".join(map(line, range(451))))
    assert len(records(harvest(path, resumption_token=token))) == 451
