"""python -m metadata: output and exit codes."""

import io
import json
from pathlib import Path

import msgspec
import pytest

from harvesting.types import TransportError
from metadata.__main__ import main
from metadata.record import BibliographicRecord
from tests.harvesting.transports.feeds import item, rss
from tests.harvesting.transports.files import harvest, readings
from tests.metadata.documents import dcndl, oai_dc

OAI = b"""<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header><identifier>oai:a:1</identifier></header><metadata>%s</metadata></record>
<record><header status="deleted"><identifier>oai:a:2</identifier></header></record>
<record><header><identifier>oai:a:3</identifier></header></record></ListRecords></OAI-PMH>"""
SRU = b"""<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><records><record><recordData>%s</recordData>
</record></records></searchRetrieveResponse>"""


@pytest.fixture
def standard_input(monkeypatch):
    def give(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def test_a_record_is_shown_with_its_fields_and_issues(standard_input, capsys):
    standard_input(dcndl("<dcterms:language>ja</dcterms:language>"))
    assert main(["dcndl", "--language", "en"]) == 0
    out = capsys.readouterr().out
    assert "坊っちゃん" in out
    assert "[normalised dcndl.N020] ja in dcterms:language was changed" in out


def test_a_rejected_record_is_shown_with_reason_and_remedy(standard_input, capsys):
    standard_input(dcndl(title=""))
    assert main(["dcndl", "--language", "ja"]) == 1
    out = capsys.readouterr().out
    assert "[レコードエラー dcndl.E003]" in out
    assert "→ dc:title の中に rdf:Description" in out


def test_json_has_one_object_per_record(standard_input, capsys):
    standard_input(dcndl(kind=""))
    assert main(["dcndl", "--json", "--unmapped", "--language", "en"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["record"]["titles"] == [{"value": "坊っちゃん"}]
    assert [issue["code"] for issue in output["issues"]] == ["dcndl.W022"]
    assert output["unmapped"] == []


def test_a_record_is_written_in_another_format(standard_input, capsys):
    standard_input(dcndl())
    assert main(["dcndl", "--to", "oai_dc"]) == 0
    assert "<dc:title>坊っちゃん</dc:title>" in capsys.readouterr().out


def test_all_records_of_a_response_are_read_except_deleted_ones(tmp_path: Path, capsys):
    path = tmp_path / "list.xml"
    path.write_bytes(OAI % oai_dc())
    assert main([str(path), "--json"]) == 1
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(entry["identifier"], entry["record"] is not None) for entry in entries] == [
        ("oai:a:1", True),
        ("oai:a:3", False),
    ]


def test_unmapped_elements_are_counted_over_all_records(tmp_path: Path, capsys):
    records = "".join(
        f"<record><header><identifier>oai:a:{number}</identifier></header><metadata>{dcndl(extra).decode()}</metadata>"
        "</record>"
        for number, extra in enumerate(["", "<dcndl:recordStatus>新規</dcndl:recordStatus>"])
    )
    path = tmp_path / "list.xml"
    path.write_text(
        f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>{records}</ListRecords></OAI-PMH>'
    )
    assert main([str(path), "--unmapped", "--language", "en"]) == 0
    assert "     1  dcndl:BibResource/dcndl:recordStatus  oai:a:1  新規" in capsys.readouterr().out


def test_records_escaped_in_an_sru_response_are_read(tmp_path: Path, capsys):
    path = tmp_path / "sru.xml"
    path.write_bytes(SRU % dcndl().replace(b"&", b"&amp;").replace(b"<", b"&lt;"))
    assert main([str(path), "--prefix", "dcndl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["record"]["titles"] == [{"value": "坊っちゃん"}]


def test_broken_xml_is_a_rejected_record(standard_input, capsys):
    standard_input(b"<a")
    assert main(["dcndl", "--language", "ja"]) == 1
    assert "xml.E001" in capsys.readouterr().out


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_missing_file_is_a_usage_error(capsys, language):
    assert main(["no-such-file", "--language", language]) == 2
    assert "no-such-file" in capsys.readouterr().err


def test_for_a_response_without_records_the_error_of_the_provider_is_shown(tmp_path: Path, capsys):
    path = tmp_path / "error.xml"
    path.write_bytes(
        b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badVerb">no</error></OAI-PMH>'
    )
    assert main([str(path)]) == 2
    assert "badVerb: no" in capsys.readouterr().err


def test_an_unknown_format_is_a_usage_error():
    with pytest.raises(SystemExit) as caught:
        main(["--to", "marc"])
    assert caught.value.code == 2


def test_the_items_of_a_feed_are_read_one_by_one(tmp_path: Path, capsys):
    path = tmp_path / "feed.xml"
    path.write_text(rss(item(1), item(2)), encoding="utf-8")
    assert main([str(path), "--json"]) == 0
    assert [json.loads(line)["record"] is not None for line in capsys.readouterr().out.splitlines()] == [True, True]


def test_a_record_saved_with_its_header_but_without_a_namespace_is_unwrapped(standard_input, capsys):
    description = oai_dc().partition(b"?>")[2] or oai_dc()
    standard_input(b"<record><header><identifier>x</identifier></header><metadata>%s</metadata></record>" % description)
    assert main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out)["identifier"] == "x"


@pytest.mark.parametrize("folder", ["rss1", "rss2_dcndl"])
def test_real_feeds_are_opened_as_a_harvest_opens_them(samples: Path, capsys, folder: str):
    seen = 0
    for path in sorted(entry for entry in (samples / folder).iterdir() if entry.is_file()):
        try:
            harvested = [reading.record for reading in readings(harvest(path))]
        except TransportError:
            continue
        main([str(path), "--json"])
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [msgspec.convert(line["record"], BibliographicRecord) for line in lines] == harvested, path
        seen += len(harvested)
    assert seen >= 60
