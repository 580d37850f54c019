"""Demo files: fields are written in all formats of the provider, raw XML is kept, mistakes are reported."""

import json
from pathlib import Path

import pytest

from sampleprovider.demo.headers import DemoError
from sampleprovider.demo.small import demo_source, demo_sources

HEADER = {
    "name": "見本館",
    "name_en": "Sample",
    "prefixes": ["oai_dc"],
    "granularity": "YYYY-MM-DD",
    "deleted_record": "transient",
    "sets": [{"spec": "a", "name": "甲"}],
    "home_page_path": "/m/",
}
RECORD = {"identifier": "oai:m:1", "datestamp": "2024-01-01", "sets": ["a"]}


def write_demo_files(folder: Path, *lines: object) -> Path:
    (folder / "m.json").write_text(json.dumps(HEADER), encoding="utf-8")
    (folder / "m.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return folder


def test_fields_are_written_in_the_format_of_the_provider(tmp_path: Path) -> None:
    fields = {"titles": [{"value": "坊っちゃん & 猫"}], "see_also": ["{base}/books/1"]}
    source = demo_source("m", write_demo_files(tmp_path, RECORD | {"record": fields}))
    (record,) = source.holdings.listing("oai_dc", "a")
    assert "坊っちゃん &amp; 猫".encode() in record.payloads["oai_dc"]
    assert b"http://127.0.0.1:8400/m/books/1" in record.payloads["oai_dc"]
    assert (source.title, source.granularity, source.sets[0].name) == ("見本館", "YYYY-MM-DD", "甲")


def test_raw_xml_and_deletions_are_kept(tmp_path: Path) -> None:
    lines = [RECORD | {"xml": "<a xmlns='urn:a'/>"}, RECORD | {"identifier": "oai:m:2", "deleted": True}]
    first, second = demo_source("m", write_demo_files(tmp_path, *lines)).holdings.listing("oai_dc", "")
    assert first.payloads["oai_dc"] == b"<a xmlns='urn:a'/>"
    assert second.deleted


@pytest.mark.parametrize(
    "line", [{"identifier": "x"}, RECORD | {"xml": "<a>"}, RECORD | {"record": {"titles": "x"}}, "text"]
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, line: object) -> None:
    with pytest.raises(DemoError, match=r"m\.jsonl:2: "):
        demo_source("m", write_demo_files(tmp_path, RECORD | {"deleted": True}, line))


def test_the_demo_files_can_be_loaded() -> None:
    sources = demo_sources()
    assert len(sources) >= 3
    assert all(len(source.holdings) for source in sources)
